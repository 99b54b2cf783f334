"""A finished call as it waits for its row: an immutable snapshot, from which any thread may build the row later.

Only what could change is done here: parameters, details and retrievals are encoded, a large output is reduced. What
costs more (cleaning, redaction, hashing, preview) is `finish`, before anything of the call reaches a queue file, store,
log or model.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import assert_never

from groundtrace import outcomes
from groundtrace.encoding import FrozenParams, freeze_params, frozen, output_of
from groundtrace.frozen import quick_constructor
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.outcomes import Output
from groundtrace.retrieval import Retrieval
from groundtrace.row_building import RecordRules, Searched, Snapshot, build
from groundtrace.text import clean

HELD = 64 * 1024
"""A snapshot that weighs more, in bytes, is finished at once: a queue never holds large outputs."""

OBJECTS = 1_536
"""About what the objects of a snapshot or a row take besides its longer texts, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PendingRow:
    """A call whose row is not built yet; neither its tool nor its caller can change it any more.

    `weight` is about how many bytes it holds in memory. Until it is finished it holds secrets, and it shows none.
    """

    session_id: str
    id: str
    weight: int
    _kept: Snapshot | Invocation = field(repr=False)

    def finish(self) -> Invocation:
        """Return the row: total, and equal however often and in whatever thread it is asked for."""
        kept = self._kept
        return build(kept) if isinstance(kept, Snapshot) else kept


_NO_DETAILS = FrozenParams(None, 0)
_waiting: Callable[[str, str, int, Snapshot | Invocation], PendingRow] = quick_constructor(PendingRow)


def pending(call: ToolCall, outcome: outcomes.Outcome, /, *, rules: RecordRules) -> PendingRow:
    """Return the snapshot of one call of an evidence tool; its `finish()` is the row that `record` returns."""
    return _pending(call, outcome, None, 0, rules)


def pending_retrieval(
    call: ToolCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /, *, rules: RecordRules
) -> PendingRow:
    """Return the snapshot of one retrieval-aware call; `retrieval` is None when it failed before the search."""
    searched, weight = (None, 0) if retrieval is None else _searched(retrieval)
    return _pending(call, outcome, searched, weight, rules)


def row_weight(row: Invocation, /) -> int:
    """Return about how many bytes a row takes in memory."""
    return OBJECTS + _sizes(
        (row.input_params, row.output_preview, row.error_message, row.retrieval_details, row.details)
    )


def _pending(
    call: ToolCall, outcome: outcomes.Outcome, searched: Searched | None, weight: int, rules: RecordRules
) -> PendingRow:
    params, size = freeze_params(call.input_params)
    details, more = frozen(call.details) if call.details else _NO_DETAILS
    still, told = _still(outcome)
    session_id, id, tool_name = call.session_id, call.id, call.tool_name
    turn_id, topic, scope = call.turn_id, call.topic_domain, call.scope
    if not type(session_id) is type(id) is type(tool_name) is str:
        session_id, id, tool_name = _text(session_id), _text(id), _text(tool_name)
    snapshot = Snapshot(
        clean(session_id),
        clean(id),
        None if turn_id is None else _text(turn_id),
        call.seq,
        tool_name,
        None if topic is None else _text(topic),
        None if scope is None else _text(scope),
        params,
        _utc(call.started_at),
        call.duration_ms,
        details,
        still,
        searched,
        rules,
    )
    weight += OBJECTS + size + more + told + len(tool_name)
    if not (turn_id is topic is scope is None):
        weight += _sizes((turn_id, topic, scope))
    if weight <= HELD:
        return _waiting(snapshot.session_id, snapshot.id, weight, snapshot)
    row = build(snapshot)
    return _waiting(row.session_id, row.id, row_weight(row), row)


def _still(outcome: outcomes.Outcome) -> tuple[outcomes.Outcome, int]:
    """Return an outcome in which nothing can change, the same one as a rule, and the bytes of its texts."""
    match outcome:
        case outcomes.Success():
            text = outcome.output
            if not outcome.partial and (type(text) is str or type(text) is bytes):
                return outcome, text.__sizeof__()
            text, notes = _output(text), tuple(map(_text, outcome.partial))
            return replace(outcome, output=text, partial=notes), _sizes((text, *notes))
        case outcomes.NoEvidence():
            output, notes = _output_if_any(outcome.output), tuple(map(_text, outcome.partial))
            return replace(outcome, output=output, partial=notes), _sizes((output, *notes))
        case outcomes.Deduped():
            references = tuple(map(_text, outcome.of))
            return replace(outcome, of=references), _sizes(references)
        case outcomes.Failure():
            output, message = _output_if_any(outcome.output), _text(outcome.message)
            return replace(outcome, output=output, message=message), _sizes((output, message))
        case _:
            assert_never(outcome)


def _sizes(texts: Iterable[Output | None]) -> int:
    return sum(text.__sizeof__() for text in texts if text is not None)


def _text(text: str) -> str:
    """Return a text that is no more than that, whatever class of its own the caller's has."""
    return text if type(text) is str else str.__str__(text)


def _output(output: object) -> Output:
    """Return an output that nobody can change: what is neither text nor bytes is copied or encoded."""
    if type(output) is str or type(output) is bytes:
        return output
    if isinstance(output, str):
        return str.__str__(output)
    if isinstance(output, bytes | bytearray | memoryview):
        return bytes(memoryview(output))
    return output_of(output)


def _output_if_any(output: Output | None) -> Output | None:
    return None if output is None else _output(output)


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; on the first and last day of the calendar, where that cannot be told, as it stands."""
    if type(moment) is datetime and moment.tzinfo is UTC:
        return moment
    bare = datetime.combine(datetime.date(moment), datetime.timetz(moment))
    try:
        return bare.astimezone(UTC)
    except Exception:  # noqa: BLE001 - it overflows, or a foreign zone raises whatever it likes
        return bare.replace(tzinfo=UTC)


def _searched(retrieval: Retrieval) -> tuple[Searched, int]:
    """Return the columns of a retrieval, and the bytes of what it tells."""
    told, weight = frozen(
        {
            "mode": retrieval.mode,
            "floor": retrieval.floor,
            "filters": retrieval.filters,
            "index_revision": retrieval.index_revision,
            "l2_count": retrieval.l2_count,
            "hits": [
                {
                    "uri": hit.uri,
                    "layer": hit.layer,
                    "score": hit.score,
                    "coverage": hit.coverage,
                    "content_hash": hit.content_hash,
                }
                for hit in retrieval.hits
            ],
        }
    )
    return Searched(retrieval.layer, retrieval.l0_count, retrieval.l1_count, retrieval.relevance, told), weight
