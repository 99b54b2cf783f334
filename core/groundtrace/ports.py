"""What the core needs of the world, as protocols; each docstring is an obligation that a contract test checks.

Stores and sinks are synchronous: only writer threads and the command line call them. Models and sources are
asynchronous. No method raises for an expected failure; it returns a value of ours. A call may come from any thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from returns.result import Result

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.pending_row import PendingRow
from groundtrace.roles import ModelError, ModelReply, ModelRequest
from groundtrace.sources import (
    Description,
    KnowledgeAnswer,
    KnowledgeQuery,
    LogAnswer,
    LogQuery,
    MetricAnswer,
    MetricQuery,
    Passage,
    SourceError,
)
from groundtrace.upkeep import Page, Pruned, RecordKey, Selection, StoreStats


class StoreFault(StrEnum):
    """Why a store did not do what it was asked; the first four may pass by themselves."""

    UNAVAILABLE = "unavailable"
    LOCKED = "locked"
    TIMED_OUT = "timed_out"
    FULL = "full"
    READ_ONLY = "read_only"
    NEWER_SCHEMA = "newer_schema"
    NOT_MIGRATED = "not_migrated"
    REFUSED_ROW = "refused_row"
    CORRUPT = "corrupt"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreError:
    """A store's refusal: the operation, what went wrong and how to mend it; never parameters, rows or secrets."""

    fault: StoreFault
    operation: str
    message: str
    retryable: bool


class Fate(StrEnum):
    """What became of one appended row: kept (or kept before with the same content), or refused as another's key."""

    STORED = "stored"
    ID_CONFLICT = "id_conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """One session in a listing: its first and last time (UTC), its number of rows, and its latest decision."""

    session_id: str
    first_at: datetime
    last_at: datetime
    rows: int
    decision: str | None


SUMMED_ROWS = 100_000
"""The most rows of a summary over many sessions or a time, unless its caller says otherwise."""


class InvocationStore(Protocol):
    """Keeps rows of `tool_invocation`; append-only."""

    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        """Keep rows, all in one transaction, and return one fate a row in the order given.

        The same key with the same content again is `stored` and kept once; with other content it is `id_conflict`,
        the first row stays as it was and the neighbours are kept. The same holds inside one batch. After a Failure
        none of them is known to be kept, and appending them again is safe.
        """

    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        """Return at most `limit` rows of a session in the order (`started_at`, `seq`, `id`), behind `after` if given.

        Each row equals the one appended, field by field. An unknown session has no rows.
        """

    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        """Return those rows of the session whose id is among `ids`, in the order of `rows`; unknown ids are absent."""

    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        """Return the summary of a session computed where the rows are; equal to the pure one, sorted by tool, topic."""

    def entries_within(
        self, scope: SummaryScope, /, *, most: int = SUMMED_ROWS
    ) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        """Return the summary of many sessions or of a time as one; equal to the pure one over all its rows.

        A summary is whole or none: a scope that holds more than `most` rows is refused as `too_many`.
        """

    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        """Return sessions, the latest `last_at` first (then id by code point), behind `before` if given."""


class EvaluationStore(Protocol):
    """Keeps rows of `verifier_evaluation`; append-only, with the same rules for keys as rows have."""

    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        """Keep an evaluation; on return of `stored` it is durable and readable."""

    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        """Return a session's evaluations, ordered by (`created_at`, `id`), each equal to the one saved.

        With `latest` only so many of them, the last ones; in the same order.
        """


class StoreUpkeep(Protocol):
    """Looks after a whole store, in steps that are each bounded, whatever the store holds."""

    def invocations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Invocation], StoreError]:
        """Return the next page of the chosen rows, in the order of their keys; each equals the one appended.

        Following `next` to its end gives each row exactly once that was there all the time. A row that cannot be read
        is told and costs no other.
        """

    def evaluations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Evaluation], StoreError]:
        """Return the next page of the chosen evaluations, as `invocations` does."""

    def save_all(self, evaluations: Sequence[Evaluation], /) -> Result[tuple[Fate, ...], StoreError]:
        """Keep evaluations as `InvocationStore.append` keeps rows: all in one transaction, one fate each."""

    def prune(
        self, before: datetime, /, *, after: str = "", limit: int = 1_000, dry_run: bool = False
    ) -> Result[Pruned, StoreError]:
        """Remove sessions whose last record is older than `before`, in one transaction of about `limit` records.

        A session goes as a whole, its evaluations first, so that no decision outlives its evidence and no repeat the
        call that it repeats; a record that is not older is never removed. With `dry_run` nothing is. The redaction key
        stays. Following `next` to its end removes all; after an interrupt, beginning anew removes the rest.
        """

    def stats(self, *, exact: bool = False) -> Result[StoreStats, StoreError]:
        """Return what the store holds; a large store's numbers are estimates, and say so, unless `exact`."""


