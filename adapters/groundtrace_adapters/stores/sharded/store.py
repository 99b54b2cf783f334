"""The store on several PostgreSQL servers: hash partitions by session, reached through one entry (docs/sharding.md).

Each data server is spoken to over connections of its own, in transactions of its own: one that is away costs its own
sessions and no others. What is asked of all sessions at once, such as their list, needs every server.
"""

from collections.abc import Sequence

from returns import result
from returns.pipeline import is_successful
from returns.result import Result
from typing_extensions import override

from groundtrace.entries import EvidenceEntry
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, SessionLine, StoreError, StoreUpkeep
from groundtrace.summary import entries_of
from groundtrace.upkeep import DataServer
from groundtrace_adapters.stores.answer_rows import session_line
from groundtrace_adapters.stores.plain_values import INTEGERS, is_storable
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS, Record, RecordCodec
from groundtrace_adapters.stores.sharded.entry import EntryEngine
from groundtrace_adapters.stores.sharded.entry_facts import READ_FACTS, summary_from
from groundtrace_adapters.stores.sharded.entry_rows import BINDINGS, Values
from groundtrace_adapters.stores.sharded.entry_text import DECISIONS, SESSIONS, SESSIONS_BEFORE
from groundtrace_adapters.stores.sharded.placement import PROBES, READ_PARTITIONS, Placement, grouped, placement_from
from groundtrace_adapters.stores.sharded.servers import ask_servers, asking
from groundtrace_adapters.stores.sharded.upkeep import ShardedUpkeep
from groundtrace_adapters.stores.sql_store import SqlStore
from groundtrace_adapters.stores.work import Work

DEFAULT_LIMITS = PostgresLimits(max_connections=4)
"""A pool for each data server and one for the entry: together they hold so many connections times that."""


