"""What keeping a whole store in order asks and answers: pages over all sessions, retention, and figures. Values only.

The port that answers is `ports.StoreUpkeep`; a record as one line of an export is `export_line`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

Record = TypeVar("Record", covariant=True)


class RecordKind(StrEnum):
    """The two kinds of records of a store, in the order in which they are exported: evidence first."""

    INVOCATION = "invocation"
    EVALUATION = "evaluation"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKey:
    """One record's key; records of a kind are paged in the order (`session_id`, `id`), by code point."""

    session_id: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A place in an export: behind the record of `kind` with this key, or before the first one of the kind."""

    kind: RecordKind = RecordKind.INVOCATION
    key: RecordKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which records: of one session or of all; those whose own time is in `since <= time < until`."""

    session_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Record]):
    """Records in order; `unreadable` says of each that could not be read which one it is and why.

    `next` is the key behind which the next page begins, None behind the last page. A page of a selection may hold few
    records or none and still have a next one: a page is bounded by what it looks at.
    """

    records: tuple[Record, ...]
    unreadable: tuple[str, ...] = ()
    next: RecordKey | None = None


class Certainty(StrEnum):
    """How well a figure is known."""

    EXACT = "exact"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of records."""

    number: int
    certainty: Certainty = Certainty.EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """One part of a store that is cut by the month, and the calls in it.

    `name` is `2026-01`, or `before` or `after` for the parts of what is sorted outside of all months.
    """

    name: str
    rows: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class DataServer:
    """One of the servers on which the sessions of a store lie; `away` says why it does not answer, None if it does."""

    name: str
    away: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What a store holds.

    `first_at` and `last_at` (UTC) are the earliest and the latest time of a call or a decision that was looked at: all
    of them if `rows` is exact. `bytes` is the room that the tables take on their disk, None in memory; `free_bytes`
    the part of it that no record uses, where the store can say. `version` and `step` name the newest schema step.
    `months` are the parts of a store that is cut by the month, in order, and `servers` those that a store on several
    lies on; any other has none.
    """

    rows: Count
    sessions: Count
    evaluations: Count
    outcomes: Mapping[str, Count] = field(default_factory=dict)
    first_at: datetime | None
    last_at: datetime | None
    bytes: int | None
    free_bytes: int | None = None
    version: int
    step: str
    months: tuple[Month, ...] = ()
    servers: tuple[DataServer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What one bounded step of retention removed, or would remove: whole sessions, and their rows and evaluations.

    `kept_rows` are rows as old as those that stay because their session went on since. `next` is the session behind
    which the next step begins, None when all sessions were looked at.
    """

    sessions: int = 0
    rows: int = 0
    evaluations: int = 0
    kept_rows: int = 0
    next: str | None = None
