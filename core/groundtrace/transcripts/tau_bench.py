"""tau-bench: a list of trajectories, each a task's conversation as chat messages (`traj`)."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.chat_messages import LOOKED_AT, chat_events, is_message
from groundtrace.transcripts.events import Ended, Event, Format, Record, Skipped
from groundtrace.transcripts.fields import Body, body_of, items_of


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    return "task_id" in body and any(map(is_message, items_of(body.get("traj"))[:LOOKED_AT]))


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        if not isinstance(body.get("traj"), list):
            yield Skipped(place=record.place, what="no trajectory", known=False)
            continue
        session = session_of(body, record.place)
        for number, message in enumerate(items_of(body["traj"]), start=1):
            yield from chat_events(body_of(message), f"{record.place} message {number}".strip(), session=session)
        yield Ended(session=session)


def session_of(body: Body, place: str, /) -> str | None:
    """Return the name of a run by its task and trial, or by where it stands."""
    numbers = [body.get(name) for name in ("task_id", "trial")]
    told = [str(one) for one in numbers if isinstance(one, int | str) and not isinstance(one, bool)]
    return f"task {' trial '.join(told)}" if told else place or None


TAU_BENCH = Format(
    name="tau-bench",
    title="tau-bench trajectories",
    fits=_fits,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"task_id", "trial", "reward", "traj", "info"}),
)
