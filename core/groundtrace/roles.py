"""What the three roles of a language model are asked, and what a model answers (DESIGN section 10): values only.

One port serves planner, executor and verifier. A request is plain data; a model that reads text renders it with
`prompt`, one that needs none (rules, script) reads the fields. Every reply is text that the core parses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from groundtrace.invocation import Invocation
from groundtrace.outcomes import FailureKind
from groundtrace.sources import Description


class RowState(StrEnum):
    """Where a row is at the barrier before verification; only a stored row can carry a PASS (section 8)."""

    STORED = "stored"
    SPOOLED = "spooled"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the planner sees it: `parameters` maps a parameter's name to its meaning in words."""

    name: str
    purpose: str
    parameters: Mapping[str, str]
    source: Description


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One row as it is shown to a role under `label` (`e1`, `e2`, ...).

    `text` is the whole redacted output where this process still holds it (`whole`), else the stored preview, else
    blank. `age_seconds` is set on a row of an earlier turn that a Deduped row of this turn repeats. `state` tells
    whether the row is stored.
    """

    label: str
    row: Invocation
    text: str
    whole: bool
    state: RowState = RowState.STORED
    age_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """Which calls would answer the question? `seen` are the rows of earlier steps of this turn.

    The reply is one JSON object: `{"calls": [{"tool": NAME, "params": {...}}, ...]}`; no calls means enough is seen.
    """

    question: str
    now: datetime
    tools: tuple[ToolSpec, ...]
    history: tuple[str, ...] = ()
    seen: tuple[Shown, ...] = ()
    step: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """Write the answer from what is shown; cite rows as `[e1]` behind each statement. The reply is the answer."""

    question: str
    shown: tuple[Shown, ...]
    coverage: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """Does the shown evidence carry the answer? The reply is the verdict object of section 8.

    `prompt` is the whole text for a model that reads text; `version` and `sha256` identify it in the evaluation.
    """

    question: str
    answer: str
    shown: tuple[Shown, ...]
    coverage: tuple[str, ...]
    earlier: tuple[str, ...]
    prompt: str
    version: str
    sha256: str


ModelRequest: TypeAlias = PlanRequest | DraftRequest | VerifyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a model answered. `text` is untrusted, and None where it sent nothing; `finish_reason` as it reported it.

    `by_tool_call` is True only where the adapter asked for the verdict as a tool call and this is that call.
    """

    text: str | None
    model: str
    finish_reason: str | None = None
    by_tool_call: bool = False
    attempts: int = 1
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelError:
    """A model that gave no reply: timeout, refusal of service, a fault. `message` holds no secrets."""

    kind: FailureKind
    message: str
    attempts: int = 1
