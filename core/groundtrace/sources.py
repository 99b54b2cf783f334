"""Questions to sources and their answers, as values: knowledge, logs, metrics, and what a source can tell of itself.

Ports that take and give them are in `ports`; no source is read here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from groundtrace.outcomes import FailureKind
from groundtrace.retrieval import Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceError:
    """A source that could not answer: what an operator needs to mend it, without secrets."""

    kind: FailureKind
    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a source can say of itself, for planners and for deduplication.

    `entities` maps a field or label (`pod`, `app`, `service`) to the values known under it, sorted; `metrics` are
    metric names; `titles` are knowledge entries. `earliest` and `latest` bound its data in UTC. `revision` changes
    whenever its content does. All are bounded; `unseen` says in words what was left out or could not be read.
    """

    name: str
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    earliest: datetime | None = None
    latest: datetime | None = None
    revision: str = ""
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeQuery:
    """Words to look up; `filters` must all hold (front matter `service`, `tags`, or `scope`: a path prefix)."""

    query: str
    top_k: int = 5
    filters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One piece of knowledge: `coverage` is the share (0 to 1) of the query's IDF weight that its words cover.

    `uri` names entry and section (`runbooks/disk.md#diagnosis`), `entry` the entry alone. `score` ranks, higher first.
    """

    uri: str
    entry: str
    title: str
    abstract: str
    heading: str
    text: str
    layer: Layer
    score: float
    coverage: float
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeAnswer:
    """Passages in rank order, whatever their relevance: the floor is applied by the core, not by the source.

    `candidates` is the number of distinct entries that matched after filters; `coverage` the share of the query's
    IDF weight that the best passages cover together; `unseen` says what could not be searched.
    """

    passages: tuple[Passage, ...]
    candidates: int
    coverage: float
    revision: str
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """A search in logs: `start` <= time < `end`, zones required; `fields` must all be equal (case-sensitive).

    `pattern` is a literal text unless `regex`; blank or None matches every entry. `limit` counts entries (1 to 1,000).
    """

    pattern: str | None = None
    regex: bool = False
    start: datetime | None = None
    end: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    limit: int = 100
    newest_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One whole entry, several lines kept together; `at` is UTC, None where the entry shows no time.

    `origin` is `file:line` of its first line; `fields` are what its format names.
    """

    at: datetime | None
    text: str
    origin: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAnswer:
    """Matching entries in the order asked for; `unseen` says in words what was not seen (limit hit, unread files).

    `scanned_entries` is None where a source searched without counting what it passed by.
    """

    entries: tuple[LogEntry, ...]
    scanned_entries: int | None
    scanned_bytes: int
    unseen: tuple[str, ...] = ()


class Aggregate(StrEnum):
    """How points within one step become one value; `rate` is per second and, like `increase`, for counters."""

    LAST = "last"
    MIN = "min"
    MAX = "max"
    AVG = "avg"
    RATE = "rate"
    INCREASE = "increase"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """A series selector (`name{label="value",other=~"re"}`) over `start` <= time <= `end`, zones required.

    `step_seconds` None makes the whole window one step.
    """

    selector: str
    start: datetime | None = None
    end: datetime | None = None
    step_seconds: float | None = None
    aggregate: Aggregate = Aggregate.LAST


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One series: its name, labels and points (UTC time, value), oldest first; a value may be NaN."""

    name: str
    labels: Mapping[str, str]
    points: tuple[tuple[datetime, float], ...]
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAnswer:
    """Series with at least one point in the window, sorted by name and labels; `unseen` says what was left out."""

    series: tuple[Series, ...]
    scanned_points: int
    unseen: tuple[str, ...] = ()