class KeyKeeper(Protocol):
    """Keeps the key under which secrets are replaced by markers."""

    def redaction_key(self) -> Result[bytes, StoreError]:
        """Return 32 bytes, made at random once by the store and the same for every process that uses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flushed:
    """What a barrier found of a session's rows: ids that are spooled only, and ids that are neither (with cause)."""

    spooled: frozenset[str] = frozenset()
    lost: Mapping[str, str] = field(default_factory=dict)


class Place(StrEnum):
    """Where a row that a sink took has come to: the store, the spool on disk, or neither."""

    STORED = "stored"
    SPOOLED = "spooled"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """The first place that a row has come to, durable unless it is `refused`; then `why` tells the cause."""

    place: Place
    why: str | None = None


class Receipt(Protocol):
    """One row on its way; the same receipt may be asked any number of times, from any thread and any event loop.

    Whoever stops waiting, or is cancelled, costs neither the row nor its neighbours anything.
    """

    @property
    def row(self) -> Invocation:
        """Return the row as it is or will be stored."""

    def wait(self, *, deadline: float) -> Acknowledgement | None:
        """Return where the row has come to, or None if it has no place yet after `deadline` seconds."""

    async def placed(self) -> Acknowledgement:
        """Return where the row has come to once it has a place; the caller sets the deadline by cancelling."""


class RowSink(Protocol):
    """The recorder's way to a store: takes rows at once, writes them behind the caller's back, loses none silently."""

    def put(self, row: Invocation | PendingRow, /) -> Receipt:
        """Take a row and return within 250 ms, whatever the store does; never raises.

        A pending one is finished, and so redacted, by the sink's own thread before it goes anywhere.
        What cannot go to the store goes to the spool, and is stored later; what can go to neither is reported.
        """

    def flush(self, session_id: str, /, *, deadline: float) -> Flushed:
        """Wait at most `deadline` seconds until each row of the session that was put before this call has its place.

        Rows neither named as spooled nor as lost are stored. A row still on its way at the deadline is named as lost.
        """

    def close(self, *, deadline: float) -> None:
        """Store or spool what is held, within `deadline` seconds, and stop; a later `put` is reported, not kept."""


class Telemetry(Protocol):
    """Is told what was recorded and decided, for whoever watches it live; no record depends on it.

    Nothing of it raises. Only `flush` and `close` wait, within their deadline. What cannot be sent on is dropped, and
    that is told in the log.
    """

    def recorded(self, receipt: Receipt, /, *, weight: int) -> None:
        """Take note of a row on its way, of about `weight` bytes, where the caller stands; return at once.

        The row is built elsewhere: this never asks the receipt for it before it returns.
        """

    def decided(self, evaluation: Evaluation, /) -> None:
        """Take note of a decision where the caller stands, and return at once; tell nothing that was withheld."""

    def flush(self, *, deadline: float) -> bool:
        """Wait at most `deadline` seconds until all that was told before this call has left; tell whether it has."""

    def close(self, *, deadline: float) -> None:
        """Send what is held within `deadline` seconds, and stop; what is told later is left out."""


class LanguageModel(Protocol):
    """Plays planner, executor and verifier."""

    @property
    def name(self) -> str:
        """Return the model's name for the record."""

    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        """Answer one request; holds no state between requests. The caller sets the deadline by cancelling."""


class KnowledgeSource(Protocol):
    """Layered knowledge that can be searched by words and fetched by address."""

    async def search(self, query: KnowledgeQuery, /) -> Result[KnowledgeAnswer, SourceError]:
        """Return at most `top_k` passages in rank order, with coverage; no match is an empty answer, not an error."""

    async def fetch(self, uri: str, /) -> Result[Passage | None, SourceError]:
        """Return the entry or section under `uri` whole (layer L2 for an entry), None if there is none."""

    async def describe(self) -> Result[Description, SourceError]:
        """Return what the source holds, brought up to date."""


class LogSource(Protocol):
    """Logs that can be searched by text, field and time."""

    async def search(self, query: LogQuery, /) -> Result[LogAnswer, SourceError]:
        """Return matching entries; bounded in time, rows and bytes, and each bound that was hit is told as unseen."""

    async def describe(self) -> Result[Description, SourceError]:
        """Return the fields, their values and the time span, as far as a bounded look shows them."""


class MetricSource(Protocol):
    """Time series that can be selected and aggregated."""

    async def query(self, query: MetricQuery, /) -> Result[MetricAnswer, SourceError]:
        """Return aggregated series; an unknown name is an empty answer, a malformed selector is an error."""

    async def describe(self) -> Result[Description, SourceError]:
        """Return metric names, label values and the time span."""
