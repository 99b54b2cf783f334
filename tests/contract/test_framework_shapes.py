"""What agent frameworks hand on for a tool is read by the name of its class, its flag and its content."""

from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage
from langgraph.types import Command
from mcp.types import CallToolResult, ImageContent, TextContent
from pydantic_ai.messages import ToolReturn, ToolReturnPart

from groundtrace import classify_output, kind_of, outcomes

pytestmark = pytest.mark.frameworks


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (CallToolResult(content=[text("no such pod")], is_error=True), "failure"),
        (CallToolResult(content=[text("[]")]), "no_evidence"),
        (CallToolResult(content=[], structured_content={"result": []}), "no_evidence"),
        (CallToolResult(content=[text("3 lines"), ImageContent(data="aGk=", mime_type="image/png")]), "success"),
        (ToolMessage("no such pod", tool_call_id="c", status="error"), "failure"),
        (ToolMessage("No results found", tool_call_id="c"), "no_evidence"),
        (ToolMessage("", tool_call_id="c", artifact=["doc"]), "success"),
        (Command(update={"messages": [ToolMessage("no", tool_call_id="c", status="error")]}), "failure"),
        (ToolReturn(return_value=[]), "no_evidence"),
        (ToolReturn(return_value=["cart-0"]), "success"),
        (ToolReturnPart(tool_name="t", content="no", tool_call_id="c", outcome="denied"), "failure"),
        (ToolReturnPart(tool_name="t", content={"rows": [1]}, tool_call_id="c"), "success"),
        (ToolReturnPart(tool_name="t", content="give a namespace", tool_call_id="c", outcome="retried"), "failure"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_what_a_framework_hands_on_is_read_by_its_flag_and_content(value: object, kind: str) -> None:
    assert kind_of(classify_output(value)) == kind


def test_a_message_keeps_the_text_that_the_model_was_given() -> None:
    for value in (CallToolResult(content=[text("3 lines")]), ToolMessage("3 lines", tool_call_id="c")):
        outcome = classify_output(value)
        assert isinstance(outcome, outcomes.Success)
        assert outcome.output == "3 lines"
