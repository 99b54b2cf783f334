"""What a turn may rest on: its rows after the barrier, as the store holds them, numbered for the models."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar, assert_never

from returns.result import Result

from groundtrace.coverage import Covered, ExpectedSource, coverage_of
from groundtrace.entries import EvidenceEntry
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Deduped
from groundtrace.ports import Flushed, RowSink, StoreError
from groundtrace.roles import Shown
from groundtrace.showing import label_rows
from groundtrace.summary import describe_entry, entries_of, summarize
from groundtrace.text import is_blank
from groundtrace.wording import age_words
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.turn import Done, Gathered, Reach, Setting
from groundtrace_app.deadline import within
from groundtrace_app.loop import in_own_thread
from groundtrace_app.trace_summary import ToolTraceSummaryService, TurnTrace

_log = CarefulLog("groundtrace.chat")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The material of one verification.

    `readable` is False where the store could not be read: then `shown` is what this process remembers, for the reply
    alone. `lost` are ids of rows of the turn that are neither stored nor spooled, and one word for each call
    that left no row at all.
    """

    shown: tuple[Shown, ...]
    rows: tuple[Invocation, ...]
    covered: tuple[Covered, ...]
    entries: tuple[EvidenceEntry, ...]
    earlier: tuple[str, ...]
    lost: frozenset[str]
    readable: bool


class EvidenceDesk:
    """Collects the evidence of turns from the sink's barrier and the store."""

    def __init__(
        self,
        *,
        sink: RowSink,
        traces: ToolTraceSummaryService,
        expected: Sequence[ExpectedSource],
        flush_seconds: float,
        now: Callable[[], datetime],
    ) -> None:
        """Expect these sources for coverage; wait at most `flush_seconds` at the barrier and for each read."""
        self._sink = sink
        self._traces = traces
        self._expected = tuple(expected)
        self._seconds = flush_seconds
        self._now = now

    @property
    def expected(self) -> tuple[ExpectedSource, ...]:
        """Return the sources that could have been asked."""
        return self._expected

    async def settle(self, setting: Setting, gathered: Gathered, /) -> Evidence:
        """Wait at the barrier, read the turn's rows back, and number them."""
        flushed = await self._flush(setting.session_id)
        ids = tuple(done.row.id for done in gathered.calls if done.row is not None)
        trace = await in_thread(lambda: self._turn(setting, ids), self._seconds)
        read = None if trace is None else trace.value_or(None)
        if read is None:
            return self._remembered(gathered, flushed)
        evidence = self._read(gathered, flushed, read)
        return replace(evidence, lost=evidence.lost | _unseen(setting, gathered, flushed, read))

    def _turn(self, setting: Setting, ids: Sequence[str]) -> Result[TurnTrace, StoreError]:
        match setting.reach:
            case Reach.MADE:
                return self._traces.turn(setting.session_id, ids)
            case Reach.TURN:
                return self._traces.recorded(setting.session_id, ids, turn_id=setting.turn_id)
            case Reach.SESSION:
                return self._traces.recorded(setting.session_id, ids, turn_id=None)
            case _:
                assert_never(setting.reach)

    async def _flush(self, session_id: str) -> Flushed | None:
        return await in_thread(lambda: self._sink.flush(session_id, deadline=self._seconds), self._seconds + 1)

    def _read(self, gathered: Gathered, flushed: Flushed | None, trace: TurnTrace) -> Evidence:
        """Join what the store holds with what this process knows; a row that is in neither place is lost."""
        held = {row.id for row in trace.rows}
        own = [done.row for done in gathered.calls if done.row is not None]
        spooled = frozenset(
            row.id for row in own if row.id in (flushed.spooled if flushed else ()) and row.id not in held
        )
        lost = frozenset(row.id for row in own if row.id not in held and row.id not in spooled)
        refused = frozenset(flushed.lost) & {row.id for row in own} if flushed else frozenset()
        lost |= refused
        by_id = {row.id: row for row in (*own, *trace.rows)}
        missing = frozenset(f"unrecorded-{number}" for number, done in enumerate(gathered.calls) if done.row is None)
        rows = tuple(by_id.values())
        return Evidence(
            shown=self._label(rows, trace.repeated, gathered.calls, spooled=spooled, lost=lost),
            rows=(*rows, *trace.repeated),
            covered=coverage_of((*rows, *trace.repeated), self._expected),
            entries=entries_of(summarize((*rows, *trace.repeated))),
            earlier=self._earlier(trace.earlier),
            lost=lost | missing,
            readable=True,
        )

    def _remembered(self, gathered: Gathered, flushed: Flushed | None) -> Evidence:
        rows = tuple(done.row for done in gathered.calls if done.row is not None)
        spooled = flushed.spooled if flushed else frozenset()
        lost = frozenset(row.id for row in rows) - spooled
        return Evidence(
            shown=self._label(rows, (), gathered.calls, spooled=spooled, lost=lost),
            rows=rows,
            covered=coverage_of(rows, self._expected),
            entries=(),
            earlier=(),
            lost=lost,
            readable=False,
        )

    def _label(
        self,
        rows: Sequence[Invocation],
        repeated: Sequence[Invocation],
        calls: Sequence[Done],
        *,
        spooled: Collection[str],
        lost: Collection[str],
    ) -> tuple[Shown, ...]:
        whole = whole_texts(calls)
        return label_rows(rows, repeated=repeated, whole=whole, spooled=spooled, lost=lost, now=self._now())

    def _earlier(self, merged: Sequence[EvidenceEntry]) -> tuple[str, ...]:
        now = self._now()
        return tuple(
            f"{entry.tool_name} about {entry.topic_domain}: {describe_entry(entry)} "
            f"({age_words((now - entry.last_at).total_seconds())} ago)"
            for entry in merged
        )


def _unseen(setting: Setting, gathered: Gathered, flushed: Flushed | None, trace: TurnTrace) -> frozenset[str]:
    """Return rows that others recorded, perhaps in this turn, and that nobody could read: none is passed over."""
    if setting.reach is Reach.MADE:
        return frozenset()
    if flushed is None:
        return frozenset({"unflushed"})
    known = {row.id for row in trace.rows} | {done.row.id for done in gathered.calls if done.row is not None}
    return (flushed.spooled | frozenset(flushed.lost)) - known - setting.elsewhere


def whole_texts(calls: Sequence[Done], /) -> Mapping[str, str]:
    """Return whole outputs by row id; a repeat of one call lends it its text, all of which that call gave."""
    held: dict[str, str] = {}
    for done in calls:
        if done.row is None or not done.whole:
            continue
        repeated = _repeated_whole(done)
        if repeated is not None:
            held.setdefault(repeated, done.text)
        held[done.row.id] = done.text
    return held


def _repeated_whole(done: Done) -> str | None:
    """Return the id of the one call whose result an ended call gave again; None where it repeats several."""
    match done.outcome:
        case Deduped(of=(sole,)) if not is_blank(done.text):
            return sole
        case _:
            return None


async def in_thread(work: Callable[[], T], seconds: float, /) -> T | None:
    """Run blocking work in a thread of its own; None if it raises or takes longer, which is logged."""
    try:
        return await within(in_own_thread(work), seconds)
    except Exception as fault:  # noqa: BLE001 - a store or sink that breaks its port must not break the turn
        _log.error("the trace could not be reached: %s", type(fault).__name__)
        return None
