"""A finished call as it waits for its row: an immutable snapshot, from which any thread may build the row later.

Only what could change is done here: parameters, details and retrievals are encoded, a large output is reduced. What
costs more (cleaning, redaction, hashing, preview) is `finish`, before anything of the call reaches a queue file, store,
log or model.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias, assert_never

from typing_extensions import override

from groundtrace import outcomes
from groundtrace.encoding import FrozenParams, freeze_params, frozen, output_of
from groundtrace.frozen import quick_constructor
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import NoEvidenceReason, Output
from groundtrace.retrieval import Retrieval
from groundtrace.row_building import PendingRow, RecordRules, Searched
from groundtrace.text import clean

__all__ = ["HELD", "OBJECTS", "PendingRow", "pending", "pending_retrieval", "row_weight"]

HELD = 64 * 1024
"""A call that weighs more, in bytes, is finished at once: a queue never holds large outputs."""

OBJECTS = 1_536
"""About what the objects of a waiting call, or of a row, take besides their longer texts, in bytes."""


class BegunCall(NamedTuple):
    """A call that has begun, with nothing in it that can change: clean ids, frozen parameters, a time in UTC."""

    session_id: str
    id: str
    turn_id: str | None
    seq: int
    tool_name: str
    topic_domain: str | None
    scope: str | None
    params: FrozenParams
    started_at: datetime
    details: FrozenParams = FrozenParams(None, 0)

    @override
    def __repr__(self) -> str:
        """Show nothing of what may hold secrets."""
        return f"BegunCall(session_id={self.session_id!r}, id={self.id!r})"


_waiting: Callable[
    [
        str,
        str,
        int,
        str | None,
        int,
        str,
        str | None,
        str | None,
        JsonValue,
        datetime,
        int | None,
        JsonValue,
        outcomes.Outcome,
        Searched | None,
        RecordRules,
        Invocation | None,
    ],
    PendingRow,
] = quick_constructor(PendingRow)


def pending(call: ToolCall, outcome: outcomes.Outcome, /, *, rules: RecordRules) -> PendingRow:
    """Return the snapshot of one call of an evidence tool; its `finish()` is the row that `record` returns."""
    return _pending(_begun(call), outcome, call.duration_ms, rules, _NOT_SEARCHED)


def pending_retrieval(
    call: ToolCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /, *, rules: RecordRules
) -> PendingRow:
    """Return the snapshot of one retrieval-aware call; `retrieval` is None when it failed before the search."""
    return _pending(_begun(call), outcome, call.duration_ms, rules, _searched(retrieval))


def pending_end(call: BegunCall, outcome: outcomes.Outcome, /, *, duration_ms: int, rules: RecordRules) -> PendingRow:
    """Return what `pending` does, of a call that was frozen when it began."""
    return _pending(call, outcome, duration_ms, rules, _NOT_SEARCHED)


def pending_retrieval_end(
    call: BegunCall,
    retrieval: Retrieval | None,
    outcome: outcomes.Outcome,
    /,
    *,
    duration_ms: int,
    rules: RecordRules,
) -> PendingRow:
    """Return what `pending_retrieval` does, of a call that was frozen when it began."""
    return _pending(call, outcome, duration_ms, rules, _searched(retrieval))


def row_weight(row: Invocation, /) -> int:
    """Return about how many bytes a row takes in memory."""
    return OBJECTS + _sizes(
        (row.input_params, row.output_preview, row.error_message, row.retrieval_details, row.details)
    )


def _begun(call: ToolCall) -> BegunCall:
    session_id, id = call.session_id, call.id
    if not type(session_id) is type(id) is str:
        session_id, id = _text(session_id), _text(id)
    return BegunCall(
        clean(session_id),
        clean(id),
        call.turn_id,
        call.seq,
        call.tool_name,
        call.topic_domain,
        call.scope,
        freeze_params(call.input_params),
        _utc(call.started_at),
        frozen(call.details) if call.details else _NO_DETAILS,
    )


_NO_DETAILS = FrozenParams(None, 0)
_Weighed: TypeAlias = tuple[Searched | None, int]
_NOT_SEARCHED: _Weighed = None, 0


def _pending(
    call: BegunCall, outcome: outcomes.Outcome, duration_ms: int | None, rules: RecordRules, searched: _Weighed
) -> PendingRow:
    session_id, id, turn_id, seq, tool_name, topic, scope, (params, size), started_at, (details, more) = call
    still, told = _still(outcome)
    found, most = searched
    tool_name = _text(tool_name)
    weight = OBJECTS + size + more + told + most + len(tool_name)
    if turn_id is not None:
        turn_id = _text(turn_id)
        weight += len(turn_id)
    if not (topic is scope is None):
        topic, scope = _text_if_any(topic), _text_if_any(scope)
        weight += _sizes((topic, scope))
    waiting = _waiting(
        session_id,
        id,
        weight,
        turn_id,
        seq,
        tool_name,
        topic,
        scope,
        params,
        started_at,
        duration_ms,
        details,
        still,
        found,
        rules,
        None,
    )
    return waiting if weight <= HELD else _finished(waiting)


_LET_GO = outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT)
"""Stands where an outcome was whose row is built already: the row says what it was."""


def _finished(waiting: PendingRow) -> PendingRow:
    """Return a call with its row in place of what was too large to wait."""
    row = waiting.finish()
    return replace(
        waiting,
        weight=row_weight(row),
        turn_id=None,
        tool_name=row.tool_name,
        topic_domain=None,
        scope=None,
        params=None,
        details=None,
        outcome=_LET_GO,
        searched=None,
        row=row,
    )


def _still(outcome: outcomes.Outcome) -> tuple[outcomes.Outcome, int]:
    """Return an outcome in which nothing can change, the same one as a rule, and the bytes of its texts."""
    if type(outcome) is outcomes.Success and type(outcome.output) is str and not outcome.partial:
        return outcome, outcome.output.__sizeof__()
    match outcome:
        case outcomes.Success():
            text, notes = _output(outcome.output), tuple(map(_text, outcome.partial))
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
    return sum([text.__sizeof__() for text in texts if text is not None])


def _text(text: str) -> str:
    """Return a text that is no more than that, whatever class of its own the caller's has."""
    return text if type(text) is str else str.__str__(text)


def _text_if_any(text: str | None) -> str | None:
    return text if text is None or type(text) is str else str.__str__(text)


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


def _searched(retrieval: Retrieval | None) -> _Weighed:
    """Return the columns of a retrieval, and the bytes of what it tells."""
    if retrieval is None:
        return _NOT_SEARCHED
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
