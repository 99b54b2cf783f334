"""The three ports over any SQL database: each method builds parameters, runs statements and reads the answer.

What a database is (connections, transactions, its errors) is an `Engine`; its statements are `sql_text`.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import TypeVar

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import (
    SUMMED_ROWS,
    EvaluationStore,
    Fate,
    InvocationStore,
    KeyKeeper,
    SessionLine,
    StoreError,
    StoreFault,
    StoreUpkeep,
)
from groundtrace_adapters.stores.answer_rows import Answer, entries_from, session_line
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.faults import store_error, too_many
from groundtrace_adapters.stores.plain_values import INTEGERS, is_storable
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS, Record, RecordCodec
from groundtrace_adapters.stores.sql_sessions import session_rows
from groundtrace_adapters.stores.sql_summing import SqlSummaries
from groundtrace_adapters.stores.sql_text import statements_for
from groundtrace_adapters.stores.work import Work

Given = TypeVar("Given")
KEY_LENGTH = 32


class SqlStore(InvocationStore, EvaluationStore, KeyKeeper):
    """InvocationStore, EvaluationStore and KeyKeeper over an engine."""

    def __init__(self, engine: Engine, /) -> None:
        self._engine = engine
        self._sql = statements_for(engine.dialect)
        self._summaries = SqlSummaries(engine.dialect)

    def check(self) -> Result[None, StoreError]:
        """Tell whether the store can be reached and has the schema that this release knows."""
        found = self._engine.read("check", lambda work: work.fetch(self._sql.key, {}))
        return found.map(lambda _: None)

    def close(self) -> None:
        """Let go of everything held; a later call is refused as `unavailable`."""
        self._engine.close()

    def upkeep(self) -> StoreUpkeep:
        """Return what looks after the whole store."""
        # Few commands look after a store, and each would load this to read one row.
        from groundtrace_adapters.stores.upkeep.sql import SqlUpkeep

        return SqlUpkeep(self._engine)

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._engine.keep("append", INVOCATIONS, rows) if rows else result.Success(())

    @override
    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        page = {"session": session_id, "limit": _bounded(limit)}
        if after is None:
            return self._invocations("rows", self._sql.rows, page)
        place = INVOCATIONS.encode(after, operation="rows")
        return place.bind(
            lambda at: self._invocations(
                "rows", self._sql.rows_after, {**page, "at": at["started_at"], "seq": at["seq"], "id": at["id"]}
            )
        )

    @override
    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        wanted = sorted({id for id in ids if is_storable(id)})
        ends = {"least": wanted[0], "most": wanted[-1]} if wanted else {"least": "", "most": ""}
        asked = {"session": session_id, "ids": json.dumps(wanted), **ends}
        return self._records("find", INVOCATIONS, self._sql.rows_by_id, asked, bounded=True)

    @override
    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        if not is_storable(session_id):
            return result.Success(())
        found = self._engine.read("entries", lambda work: self._summaries.of_session(work, session_id), bounded=True)
        return found.bind(lambda answers: entries_from(answers, operation="entries", session_id=session_id))

    @override
    def entries_within(
        self, scope: SummaryScope, /, *, most: int = SUMMED_ROWS
    ) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        found = self._engine.read("entries_within", lambda work: self._summaries.within(work, scope, most=most))
        return found.bind(
            lambda answers: (
                result.Failure(too_many("entries_within", most))
                if answers is None
                else entries_from(answers, operation="entries_within", session_id="(one of several)")
            )
        )

    @override
    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        statements = (self._sql.sessions, self._sql.sessions_before)
        found = self._engine.read(
            "sessions", lambda work: session_rows(work, statements, before=before, limit=_bounded(limit))
        )
        return found.map(lambda answer: tuple(map(session_line, answer)))

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        return self._engine.keep("save", EVALUATIONS, [evaluation]).map(lambda fates: fates[0])

    @override
    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        page = {"session": session_id, "limit": INTEGERS[-1] if latest is None else _bounded(latest)}
        found = self._records("evaluations", EVALUATIONS, self._sql.latest_evaluations, page)
        return found.map(lambda newest_first: newest_first[::-1])

    @override
    def redaction_key(self) -> Result[bytes, StoreError]:
        def kept(work: Work) -> Answer:
            # Made outside the statement and kept by whoever comes first; the others read that one.
            work.fetch(self._sql.insert_key, {"key": secrets.token_bytes(KEY_LENGTH)})
            return work.fetch(self._sql.key, {})

        found = self._engine.read("redaction_key", lambda work: work.fetch(self._sql.key, {}))
        return found.bind(
            lambda answer: result.Success(answer) if answer else self._engine.write("redaction_key", kept)
        ).bind(_key)

    def _invocations(
        self, operation: str, statement: str, parameters: Mapping[str, object]
    ) -> Result[tuple[Invocation, ...], StoreError]:
        return self._records(operation, INVOCATIONS, statement, parameters)

    def _records(
        self,
        operation: str,
        codec: RecordCodec[Record],
        statement: str,
        parameters: Mapping[str, object],
        *,
        bounded: bool = False,
    ) -> Result[tuple[Record, ...], StoreError]:
        if not is_storable(str(parameters["session"])):
            return result.Success(())
        found = self._engine.read(operation, lambda work: work.fetch(statement, parameters), bounded=bounded)
        return found.bind(lambda answer: codec.decode_all(answer, operation=operation))


def _bounded(limit: int) -> int:
    return min(max(limit, 0), INTEGERS[-1])


def _key(answer: Answer) -> Result[bytes, StoreError]:
    found = bytes(answer[0][0]) if answer and isinstance(answer[0][0], bytes | memoryview) else b""
    if len(found) == KEY_LENGTH:
        return result.Success(found)
    return result.Failure(store_error(StoreFault.CORRUPT, "redaction_key", "the redaction key is not 32 bytes long"))
