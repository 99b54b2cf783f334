"""One evidence-bearing tool call and its row in `tool_invocation` (DESIGN section 4): values only.

The two builders of a row and their inverse are `recording`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from groundtrace.outcomes import ID_CHARACTERS, Basis, OutcomeKind, Support
from groundtrace.retrieval import Layer, Relevance
from groundtrace.text import is_blank

SESSION_CHARACTERS = 200
"""The longest session id, in characters (section 2)."""

NAME_CHARACTERS = 200
"""The longest stored tool name and topic domain, in characters (section 4)."""

LARGEST = 2**63 - 1
"""The largest position and duration: what a 64-bit column holds."""


class OutputState(StrEnum):
    """How much of the output the row's preview holds."""

    FULL = "full"
    TRUNCATED = "truncated"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call as the recorder saw it, before its outcome is known.

    `id` is made before the call (a UUIDv7 for live calls; 200 characters at most). `started_at` has a zone (ValueError
    else). `duration_ms` comes from a monotonic clock and is None only where an imported trace did not say.
    `topic_domain` is the caller's explicit one; None lets the topic policy choose. `scope` is the knowledge scope, for
    that policy.
    """

    session_id: str
    id: str
    tool_name: str
    input_params: object
    started_at: datetime
    duration_ms: int | None
    turn_id: str | None = None
    seq: int = 0
    topic_domain: str | None = None
    scope: str | None = None
    details: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        """Refuse a key that cannot be stored and a time without a zone."""
        session_id, id, moment, lasted = self.session_id, self.id, self.started_at, self.duration_ms
        if len(session_id) > SESSION_CHARACTERS or is_blank(session_id):
            raise ValueError(f"a session id has 1 to {SESSION_CHARACTERS} characters and is not blank")
        if is_blank(id) or is_blank(self.tool_name):
            raise ValueError("a call needs an id and a tool name that are not blank")
        if len(id) > ID_CHARACTERS:
            raise ValueError(f"a call's id has at most {ID_CHARACTERS} characters")
        if moment.tzinfo is not UTC and moment.utcoffset() is None:
            raise ValueError("started_at needs a time zone")
        if not 0 <= self.seq <= LARGEST or (lasted is not None and not 0 <= lasted <= LARGEST):
            raise ValueError("seq and duration_ms are numbers of 64 bits and never negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One row of `tool_invocation`; every field is a column of that name, cleaned, redacted and bounded.

    `input_params`, `retrieval_details` and `details` are strict JSON text. `started_at` is UTC with microseconds.
    The order of rows is (`started_at`, `seq`, `id`); the key is (`session_id`, `id`).
    """

    session_id: str
    id: str
    turn_id: str | None
    seq: int
    tool_name: str
    topic_domain: str
    outcome: OutcomeKind
    support: Support | None
    reason: str | None
    partial: bool
    basis: Basis
    input_params: str
    input_fingerprint: str
    started_at: datetime
    duration_ms: int | None
    success: bool
    output_preview: str | None
    output_state: OutputState
    output_bytes: int | None
    output_sha256: str | None
    error_message: str | None
    retrieval_layer: Layer | None
    l0_count: int | None
    l1_count: int | None
    relevance_level: Relevance | None
    retrieval_details: str | None
    dedup_reason: str | None
    details: str


def row_order(row: Invocation, /) -> tuple[datetime, int, str]:
    """Return the key by which rows are ordered: (`started_at`, `seq`, `id`)."""
    return row.started_at, row.seq, row.id
