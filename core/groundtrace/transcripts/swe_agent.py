"""SWE-agent trajectories: a list of actions, each with what was observed."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.recording import milliseconds_from
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, prose_of, text_of, word_of


def _fits(value: JsonValue) -> bool:
    first = body_of(next(iter(items_of(body_of(value).get("trajectory"))), None))
    return "action" in first and "observation" in first


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body, session = body_of(record.value), record.place or None
        if "trajectory" not in body:
            yield Skipped(place=record.place, what="no trajectory", known=False)
            continue
        yield Asked(place=record.place, text=_question(body), session=session)
        for number, step in enumerate(bodies_of(body["trajectory"]), start=1):
            yield from _step(step, f"{record.place} step {number}".strip(), session)
        yield Ended(session=session)


def _step(step: Body, place: str, session: str | None) -> Iterator[Event]:
    said = text_of(step.get("response")) or text_of(step.get("thought"))
    if said:
        yield Answered(place=place, text=said, session=session)
    action = text_of(step.get("action"))
    if action is None:
        return
    name = action.split(maxsplit=1)[0]
    yield Called(place=place, call_id=None, tool_name=name, arguments={"action": action}, session=session)
    seconds = step.get("execution_time")
    lasted = milliseconds_from(seconds * 1_000) if isinstance(seconds, float | int) else None
    yield Returned(place=place, call_id=None, output=step.get("observation"), session=session, duration_ms=lasted)


def _question(body: Body) -> str:
    users = (one for one in bodies_of(body.get("history")) if word_of(one.get("role")) == "user")
    return next((prose_of(one.get("content")) for one in users), "")


SWE_AGENT = Format(
    name="swe-agent",
    title="SWE-agent trajectories",
    fits=_fits,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"trajectory", "history", "info", "action", "observation"}),
)
