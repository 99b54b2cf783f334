"""What the user sees: the confirmed answer, the low-confidence protocol, or the degraded template (DESIGN section 9).

`answer_withheld` is the one rule on who sees an answer. `shape_reject` cannot leak one: it is never given it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from groundtrace.coverage import Covered, CoverState
from groundtrace.decision import Decision, is_evidence
from groundtrace.material import time_text
from groundtrace.next_steps import NextStep
from groundtrace.outcomes import Support
from groundtrace.roles import Shown
from groundtrace.verdict import Cause, Verdict
from groundtrace.wording import CAUSE_WORDS, age_words, asked, one_line

NOT_CONFIRMED = "Not confirmed"
REJECTED = "Answer withheld"
UNVERIFIED = "UNVERIFIED ANSWER"
"""Protocol words that begin a low-confidence reply, a rejected one, and the unverified answer below the protocol."""

HEADINGS = ("What was checked", "What came back empty", "What failed", "What was never asked", "What to check next")
LINES_SHOWN = 10
FOUND_TOLD = 3
NAME_SHOWN = 120


class ShowUnverified(StrEnum):
    """When a LOW_CONFID answer follows the protocol: if the verifier itself said LOW_CONFID, never, or always."""

    WHEN_LOW = "when_low"
    NEVER = "never"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One call that a confirmed answer rests on; `line` is all of it in one line for people."""

    label: str
    invocation_id: str
    tool: str
    topic: str
    support: Support
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What leaves the house: `text` is all that the user sees, the other fields are its parts for programs.

    Holds the answer only where `withheld` is False. `coverage` is one line a source.
    """

    verdict: Verdict
    cause: Cause
    text: str
    citations: tuple[Citation, ...] = ()
    coverage: tuple[str, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
    withheld: bool = True


def answer_withheld(
    decision: Decision, shown: Sequence[Shown], /, *, policy: ShowUnverified = ShowUnverified.WHEN_LOW
) -> bool:
    """Tell whether the answer is kept back: the one rule, for replies, history and every reader of the record.

    A PASS is shown and a REJECT never is. A LOW_CONFID follows `policy`; by default it is shown only if a well-formed
    reply itself said LOW_CONFID, nothing lowered it, and at least one Success row was shown.
    """
    match decision.verdict:
        case Verdict.PASS:
            return False
        case Verdict.REJECT:
            return True
        case Verdict.LOW_CONFID:
            own_low = decision.cause is Cause.VERIFIER_LOW and decision.own is Verdict.LOW_CONFID
            by_policy = {
                ShowUnverified.WHEN_LOW: not (own_low and any(is_evidence(one) for one in shown)),
                ShowUnverified.NEVER: True,
                ShowUnverified.ALWAYS: False,
            }
            return by_policy[policy]


def shape_pass(answer: str, decision: Decision, shown: Sequence[Shown], covered: Sequence[Covered] = (), /) -> Reply:
    """Return the answer with the calls that it rests on, the support level beside each.

    ValueError for a decision that is no PASS; the other two shapes refuse alike.
    """
    _expect(decision, Verdict.PASS)
    cited = citations(decision, shown)
    text = "\n".join((answer.strip(), "", "Evidence:", *(f"- {one.line}" for one in cited)))
    return Reply(
        verdict=decision.verdict,
        cause=decision.cause,
        text=text,
        citations=cited,
        coverage=tuple(one.line for one in covered),
        withheld=False,
    )


def shape_low(
    answer: str | None,
    decision: Decision,
    shown: Sequence[Shown],
    covered: Sequence[Covered],
    steps: Sequence[NextStep],
    /,
    *,
    policy: ShowUnverified = ShowUnverified.WHEN_LOW,
) -> Reply:
    """Return the fixed low-confidence protocol; the answer follows, marked, only where `answer_withheld` allows it."""
    _expect(decision, Verdict.LOW_CONFID)
    withheld = answer is None or answer_withheld(decision, shown, policy=policy)
    head = f"{NOT_CONFIRMED}: {CAUSE_WORDS[decision.cause]}.{_first_of_all(covered)}"
    tail = "No answer is shown." if withheld else f"{UNVERIFIED} (do not act on it without a check):\n{answer}"
    return Reply(
        verdict=decision.verdict,
        cause=decision.cause,
        text="\n\n".join((head, *_protocol(covered, steps), tail)),
        coverage=tuple(one.line for one in covered),
        next_steps=tuple(steps),
        withheld=withheld,
    )


def shape_reject(decision: Decision, covered: Sequence[Covered], steps: Sequence[NextStep], /) -> Reply:
    """Return the degraded template, made of codes and evidence only; it takes no answer and no reasons."""
    _expect(decision, Verdict.REJECT)
    head = (
        f"{REJECTED}: {CAUSE_WORDS[decision.cause]} ({decision.verdict.value}, {decision.cause.value}). "
        "Nothing of it is shown; below is which sources were asked, and what came of it."
    )
    return Reply(
        verdict=decision.verdict,
        cause=decision.cause,
        text="\n\n".join((head, *_protocol(covered, steps))),
        coverage=tuple(one.line for one in covered),
        next_steps=tuple(steps),
        withheld=True,
    )


def shape(
    answer: str | None,
    decision: Decision,
    shown: Sequence[Shown],
    covered: Sequence[Covered],
    steps: Sequence[NextStep],
    /,
    *,
    policy: ShowUnverified = ShowUnverified.WHEN_LOW,
) -> Reply:
    """Return the reply of the shape that the decision asks for; no answer (None) is never a PASS: ValueError."""
    match decision.verdict:
        case Verdict.REJECT:
            return shape_reject(decision, covered, steps)
        case Verdict.LOW_CONFID:
            return shape_low(answer, decision, shown, covered, steps, policy=policy)
        case Verdict.PASS:
            if answer is None:
                raise ValueError("a PASS without an answer")
            return shape_pass(answer, decision, shown, covered)


def citations(decision: Decision, shown: Sequence[Shown], /) -> tuple[Citation, ...]:
    """Return the cited Success rows in the order cited."""
    by_id = {one.row.id: one for one in shown}
    return tuple(
        _citation(by_id[row_id], support)
        for row_id in decision.cited
        if row_id in by_id and (support := by_id[row_id].row.support) is not None
    )


def _citation(one: Shown, support: Support) -> Citation:
    row = one.row
    tool, topic = one_line(row.tool_name, NAME_SHOWN), one_line(row.topic_domain, NAME_SHOWN)
    age = "" if one.age_seconds is None else f", {age_words(one.age_seconds)} old"
    part = ", only a part was seen" if row.partial else ""
    called = time_text(row.started_at)
    line = (
        f"[{one.label}] {support.value} support{part}: {tool} {asked(row)} about {topic}, {called}{age}, call {row.id}"
    )
    return Citation(label=one.label, invocation_id=row.id, tool=tool, topic=topic, support=support, line=line)


def _expect(decision: Decision, verdict: Verdict) -> None:
    if decision.verdict is not verdict:
        raise ValueError(f"this shape is for {verdict.value}, not for {decision.verdict.value}")


def _protocol(covered: Sequence[Covered], steps: Sequence[NextStep]) -> tuple[str, ...]:
    never = [one.name for one in covered if one.state is CoverState.NEVER_ASKED]
    sections = (
        [_checked(one) for one in covered if one.state is not CoverState.NEVER_ASKED],
        [f"{one.name}: {call}" for one in covered for call in one.empty],
        [f"{one.name}: {call}" for one in covered for call in one.failed],
        never,
        [step.line for step in steps],
    )
    return tuple(_titled(heading, lines) for heading, lines in zip(HEADINGS, sections, strict=True))


def _first_of_all(covered: Sequence[Covered]) -> str:
    """Return what matters most of the sources, for the first line: which failed, or that none found anything."""
    failed = [one.name for one in covered if one.failed]
    if failed:
        return f" Could not be asked: {', '.join(failed)}."
    asked = any(one.state is not CoverState.NEVER_ASKED for one in covered)
    return " No source found anything." if asked and not any(one.found for one in covered) else ""


def _checked(one: Covered) -> str:
    found = "; ".join(dict.fromkeys(one.found[:FOUND_TOLD]))
    counts = (
        (one.found, f"found something ({found})"),
        (one.empty, "came back empty"),
        (one.failed, "failed"),
        (one.repeats, "repeated an earlier call"),
    )
    return f"{one.name}: " + ", ".join(f"{len(calls)} {words}" for calls, words in counts if calls)


def _titled(heading: str, lines: Sequence[str]) -> str:
    if not lines:
        return f"{heading}: nothing"
    left = len(lines) - LINES_SHOWN
    more = (f"- and {left} more",) if left > 0 else ()
    return "\n".join((f"{heading}:", *(f"- {line}" for line in lines[:LINES_SHOWN]), *more))