class ShardedPostgresStore(SqlStore):
    """InvocationStore, EvaluationStore and KeyKeeper over the entry of several servers.

    `append` is not one transaction where its rows live on several servers: after a Failure some of them may be kept,
    and appending all of them again is safe, as the port says.
    """

    def __init__(self, dsn: str, /, *, limits: PostgresLimits = DEFAULT_LIMITS) -> None:
        """Connect to nothing yet; `dsn` is the entry's, with the schema of `sharded/fdw.sql`."""
        entry = EntryEngine(dsn, limits)
        super().__init__(entry)
        self._entry = entry
        self._dsn = dsn
        self._limits = limits
        self._placement: Placement | None = None
        self._ways: dict[str, Way] = {}
        self._closed = False

    def shard_of(self, session_id: str, /) -> str | None:
        """Return the server that keeps a session, None until the entry has been reached once. Asks nobody."""
        known = self._placement
        return None if known is None else known.server_of(session_id)

    def servers(self) -> Result[tuple[DataServer, ...], StoreError]:
        """Ask each server, all at once, and tell which of them answer; fails where the entry does not."""
        return self._known_placement("servers").map(
            lambda placement: ask_servers(placement, lambda: Way(self._dsn, asking(self._limits)))
        )

    @override
    def check(self) -> Result[None, StoreError]:
        return super().check().bind(lambda _: self._known_placement("check")).map(lambda _: None)

    @override
    def redaction_key(self) -> Result[bytes, StoreError]:
        # Whoever records asks for it first, and then knows where the rows will go.
        key = super().redaction_key()
        return key.bind(lambda found: self._known_placement("redaction_key").map(lambda _: found))

    @override
    def close(self) -> None:
        self._closed = True
        super().close()
        for way in tuple(self._ways.values()):
            way.close()

    @override
    def upkeep(self) -> StoreUpkeep:
        return ShardedUpkeep(
            self._entry, save_all=lambda given: self._keep_all("save_all", EVALUATIONS, given), servers=self.servers
        )

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._keep_all("append", INVOCATIONS, rows)

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        return self._keep_all("save", EVALUATIONS, [evaluation]).map(lambda fates: fates[0])

    @override
    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        return self._way("rows", session_id).bind(lambda way: way.rows(session_id, after=after, limit=limit))

    @override
    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        return self._way("find", session_id).bind(lambda way: way.find(session_id, ids))

    @override
    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        return self._way("entries", session_id).bind(lambda way: way.entries(session_id))

    @override
    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        return self._way("evaluations", session_id).bind(lambda way: way.evaluations(session_id, latest=latest))

    @override
    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        statement, page = SESSIONS, _page(limit)
        if before is not None:
            statement = SESSIONS_BEFORE
            page |= {"before_at": before.last_at, "before_id": before.session_id}

        def listed(work: Work) -> tuple[SessionLine, ...]:
            lines = work.fetch(statement, page)
            told = work.fetch(DECISIONS, {"sessions": [line[0] for line in lines]}) if lines else ()
            decided = {line[0]: line[1] for line in told}
            return tuple(session_line((*line, decided.get(line[0]))) for line in lines)

        return self._entry.read("sessions", listed)

    def _keep_all(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record]
    ) -> Result[tuple[Fate, ...], StoreError]:
        if not records:
            return result.Success(())
        # All of them before any is sent: a record that no store can keep refuses its batch whole.
        return codec.as_values(records, BINDINGS, operation=operation).bind(
            lambda values: self._known_placement(operation).bind(
                lambda placement: self._kept_apart(operation, codec, records, values, placement)
            )
        )

    def _kept_apart(
        self,
        operation: str,
        codec: RecordCodec[Record],
        records: Sequence[Record],
        values: Sequence[Values],
        placement: Placement,
    ) -> Result[tuple[Fate, ...], StoreError]:
        """Give each server its own records, and go on to the next one where a server refuses."""
        fates: dict[int, Fate] = {}
        refusals: list[StoreError] = []
        for server, places in grouped((record.session_id for record in records), placement).items():
            kept = self._way_to(server).engine.keep_values(
                operation, codec, [records[place] for place in places], [values[place] for place in places]
            )
            if is_successful(kept):
                fates.update(zip(places, kept.unwrap(), strict=True))
            else:
                refusals.append(kept.failure())
        if refusals:
            return result.Failure(refusals[0])
        return result.Success(tuple(fates[place] for place in range(len(records))))

    def _way(self, operation: str, session_id: str) -> "Result[Way, StoreError]":
        return self._known_placement(operation).map(lambda placement: self._way_to(placement.server_of(session_id)))

    def _known_placement(self, operation: str) -> Result[Placement, StoreError]:
        known = self._placement
        if known is not None and not self._closed:
            return result.Success(known)
        asked = self._entry.read(operation, lambda work: work.fetch(READ_PARTITIONS, {"probes": list(PROBES)}))
        return asked.map(placement_from).map(self._remember)

    def _remember(self, placement: Placement) -> Placement:
        self._placement = placement
        return placement

    def _way_to(self, server: str) -> "Way":
        way = self._ways.get(server)
        # Two threads may make one each: a way that is not used has connected to nothing.
        return way if way is not None else self._ways.setdefault(server, Way(self._dsn, self._limits))


class Way(SqlStore):
    """The way to one data server: a store of what it keeps, over connections of its own."""

    def __init__(self, dsn: str, limits: PostgresLimits, /) -> None:
        """Connect to nothing yet."""
        self.engine = EntryEngine(dsn, limits)
        super().__init__(self.engine)

    @override
    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        """Sum up at this end what one statement brings: each further one is five more ways to the data server."""
        if not is_storable(session_id):
            return result.Success(())
        found = self.engine.run(
            "entries", lambda one: one.execute(READ_FACTS.encode(), {"session": session_id}).fetchall(), level=None
        )
        # Rows that other programs wrote are classified in SQL, from columns that are not read here.
        return found.map(summary_from).bind(
            lambda known: super(Way, self).entries(session_id) if known is None else result.Success(entries_of(known))
        )


def _page(limit: int) -> dict[str, object]:
    return {"limit": min(max(limit, 0), INTEGERS[-1])}
