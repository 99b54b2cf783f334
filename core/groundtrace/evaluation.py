"""The record that every verification leaves: one row of `verifier_evaluation` (DESIGN section 8): values only.

`judging` builds it; `disclosure` and `explanation` are what a reader may be shown of it.
"""

from dataclasses import dataclass, field
from datetime import datetime

from groundtrace.verdict import Cause, Verdict

RAW_BYTES = 64 * 1024
"""The longest stored verifier text, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One verification, on the good path or a bad one: enough to decide again later under other rules.

    `given` is the verdict as the verifier wrote it (text), None where none stood. `raw` is the verifier's cleaned and
    redacted text, `raw_cut` whether it was longer than 64 KiB. `evidence` is strict JSON: per shown row its label,
    id, outcome, support and state, the summary entries and coverage. `cited` are invocation ids that the decision
    rests on, `unknown` the citations that were none. `answer` is the redacted draft, `shown` the text that the user
    saw; `withheld` whether the answer was kept back, which binds every reader of the record (section 9): the fields
    that may hold what is withheld are absent from `repr`.
    """

    session_id: str
    id: str
    turn_id: str
    created_at: datetime
    question: str
    given: str | None = field(repr=False)
    decision: Verdict
    cause: Cause
    fallback: bool
    raw: str | None = field(repr=False)
    raw_cut: bool
    reasons: tuple[str, ...] = field(repr=False)
    model: str
    prompt_version: str
    prompt_sha256: str
    duration_ms: int
    attempts: int
    cited: tuple[str, ...]
    unknown: tuple[str, ...] = field(repr=False)
    evidence: str = field(repr=False)
    answer: str | None = field(repr=False)
    shown: str
    withheld: bool
