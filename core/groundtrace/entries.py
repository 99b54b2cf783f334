"""The merged line for one (tool, topic domain), as the verifier sees it (DESIGN section 7): values only.

`summary` folds rows into these in memory; each store computes the same in SQL, and a property test holds them equal.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

ERRORS_KEPT = 5
ERROR_TEXT_CHARACTERS = 500


class EvidenceLevel(StrEnum):
    """The strongest Success of an entry: DIRECT > INDIRECT > NONE."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"
    NONE = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceEntry:
    """The view of one (tool name, topic domain).

    A row is counted once by its key (`session_id`, `id`). `calls` = `successes` + `failures` + `no_evidence` +
    `deduped`. `level` is DIRECT if one Success row's support is DIRECT. `partial` counts rows marked partial.
    `repeated` counts all calls whose `input_fingerprint` is that of another call of the entry: three alike are three.
    `first_at` and `last_at` are the earliest and latest `started_at` (UTC). `supporting_ids` are the Success rows in
    the order (`started_at`, `seq`, `id`). `errors` are the distinct `error_message` of Failure rows, NULL left out,
    each cut to its first 500 characters before they are compared: the five with the highest count, then the earliest
    `started_at`, then text. Text is ordered by code point everywhere.
    """

    tool_name: str
    topic_domain: str
    level: EvidenceLevel
    calls: int
    successes: int
    failures: int
    no_evidence: int
    deduped: int
    partial: int
    repeated: int
    first_at: datetime
    last_at: datetime
    supporting_ids: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryScope:
    """The rows that one summary covers: of these sessions (None: of all), with `since <= started_at < until`.

    Times have a zone (ValueError else); None leaves that end open. A row counts once under its key, and the entries of
    all sessions are one.
    """

    sessions: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse a time without a zone: it is no instant."""
        if any(time is not None and time.tzinfo is None for time in (self.since, self.until)):
            raise ValueError("a time of a scope has no zone")

    def covers(self, time: datetime, /) -> bool:
        """Tell whether a row of that time is covered."""
        return (self.since is None or self.since <= time) and (self.until is None or time < self.until)
