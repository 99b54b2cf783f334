"""HolmesGPT: tool results that it recorded in files of a folder, and the `tool_calls` of its answers.

A result tells how it ended by itself (`success`, `error`, `no_data`); the results of a folder are one session. A repeat
that was refused stands there as an error; its text tells.
"""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.chat_messages import LOOKED_AT
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, number_of, text_of, word_of


class _Status(NamedTuple):
    failed: bool
    empty: bool = False
    kind: FailureKind | None = None


_STATUSES = MappingProxyType(
    {
        "success": _Status(failed=False),
        "no_data": _Status(failed=False, empty=True),
        "error": _Status(failed=True),
        "approval_required": _Status(failed=True, kind=FailureKind.DENIED),
    }
)

_SESSIONS = ("folder", "conversation_id", "session_id")
_ANSWERS = ("analysis", "result", "answer")


def _fits(value: JsonValue) -> bool:
    return _is_call(body_of(value)) or any(map(_is_call, _calls(body_of(value))[:LOOKED_AT]))


def _is_call(body: Body) -> bool:
    if not isinstance(body.get("tool_name"), str):
        return False
    return "toolset_name" in body or "status" in body_of(body.get("result"))


def _calls(body: Body) -> list[Body]:
    return list(bodies_of(body.get("tool_calls")))


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        session = next((found for name in _SESSIONS if (found := text_of(body.get(name)))), None)
        if text_of(body.get("tool_name")):
            yield from _call(body, record.place, session)
        elif "tool_calls" in body:
            yield from _investigation(body, record.place, session)
        else:
            yield Skipped(place=record.place, what="no tool result", known=False)


def _investigation(body: Body, place: str, session: str | None) -> Iterator[Event]:
    """Yield what an answer tells: the messages that it repeats hold the same calls, and are left alone."""
    yield Asked(place=place, text=text_of(body.get("ask")) or text_of(body.get("question")) or "", session=session)
    for number, call in enumerate(items_of(body["tool_calls"]), start=1):
        yield from _call(body_of(call), f"{place} call {number}".strip(), session)
    if text := next((found for name in _ANSWERS if (found := text_of(body.get(name)))), None):
        yield Answered(place=place, text=text, session=session)


def _call(body: Body, place: str, session: str | None) -> Iterator[Event]:
    result = body_of(body.get("result"))
    given = result.get("params")
    call_id = text_of(body.get("tool_call_id")) or text_of(body.get("file"))
    yield Called(
        place=place,
        call_id=call_id,
        tool_name=text_of(body.get("tool_name")) or "unnamed",
        arguments=given if isinstance(given, dict) else body.get("match_params", body.get("params")),
        session=session,
    )
    if "result" in body or "body" in body:
        yield _returned(body, result, call_id, place, session)


def _returned(body: Body, result: Body, call_id: str | None, place: str, session: str | None) -> Returned:
    told = _STATUSES.get(word_of(result.get("status")) or "")
    error = text_of(result.get("error"))
    # A body may tell the exit code of its own command, which 0 beside it does not mean.
    code = number_of(result.get("return_code")) or None
    output = body.get("body")
    if output is None:
        output = result.get("data") if result else body.get("result")
    if output is None and told is not None:
        output = ""
    return Returned(
        place=place,
        call_id=call_id,
        output=output,
        failed=None if told is None else told.failed,
        error=error,
        kind=None if told is None else told.kind,
        empty=told is not None and told.empty,
        exit_code=code,
        session=session,
    )


HOLMESGPT = Format(
    name="holmesgpt",
    title="HolmesGPT tool results",
    fits=_fits,
    read=_read,
    keys=frozenset({"toolset_name", "tool_name", "match_params", "schema_version", "tool_calls", "result"}),
)
