"""Why this verdict, rule by rule, in plain words from the record alone; tells nothing that was withheld (section 9)."""

from returns import result
from returns.result import Result

from groundtrace.decision import Exhibit, PassNeeds
from groundtrace.evaluation import Evaluation
from groundtrace.outcomes import Support
from groundtrace.problem import Problem
from groundtrace.roles import RowState
from groundtrace.snapshot import Snapshot, read_snapshot
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict
from groundtrace.wording import CAUSE_WORDS


def explain(evaluation: Evaluation, /) -> tuple[str, ...]:
    """Return the rules in the order in which they were applied, one line each, the last one the decision."""
    rules = read_snapshot(evaluation.evidence).map(_rules).lash(_unread).value_or(())
    return (
        *rules,
        f"Decision: {evaluation.decision.value} ({evaluation.cause.value}): {CAUSE_WORDS[evaluation.cause]}.",
        _answer_line(evaluation),
    )


def _rules(kept: Snapshot) -> tuple[str, ...]:
    return kept.parsed.map(lambda reply: _of_reply(reply, kept)).lash(lambda reply: _of_fallback(reply, kept)).unwrap()


def _of_fallback(reply: UnusableReply, kept: Snapshot) -> Result[tuple[str, ...], UnusableReply]:
    return result.Success(
        (
            f"The reply: not usable, because {CAUSE_WORDS[reply.cause]}. Such a reply carries no verdict of its own.",
            _found_line(kept),
        )
    )


def _of_reply(reply: ParsedVerdict, kept: Snapshot) -> tuple[str, ...]:
    form = f"The reply: one well-formed object whose own verdict is {reply.verdict.value}."
    if reply.lowered is not None:
        form = f"The reply: its own verdict is {reply.verdict.value}, but {CAUSE_WORDS[reply.lowered]}."
    if reply.verdict is not Verdict.PASS:
        return (form, "The ceiling: never raises a verdict, so the evidence cannot lift it.", _found_line(kept))
    return (form, _found_line(kept), *_citation_lines(reply, kept), _kept_line(kept), _needs_line(reply, kept))


def _found_line(kept: Snapshot) -> str:
    found = [one.label for one in kept.exhibits if one.support is not None]
    if not found:
        return f"The evidence: {_calls(len(kept.exhibits))} shown, and none of them found anything."
    return f"The evidence: {_calls(len(kept.exhibits))} shown; {_labels(found)} found something."


def _citation_lines(reply: ParsedVerdict, kept: Snapshot) -> tuple[str, ...]:
    by_label = {one.label: one for one in kept.exhibits}
    labels = reply.evidence_ids or ()
    if not labels:
        return ("The citations: none, and a PASS needs at least one.",)
    unknown = sum(label not in by_label for label in labels)
    lines = tuple(_citation_line(by_label[label], kept) for label in labels if label in by_label)
    named = "1 citation names" if unknown == 1 else f"{unknown} citations name"
    return (*lines, f"{named} no call that was shown, which lowers a PASS.") if unknown else lines


def _citation_line(one: Exhibit, kept: Snapshot) -> str:
    if one.support is None:
        return f"Citation {one.label}: its outcome is {kept.outcomes[one.label]}, which cannot carry a PASS."
    if one.state is not RowState.STORED:
        return f"Citation {one.label}: a success, but only {one.state.value}, which cannot carry a PASS."
    return f"Citation {one.label}: a success with {one.support.value} support, stored: it can carry a PASS."


def _kept_line(kept: Snapshot) -> str:
    lost = len(set(kept.lost) | {one.id for one in kept.exhibits if one.state is RowState.LOST})
    if lost:
        calls = "1 call of this turn is" if lost == 1 else f"{lost} calls of this turn are"
        return f"The record: {calls} neither stored nor spooled, which lowers a PASS."
    return "The record: no call of this turn was lost."


def _needs_line(reply: ParsedVerdict, kept: Snapshot) -> str:
    if kept.pass_needs is PassNeeds.ANY:
        return "The setting: any success can carry a PASS."
    direct = {one.label for one in kept.exhibits if one.support is Support.DIRECT}
    cited = direct.intersection(reply.evidence_ids or ())
    return f"The setting: a PASS needs a citation with DIRECT support; {_labels(sorted(cited)) or 'none'} has it."


def _answer_line(evaluation: Evaluation) -> str:
    if evaluation.answer is None:
        return "The answer: there was none."
    if evaluation.decision is Verdict.PASS:
        return "The answer: shown, with its citations."
    if not evaluation.withheld and evaluation.decision is Verdict.LOW_CONFID:
        return "The answer: shown below the low-confidence protocol, marked unverified."
    if evaluation.cause is Cause.VERIFIER_LOW:
        return "The answer: withheld, because no call found anything or the settings say so."
    return "The answer: withheld. Only a well-formed LOW_CONFID over evidence may be shown unverified."


def _calls(number: int) -> str:
    return "1 call was" if number == 1 else f"{number} calls were"


def _labels(labels: list[str]) -> str:
    return ", ".join(labels[:20]) + (f" and {len(labels) - 20} more" if len(labels) > 20 else "")


def _unread(problem: Problem) -> Result[tuple[str, ...], Problem]:
    return result.Success((f"The record of the evidence cannot be read: {problem.line()}",))
