"""inspect logs: a whole log, or the sample files of an `.eval` archive; each sample is a session of its own.

A sample tells a call in its messages and again as a `tool` event, which alone has times. Both are read as one call.
"""

from collections.abc import Iterable, Iterator

from groundtrace.encoding import frozen
from groundtrace.json_text import JsonValue, canonical, fingerprint_of
from groundtrace.transcripts.events import Answered, Asked, Ended, Event, Format, Record, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, prose_of, text_of, word_of
from groundtrace.transcripts.inspect_calls import (
    InspectCall,
    ToolEvents,
    answer_in,
    called_in,
    calls_of,
    resolved,
    returned_in,
    server_calls,
)

_SAMPLE = frozenset({"id", "epoch"})
_RUN_NAMES = ("run_id", "task_id", "created")
_ID_CHARACTERS = 16


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    return _is_log(body) or _is_sample(body) or _is_aside(body)


def _is_log(body: Body) -> bool:
    return isinstance(body.get("eval"), dict) and bool({"plan", "samples", "status"} & body.keys())


def _is_sample(body: Body) -> bool:
    told = isinstance(body.get("messages"), list) or isinstance(body.get("events"), list)
    return body.keys() >= _SAMPLE and told and bool({"target", "scores", "output", "model_usage"} & body.keys())


def _is_aside(body: Body) -> bool:
    """Tell whether this is a summary or a reduction, which an archive holds beside its samples."""
    summary = body.keys() >= _SAMPLE and {"input", "target"} <= body.keys()
    return summary or ("scorer" in body and isinstance(body.get("samples"), list))


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        if _is_log(body):
            yield from _log(body, record.place)
        elif _is_sample(body):
            yield from _sample(body, record.place, _session(body, {}))
        else:
            what = "summary" if _is_aside(body) else f"type {body.get('type')!r}"
            yield Skipped(place=record.place, what=what, known=_is_aside(body))


def _log(log: Body, place: str) -> Iterator[Event]:
    run = body_of(log["eval"])
    samples = items_of(log.get("samples"))
    if not samples:
        yield Skipped(place=place, what="a log without samples", known=True)
    for number, value in enumerate(samples, start=1):
        where = f"{place} sample {number}".strip()
        sample = body_of(value)
        if sample:
            yield from _sample(sample, where, _session(sample, run))
        else:
            yield Skipped(place=where, what="sample that is no object", known=False)


def _session(sample: Body, run: Body) -> str:
    """Return the sample's own id; in older logs that of its run, the sample and the epoch, or what it holds."""
    own = text_of(sample.get("uuid"))
    if own:
        return own
    told = [text_of(run.get(name)) or "" for name in _RUN_NAMES]
    whole = canonical(frozen([*told] if any(told) else [sample.get("input"), sample.get("messages")]).value)
    name = "/".join(str(sample.get(part)) for part in ("id", "epoch") if isinstance(sample.get(part), str | int))
    return f"{name or 'sample'}-{fingerprint_of(whole)[:_ID_CHARACTERS]}"


def _sample(sample: Body, place: str, session: str) -> Iterator[Event]:
    files = body_of(sample.get("attachments"))
    events = ToolEvents(sample.get("events"))
    told: list[InspectCall] = []
    for number, value in enumerate(items_of(sample.get("messages")), start=1):
        message, where = body_of(value), f"{place} message {number}".strip()
        yield from _message(message, where, session, files, events, told)
    for call in told:
        if call.open and call.event is not None and events.finished(call.event):
            yield returned_in(call.event, call.event.get("result"), call, files, place=place, session=session)
    yield from _alone(events, files, f"{place} event".strip(), session)
    text = answer_in(body_of(sample.get("output")), files)
    if text:
        yield Answered(place=place, text=text, session=session, at=moment_of(sample.get("completed_at")))
    yield Ended(session=session)
    for number, retried in enumerate(bodies_of(sample.get("error_retries")), start=1):
        attempt = f"{session}/attempt-{number}"
        yield from _alone(ToolEvents(retried.get("events")), files, f"{place} attempt {number}".strip(), attempt)
        yield Ended(session=attempt)


def _alone(events: ToolEvents, files: Body, place: str, session: str) -> Iterator[Event]:
    """Yield the calls that no message tells of."""
    for event in events.rest():
        call = InspectCall(call_id=text_of(event.get("id")), event=event)
        yield called_in(event, call, files, place=place, session=session)
        if events.finished(event):
            yield returned_in(event, event.get("result"), call, files, place=place, session=session)


def _message(
    message: Body, place: str, session: str, files: Body, events: ToolEvents, told: list[InspectCall]
) -> Iterator[Event]:
    content = resolved(message.get("content"), files)
    match word_of(message.get("role")):
        case "user":
            yield Asked(place=place, text=prose_of(content), session=session)
        case "assistant":
            yield Answered(place=place, text=prose_of(content), session=session)
            yield from server_calls(bodies_of(content), place, session)
            for body in calls_of(message):
                call = InspectCall(call_id=text_of(body.get("id")), event=events.take(body))
                told.append(call)
                yield called_in(body, call, files, place=place, session=session)
        case "tool":
            call_id = text_of(message.get("tool_call_id"))
            found = next((one for one in told if one.open and one.call_id == call_id), InspectCall(call_id=call_id))
            found.open = False
            yield returned_in(message, content, found, files, place=place, session=session)
        case "system":
            yield Skipped(place=place, what="system", known=True)
        case role:
            yield Skipped(place=place, what=f"role {role!r}", known=False)


INSPECT = Format(
    name="inspect",
    title="inspect logs",
    fits=_fits,
    read=_read,
    keys=frozenset({"eval", "plan", "samples", "epoch", "messages", "events", "scores", "target"}),
)
