"""What a model said in items of the SDK, and what is said in its place."""

from typing import Any

from agents.items import TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.models.fake_id import FAKE_RESPONSES_ID
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

CALLS = frozenset(
    "function_call custom_tool_call computer_call local_shell_call shell_call apply_patch_call"
    " mcp_approval_request".split()
)
"""Items that ask the SDK to do something first; beside any others a message is the answer."""


def question_in(asked: str | list[TResponseInputItem], /) -> str:
    """Return the text of the last question."""
    if isinstance(asked, str):
        return asked
    given: list[Any] = list(asked)
    items = [item for item in given if isinstance(item, dict) and item.get("role") == "user"]
    if not items:
        return ""
    content = items[-1].get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict) and "text" in part)


ENDS = frozenset({"response.incomplete", "response.failed", "error", "response.error"})
"""Events that end a response without an answer."""


def emptied(event: TResponseStreamEvent, /) -> TResponseStreamEvent:
    """Return the end of a response that failed, without what had been written by then."""
    response = getattr(event, "response", None)
    if isinstance(response, Response):
        return event.model_copy(update={"response": response.model_copy(update={"output": []})})
    return event


def events_of(event: ResponseCompletedEvent, output: list[TResponseOutputItem], /) -> list[TResponseStreamEvent]:
    """Return the stream of a checked response: its text in one piece, then its end."""
    response = event.response.model_copy(update={"output": output})
    text = "".join(text_of(item) for item in output)
    completed = event.model_copy(update={"response": response})
    if not text:
        return [completed]
    delta = ResponseTextDeltaEvent(
        content_index=0,
        delta=text,
        item_id=FAKE_RESPONSES_ID,
        logprobs=[],
        output_index=len(output) - 1,
        sequence_number=0,
        type="response.output_text.delta",
    )
    return [delta, completed]


def text_of(item: TResponseOutputItem, /) -> str:
    """Return the words of a message, a refusal's too; none of any other item."""
    if not isinstance(item, ResponseOutputMessage):
        return ""
    return "".join(part.refusal if isinstance(part, ResponseOutputRefusal) else part.text for part in item.content)


def message_of(text: str, /) -> ResponseOutputMessage:
    """Return a message of ours, under the id that stands for none."""
    return ResponseOutputMessage(
        id=FAKE_RESPONSES_ID,
        content=[ResponseOutputText(text=text, annotations=[], type="output_text")],
        role="assistant",
        status="completed",
        type="message",
    )
