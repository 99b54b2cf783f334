"""Spans that are a tool's run, by each convention: GenAI, OpenInference, MCP, and those that frameworks had before."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.transcripts.attributes import at, first_at, unwritten
from groundtrace.transcripts.events import Record, Returned
from groundtrace.transcripts.fields import Body, body_of, text_of, word_of
from groundtrace.transcripts.langchain_messages import LANGCHAIN
from groundtrace.transcripts.spans import Span, SpanEvent
from groundtrace.transcripts.steps import ToolStep

_OUTCOME = "groundtrace.outcome"
_OPERATION = "gen_ai.operation.name"
_EXECUTE = "execute_tool"
_KINDS = ("openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type", "gen_ai.span.kind")
_NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "mcp.tool.name", "traceloop.entity.name")
_IDS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id", "tool.call_id", "groundtrace.invocation.id")
_ARGUMENTS = (
    "gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_arguments", "tool_call.function.arguments",
    "ai.toolCall.args", "ai.toolCall.input", "gen_ai.tool.input", "langfuse.observation.input", "input.value",
    "traceloop.entity.input", "tool.parameters",
)  # fmt: skip
_RESULTS = (
    "gen_ai.tool.call.result", "gen_ai.tool.result", "tool_response", "ai.toolCall.result", "ai.toolCall.output",
    "gen_ai.tool.output", "gen_ai.tool.message", "langfuse.observation.output", "output.value",
    "traceloop.entity.output",
)  # fmt: skip

_MESSAGE = "groundtrace.failure.message"
_WITHOUT_OUTPUT = frozenset({OutcomeKind.NO_EVIDENCE, OutcomeKind.DEDUPED})

_ERRORS = MappingProxyType(
    {
        "timeout": FailureKind.TIMEOUT,
        "deadline": FailureKind.TIMEOUT,
        "504": FailureKind.TIMEOUT,
        "ratelimit": FailureKind.RATE_LIMITED,
        "rate_limit": FailureKind.RATE_LIMITED,
        "429": FailureKind.RATE_LIMITED,
        "permission": FailureKind.DENIED,
        "unauthori": FailureKind.DENIED,
        "forbidden": FailureKind.DENIED,
        "401": FailureKind.DENIED,
        "403": FailureKind.DENIED,
        "cancel": FailureKind.CANCELLED,
        "connect": FailureKind.UNAVAILABLE,
        "unavailable": FailureKind.UNAVAILABLE,
        "503": FailureKind.UNAVAILABLE,
    }
)


def tool_in(span: Span, /) -> ToolStep | None:
    """Return the run that a span is, None for any other span."""
    if not _is_tool(span):
        return None
    tree = span.attributes
    arguments, output = first_at(tree, _ARGUMENTS), first_at(tree, _RESULTS)
    for event in span.events:
        if event.name == "gen_ai.tool.message" and arguments is None:
            arguments = event.attributes.get("content")
        if event.name == "gen_ai.choice" and output is None:
            output = event.attributes.get("message")
    told = result_in(unwritten(output))
    error, kind = _error(span)
    outcome = word_of(at(tree, _OUTCOME))
    if output is None and outcome in _WITHOUT_OUTPUT:
        output = ""
    failed = True if span.failed or error is not None else span.failed if told is None else told.failed
    return ToolStep(
        name=text_of(first_at(tree, _NAMES)) or span.name.removeprefix(_EXECUTE).strip() or "unnamed",
        call_id=text_of(first_at(tree, _IDS)) or (None if told is None else told.call_id),
        arguments=given_in(arguments),
        output=output if told is None else as_json(told.output),
        done=output is not None or failed is True,
        failed=failed,
        error=error,
        kind=kind,
        empty=outcome == OutcomeKind.NO_EVIDENCE,
        repeated=outcome == OutcomeKind.DEDUPED,
    )


def _is_tool(span: Span) -> bool:
    tree = span.attributes
    operation = word_of(at(tree, _OPERATION))
    if operation is not None:
        return operation == _EXECUTE
    kinds = (str(at(tree, name)).upper() for name in _KINDS)
    if any(kind == "TOOL" for kind in kinds) or span.name.startswith(f"{_EXECUTE} "):
        return True
    if word_of(at(tree, "openinference.span.kind")) is not None:
        return False
    named = at(tree, "gen_ai.tool.name") is not None or at(tree, "ai.toolCall.name") is not None
    return named or at(tree, "mcp.method.name") == "tools/call"


def _error(span: Span) -> tuple[str | None, FailureKind | None]:
    """Return why a run broke, None for one that did not: its status, its error type, an exception that left it."""
    kind = text_of(at(span.attributes, "error.type"))
    thrown = next((event for event in span.events if event.name == "exception"), None)
    broke = span.failed is True or kind is not None
    if not broke and (thrown is None or span.failed is False or not _escaped(thrown)):
        return None, None
    exception = body_of(thrown.attributes.get("exception")) if thrown is not None else {}
    words = [
        one for one in (text_of(at(span.attributes, _MESSAGE)), span.message, text_of(exception.get("message"))) if one
    ]
    names = [one for one in (kind, text_of(exception.get("type"))) if one]
    text = max(words, key=len, default=None) or ", ".join(names) or None
    return text or "the span ended in an error", kind_named(names)


def _escaped(event: SpanEvent) -> bool:
    """Tell whether an exception left the run; one that is said to have been handled did not."""
    return str(at(event.attributes, "exception.escaped")).lower() != "false"


def kind_named(names: Iterable[str], /) -> FailureKind | None:
    """Return the kind of failure that the names of errors tell, None where they tell none."""
    lowered = " ".join(names).lower()
    if lowered in frozenset(FailureKind):
        return FailureKind(lowered)
    return next((kind for word, kind in _ERRORS.items() if word in lowered), None)


def result_in(output: JsonValue, /) -> Returned | None:
    """Return the result that a tool's message holds, which frameworks keep for what their tool gave."""
    body = body_of(output)
    inner = body_of(unwritten(body.get("output")))
    for one in (body, inner):
        if LANGCHAIN.fits(one):
            return next(_returns(one), None)
        if "tool_call_id" in one and "content" in one:
            return next(_returns({"type": "tool", **one}), None)
    return None


def _returns(message: Body) -> Iterator[Returned]:
    return (one for one in LANGCHAIN.read((Record(place="", value=message),)) if isinstance(one, Returned))


def given_in(arguments: JsonValue, /) -> JsonValue:
    """Return the arguments of a run, without the object that frameworks put around them."""
    value = unwritten(arguments)
    body = body_of(value)
    for name in ("inputs", "kwargs"):
        if name in body and body.keys() <= {"inputs", "kwargs", "args", "tags", "metadata"}:
            return unwritten(body[name])
    return value


def as_json(output: object, /) -> JsonValue:
    """Return an output that is JSON, None for any other."""
    return output if isinstance(output, dict | list | str | int | float) else None
