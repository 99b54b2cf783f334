"""Upkeep over any SQL database: pages over the whole store, retention in bounded transactions, evaluations at once."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreError, StoreUpkeep
from groundtrace.upkeep import Page, Pruned, RecordKey, Selection, StoreStats
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.plain_values import is_storable
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS, Record, RecordCodec
from groundtrace_adapters.stores.upkeep.pages import page_of
from groundtrace_adapters.stores.upkeep.retention import Line, dry, line_from, pruned, share_of
from groundtrace_adapters.stores.upkeep.stats import SqlFigures
from groundtrace_adapters.stores.upkeep.text import page_statements, upkeep_statements
from groundtrace_adapters.stores.work import Work

SESSIONS_LOOKED_AT = 500
"""So many sessions one step of retention looks at."""

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


class SqlUpkeep(StoreUpkeep):
    """StoreUpkeep over an engine."""

    def __init__(self, engine: Engine, /) -> None:
        self._engine = engine
        self._sql = upkeep_statements(engine.dialect)

    @override
    def invocations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Invocation], StoreError]:
        return self._page("invocations", INVOCATIONS, chosen, after, limit)

    @override
    def evaluations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Evaluation], StoreError]:
        return self._page("evaluations", EVALUATIONS, chosen, after, limit)

    @override
    def save_all(self, evaluations: Sequence[Evaluation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._engine.keep("save_all", EVALUATIONS, evaluations) if evaluations else result.Success(())

    @override
    def prune(
        self, before: datetime, /, *, after: str = "", limit: int = 1_000, dry_run: bool = False
    ) -> Result[Pruned, StoreError]:
        page = {"after": after, "before": before, "most": SESSIONS_LOOKED_AT}
        looked = self._engine.read("prune", lambda work: [line_from(row) for row in work.fetch(self._sql.walk, page)])
        if dry_run:
            return looked.map(lambda lines: dry(lines, before, whole=len(lines) < SESSIONS_LOOKED_AT))
        return looked.bind(lambda lines: self._prune(lines, before, after, max(limit, 1)))

    @override
    def stats(self, *, exact: bool = False) -> Result[StoreStats, StoreError]:
        return SqlFigures(self._engine, self._sql).stats(exact=exact)

    def _page(
        self, operation: str, codec: RecordCodec[Record], chosen: Selection, after: RecordKey | None, limit: int
    ) -> Result[Page[Record], StoreError]:
        if not is_storable(chosen.session_id or ""):
            return result.Success(Page(records=()))
        sql = page_statements(codec.table, self._engine.dialect, one_session=chosen.session_id is not None)
        session = (after.session_id if after else "") if chosen.session_id is None else chosen.session_id
        place = {"session": session, "id": after.id if after else "", "limit": max(limit, 1)}
        if chosen.since is None and chosen.until is None:
            found = self._engine.read(operation, lambda work: work.fetch(sql.page, place))
            return found.map(lambda answer: page_of(codec, answer, operation, full=len(answer) == place["limit"]))
        times = {"since": chosen.since or EARLIEST, "until": chosen.until or LATEST}

        def between(work: Work) -> Page[Record]:
            ends = work.fetch(sql.end, {**place, "skipped": max(limit, 1) - 1})
            if not ends:
                # Fewer than `limit` are left: all of them, whatever their key.
                return page_of(codec, work.fetch(sql.rest, {**place, **times}), operation, full=False)
            end = RecordKey(session_id=str(ends[0][0]), id=str(ends[0][1]))
            bounds = {"end_session": end.session_id, "end_id": end.id}
            return page_of(codec, work.fetch(sql.chosen, {**place, **times, **bounds}), operation, end=end)

        return self._engine.read(operation, between)

    def _prune(self, lines: Sequence[Line], before: datetime, after: str, limit: int) -> Result[Pruned, StoreError]:
        share = share_of(lines, before, limit)
        whole = len(lines) < SESSIONS_LOOKED_AT and share.looked_at == len(lines)
        if not share.sessions:
            return result.Success(share.done(whole=whole))
        removed = self._engine.write("prune", lambda work: self._removed(work, share.sessions, before, limit))
        return removed.map(
            lambda gone: pruned(share, len({*gone[0], *gone[1]}), len(gone[1]), len(gone[0]), after=after, whole=whole)
        )

    def _removed(
        self, work: Work, sessions: Sequence[str], before: datetime, limit: int
    ) -> tuple[Sequence[object], Sequence[object]]:
        """Remove so many records of sessions that are still old; return the sessions of evaluations and of rows."""
        given = {"sessions": json.dumps(sessions), "before": before}
        first = work.fetch(self._sql.prune_evaluations, {**given, "limit": limit})
        then = work.fetch(self._sql.prune_rows, {**given, "limit": limit - len(first)})
        return [row[0] for row in first], [row[0] for row in then]
