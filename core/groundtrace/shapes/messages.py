"""What frameworks hand a model for a tool's value: LangChain's ToolMessage, Pydantic AI's returns and retries."""

from groundtrace import outcomes
from groundtrace.encoding import encode, output_of
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.blocks import outcome_of_blocks, texts_of_blocks
from groundtrace.shapes.declaring import failed, marked, text_of
from groundtrace.shapes.shape import Body, Inner, Shape, Told
from groundtrace.text import is_blank

_FAILED = {
    "failed": FailureKind.ERROR,
    "denied": FailureKind.DENIED,
    "interrupted": FailureKind.CANCELLED,
    "retried": FailureKind.ERROR,
}


def _of_content(content: object, inner: Inner) -> outcomes.Outcome:
    form = encode(content) if isinstance(content, list) else None
    if isinstance(form, list) and form and all(_is_block(one) for one in form):
        return outcome_of_blocks(form, output_of(content), inner)
    return inner(content)


def _is_block(block: JsonValue) -> bool:
    return isinstance(block, dict) and bool(text_of(block.get("type")))


def _said(content: object) -> str:
    form = encode(content)
    if isinstance(form, list) and (said := "; ".join(texts_of_blocks(form))):
        return said
    output = output_of(content)
    return output if isinstance(output, str) else output.decode("utf-8", "replace")


def _message(content: object, status: object, artifact: object, inner: Inner) -> outcomes.Outcome:
    if status == "error":
        return failed(FailureKind.ERROR, _said(content), output_of(content))
    blank = content is None or (isinstance(content, str) and is_blank(content)) or content == []
    if blank and artifact is not None:
        return marked(inner(artifact), ("the model was given no content, only the program an artifact",))
    return _of_content(content, inner)


def _tool_message(value: object, inner: Inner) -> outcomes.Outcome | None:
    content, status, artifact = (getattr(value, name, None) for name in ("content", "status", "artifact"))
    return _message(content, status, artifact, inner)


def _tool_message_body(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read a message as a dict: `model_dump` of one, or the constructor that `dumpd` writes."""
    kwargs, name = body.get("kwargs"), body.get("id")
    if body.get("type") == "constructor" and isinstance(kwargs, dict) and isinstance(name, list):
        return _tool_message_body({**kwargs, "type": "tool"}, told) if "ToolMessage" in name else None
    if body.get("type") != "tool" or "tool_call_id" not in body or "content" not in body:
        return None
    return _message(body["content"], body.get("status"), body.get("artifact"), told.inner)


def _command(value: object, inner: Inner) -> outcomes.Outcome | None:
    """Read a LangGraph Command that carries the tool's message in its update."""
    update = getattr(value, "update", None)
    messages = update.get("messages") if isinstance(update, dict) else None
    last = messages[-1] if isinstance(messages, list) and messages else None
    return None if last is None else inner(last)


def _tool_return(value: object, inner: Inner) -> outcomes.Outcome | None:
    kind = _FAILED.get(str(getattr(value, "outcome", "")))
    content = (
        getattr(value, "return_value", None) if hasattr(value, "return_value") else getattr(value, "content", None)
    )
    return _of_content(content, inner) if kind is None else failed(kind, _said(content), output_of(content))


def _retry(value: object, inner: Inner) -> outcomes.Outcome | None:
    content = getattr(value, "content", None)
    return failed(FailureKind.ERROR, f"the model was asked to try again: {_said(content)}", output_of(content))


def _pydantic_body(body: Body, told: Told) -> outcomes.Outcome | None:
    kind = body.get("part_kind")
    if kind in ("retry-prompt", "retry-feedback") and "content" in body:
        said = f"the model was asked to try again: {_said(body['content'])}"
        return failed(FailureKind.ERROR, said, output_of(body["content"]))
    if kind not in ("tool-return", "builtin-tool-return") or "content" not in body:
        return None
    broken = _FAILED.get(text_of(body.get("outcome")))
    if broken is not None:
        return failed(broken, _said(body["content"]), output_of(body["content"]))
    return _of_content(body["content"], told.inner)


TOOL_MESSAGE = Shape(
    name="tool_message",
    types=("langchain_core.ToolMessage",),
    members=frozenset({"tool_call_id", "kwargs"}),
    read_object=_tool_message,
    read_body=_tool_message_body,
)
LANGGRAPH_COMMAND = Shape(name="langgraph_command", types=("langgraph.Command",), read_object=_command)
PYDANTIC_AI_RETURN = Shape(
    name="pydantic_ai_return",
    types=("pydantic_ai.ToolReturn", "pydantic_ai.BaseToolReturnPart"),
    members=frozenset({"part_kind"}),
    read_object=_tool_return,
    read_body=_pydantic_body,
)
PYDANTIC_AI_RETRY = Shape(
    name="pydantic_ai_retry", types=("pydantic_ai.RetryPromptPart", "pydantic_ai.RetryFeedbackPart"), read_object=_retry
)
