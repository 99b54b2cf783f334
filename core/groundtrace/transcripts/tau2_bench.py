"""tau2-bench: a run's results (`simulations`), or its simulations one by one; the simulated user calls tools too.

A call of the user's is kept beside the agent's and its row says whose it was: its output went to the user alone.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.content_blocks import output_in
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import (
    Body,
    bodies_of,
    body_of,
    flag_of,
    items_of,
    moment_of,
    prose_of,
    text_of,
    word_of,
)
from groundtrace.transcripts.tau_bench import session_of

_OWN = ("termination_reason", "reward_info", "turn_idx")
AGENT = "assistant"


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    if isinstance(body.get("simulations"), list):
        return any(_is_simulation(one) for one in items_of(body["simulations"])[:1])
    return _is_simulation(value)


def _is_simulation(value: JsonValue) -> bool:
    body = body_of(value)
    return isinstance(body.get("messages"), list) and "task_id" in body and any(name in body for name in _OWN)


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        if isinstance(body.get("simulations"), list):
            for number, simulation in enumerate(items_of(body["simulations"]), start=1):
                yield from _simulation(body_of(simulation), f"{record.place} simulation {number}".strip())
        else:
            yield from _simulation(body, record.place)


def _simulation(body: Body, place: str) -> Iterator[Event]:
    if not isinstance(body.get("messages"), list):
        yield Skipped(place=place, what="no messages", known=False)
        return
    session = text_of(body.get("id")) or session_of(body, place)
    began = moment_of(body.get("start_time"))
    for number, message in enumerate(bodies_of(body["messages"]), start=1):
        told = moment_of(message.get("timestamp"))
        yield from _message(message, f"{place} message {number}".strip(), session, told, began)
        began = None
    yield Ended(session=session)


def _message(
    message: Body, place: str, session: str | None, at: datetime | None, began: datetime | None
) -> Iterator[Event]:
    """Yield what a message tells; of the first one, when the simulation began where it tells no time of its own."""
    match word_of(message.get("role")):
        case "assistant" | "user" as role:
            said = Answered if role == AGENT else Asked
            if text := prose_of(message.get("content")):
                yield said(place=place, text=text, session=session, at=at or began)
            for call in bodies_of(message.get("tool_calls")):
                yield _called(call, role, place, session, at)
        case "tool":
            results = items_of(message.get("tool_messages")) or [message]
            for result in bodies_of(results):
                yield _returned(result, place, session, moment_of(result.get("timestamp")) or at)
        case role:
            yield Skipped(place=place, what=f"role {role!r}", known=role == "system")


def _called(call: Body, role: str, place: str, session: str | None, at: datetime | None) -> Called:
    function = body_of(call.get("function")) or call
    by = text_of(call.get("requestor")) or role
    return Called(
        place=place,
        call_id=text_of(call.get("id")),
        tool_name=text_of(function.get("name")) or "unnamed",
        arguments=function.get("arguments"),
        session=session,
        at=at,
        by=None if by == AGENT else by,
    )


def _returned(message: Body, place: str, session: str | None, at: datetime | None) -> Returned:
    return Returned(
        place=place,
        call_id=text_of(message.get("id")) or text_of(message.get("tool_call_id")),
        output=output_in(message.get("content")),
        failed=flag_of(message.get("error")),
        session=session,
        at=at,
    )


TAU2_BENCH = Format(
    name="tau2-bench",
    title="tau2-bench simulations",
    fits=_fits,
    read=_read,
    keys=frozenset({"simulations", "task_id", "messages", "turn_idx", "requestor", "termination_reason"}),
)
