"""A session as a timeline for people: its turns with question and decision, and each call in a few lines.

Text in lines of a given width. Nothing of an answer is read here, so nothing that was withheld can be shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from returns.result import Result

from groundtrace.disclosure import must_hide
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.snapshot import read_snapshot
from groundtrace.verdict import Verdict
from groundtrace.wording import CAUSE_WORDS, one_line
from groundtrace_app.cli.call_words import asked_words, came_words, outcome_words, unseen_words
from groundtrace_app.cli.printing import at_most, fit, paint, safe, wrapped

INDENT = 6
LINES_EACH = 2

SHORTEST_NAMED = 24
"""So many columns are left at least to a call's label, time and tool, however long its outcome is."""
QUESTION_CHARACTERS = 600

COLOURS: Mapping[str, str] = {
    OutcomeKind.SUCCESS: "good",
    OutcomeKind.NO_EVIDENCE: "poor",
    OutcomeKind.DEDUPED: "quiet",
    OutcomeKind.FAILURE: "bad",
    Verdict.PASS: "good",
    Verdict.LOW_CONFID: "poor",
    Verdict.REJECT: "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The calls of one turn with its evaluation; either may be missing. Calls outside of turns have no `turn_id`."""

    turn_id: str | None
    rows: tuple[Invocation, ...]
    evaluation: Evaluation | None

    @property
    def began(self) -> datetime:
        """Return when the first call was made; without calls, when it was decided."""
        return self.rows[0].started_at if self.rows or self.evaluation is None else self.evaluation.created_at


def parts_of(rows: Sequence[Invocation], kept: Sequence[Evaluation], /) -> tuple[Part, ...]:
    """Return the turns in the order in which they began, the calls outside of turns where they were made."""
    grouped: dict[tuple[str | None, int], list[Invocation]] = {}
    run = 0
    for row in rows:
        run += row.turn_id is not None
        grouped.setdefault((row.turn_id, 0 if row.turn_id is not None else run), []).append(row)
    decided = {one.turn_id: one for one in kept}
    with_calls = [
        Part(turn_id=turn, rows=tuple(calls), evaluation=decided.pop(turn, None) if turn else None)
        for (turn, _), calls in grouped.items()
    ]
    without = [Part(turn_id=turn, rows=(), evaluation=one) for turn, one in decided.items()]
    return tuple(sorted((*with_calls, *without), key=lambda part: part.began))


def part_lines(part: Part, columns: int, /) -> Iterator[str]:
    """Yield the lines of one part: question and decision, then its calls."""
    yield from _head(part, columns)
    labels = {} if part.evaluation is None else labels_of(part.evaluation)
    for row in part.rows:
        yield from _call_lines(row, labels, columns)


def labels_of(evaluation: Evaluation, /) -> Mapping[str, str]:
    """Return by call id the label (`e1`) under which the verifier was shown it, and under which `explain` names it."""
    shown = read_snapshot(evaluation.evidence).map(lambda kept: kept.exhibits).lash(lambda _: Result.from_value(()))
    return {one.id: one.label for one in shown.unwrap()}


def moment_words(moment: datetime, /) -> str:
    """Return a time to the second: `2026-11-30 16:54:26Z`."""
    return f"{moment.replace(tzinfo=None).isoformat(' ', 'seconds')}Z"


def span_words(first: datetime, last: datetime, /) -> str:
    """Return a span to the second, each thing said once: `2026-11-30 16:54:26Z to 16:55:01Z`."""
    begin, end = moment_words(first), moment_words(last)
    if begin == end:
        return f"at {begin}"
    return f"{begin} to {end[11:] if begin[:10] == end[:10] else end}"


def _head(part: Part, columns: int) -> Iterator[str]:
    if part.turn_id is None:
        yield paint(f"{moment_words(part.began)}  outside of turns", "head")
        return
    yield paint(fit(f"{moment_words(part.began)}  turn {safe(part.turn_id)}", columns), "head")
    one = part.evaluation
    if one is None:
        yield wrapped("no decision is recorded: the turn has not ended, or was cut off", columns, indent=2)
        return
    yield wrapped(safe(one_line(one.question, QUESTION_CHARACTERS)), columns, indent=2, hang=2)
    yield from _decision_lines(one, columns)


def _decision_lines(one: Evaluation, columns: int) -> Iterator[str]:
    labels = labels_of(one)
    words = f"{one.decision.value} ({one.cause.value}): {CAUSE_WORDS[one.cause]}"
    if one.cited:
        words += f"; rests on {', '.join(labels.get(cited, cited) for cited in one.cited)}"
    told = wrapped(words, columns, indent=2, hang=2)
    yield told.replace(one.decision.value, paint(one.decision.value, COLOURS[one.decision]), 1)
    if must_hide(one):
        yield "  the answer was withheld"


def _call_lines(row: Invocation, labels: Mapping[str, str], columns: int) -> Iterator[str]:
    took = "" if row.duration_ms is None else f"  {row.duration_ms:,} ms"
    label = labels.get(row.id, "-")
    outcome = outcome_words(row)
    named = f"{label:>4}  {row.started_at:%H:%M:%S}  {safe(row.tool_name)}  about {safe(row.topic_domain)}"
    # What a call came to is never cut off by a long name.
    ending = f"  {outcome}{took}"
    line = fit(fit(named, max(columns - len(ending), SHORTEST_NAMED)) + ending, columns)
    yield line.replace(outcome, paint(outcome, COLOURS[row.outcome]), 1)
    for word, text in (("asked", asked_words(row)), ("came", came_words(row, labels)), ("unseen", unseen_words(row))):
        if text:
            yield at_most(safe(text), LINES_EACH, columns, head=f"{' ' * INDENT}{word:<7}")
    if label == "-":
        yield fit(f"{' ' * INDENT}{'id':<7}{safe(row.id)}", columns)
