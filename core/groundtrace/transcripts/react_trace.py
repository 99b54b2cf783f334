"""Traces of AIOpsLab: an assistant's thought and action as text, then what its environment said."""

import re
from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, prose_of, text_of, word_of

# The action stands in a fence behind its heading; what is none of this form is kept whole.
_ACTION = re.compile(r"Action:\s*(?:```[a-z]*\s*)?([A-Za-z_]\w{0,199})\((.*)\)\s*(?:```|\Z)", re.DOTALL)
UNPARSED = "unparsed_action"


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    first = body_of(next(iter(items_of(body.get("trace"))), None))
    return "agent" in body and "role" in first and "content" in first


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        session = text_of(body.get("session_id"))
        if "trace" not in body:
            yield Skipped(place=record.place, what="no trace", known=False)
            continue
        yield Asked(place=record.place, text="", session=session, at=moment_of(body.get("start_time")))
        for number, step in enumerate(bodies_of(body["trace"]), start=1):
            yield from _step(step, f"{record.place} step {number}".strip(), session)
        yield Ended(session=session)


def _step(step: Body, place: str, session: str | None) -> Iterator[Event]:
    text = prose_of(step.get("content"))
    match word_of(step.get("role")):
        case "assistant":
            yield Answered(place=place, text=text, session=session)
            found = _ACTION.search(text)
            name, arguments = (UNPARSED, {"text": text}) if found is None else (found[1], {"arguments": found[2]})
            yield Called(place=place, call_id=None, tool_name=name, arguments=arguments, session=session)
        case "env":
            yield Returned(place=place, call_id=None, output=text, session=session)
        case "user":
            yield Asked(place=place, text=text, session=session)
        case role:
            yield Skipped(place=place, what=f"role {role!r}", known=role == "system")


REACT_TRACE = Format(
    name="aiopslab",
    title="AIOpsLab traces",
    fits=_fits,
    read=_read,
    keys=frozenset({"agent", "trace", "session_id", "problem_id", "results"}),
)
