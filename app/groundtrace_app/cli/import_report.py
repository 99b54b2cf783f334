"""What `import` says when it is done: a table of files, what was found beside the calls, and what was not read."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from groundtrace.outcomes import OutcomeKind
from groundtrace.problem import Problem
from groundtrace.redaction import Redactor
from groundtrace.text import clean, cut
from groundtrace.transcripts.formats import FORMATS, nearest
from groundtrace.transcripts.joined import Finding
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.printing import counted_words, fail, print_json, safe
from groundtrace_app.cli.tables import console, table
from groundtrace_app.cli.tally import Fate
from groundtrace_app.evaluation_keeping import EvaluationKeeping
from groundtrace_app.importing import CONFLICT, FileReport

LEFT_OUT_NAMED = 20
RECORD_CHARACTERS = 300
NAME_CHARACTERS = 34
"""A longer path is shown by its end."""

_WORDS: tuple[tuple[Finding, str, str], ...] = (
    (Finding.MISSING_RESULT, "call has no result", "calls have no result"),
    (Finding.ORPHAN, "result has no call (no evidence)", "results have no call (no evidence)"),
    (Finding.REPLAYED, "further result of a finished call", "further results of finished calls"),
    (Finding.DUPLICATE, "second record of a call", "second records of calls"),
    (Finding.SHARED_ID, "call shares the id of an open one", "calls share the id of an open one"),
    (Finding.ARGUMENTS, "call with odd arguments", "calls with odd arguments"),
    (Finding.CONTRADICTED, "flag that the output contradicts", "flags that the output contradicts"),
    (Finding.UNDATED, "call without a time of its own", "calls without a time of their own"),
    (Finding.CLOCK, "call whose clock ran back", "calls whose clock ran back"),
)
_HEADS = ("file", "format", "sessions", "calls", "success", "empty", "deduped", "failed", "answers")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came of one run."""

    reports: list[FileReport] = field(default_factory=list)
    left_out: list[FileReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    in_folder: bool = False
    rows: Fate | None = None
    evaluations: EvaluationKeeping | None = None
    not_made: int = 0
    ended: Exit = Exit.DONE

    def read(self, report: FileReport, /) -> None:
        """Take a file's report; one of a folder that fits no format is only left out."""
        (self.left_out if self.in_folder and report.format is None else self.reports).append(report)

    def broken(self, name: str, fault: OSError, /) -> None:
        """Take a file that cannot be read."""
        what = f"it cannot be read ({fault.strerror or type(fault).__name__})"
        self.problems.append(Problem(what=what, where=name, mend="give a file that can be read"))

    @property
    def known(self) -> int:
        """Return how many calls and answers the store has under the same id, told otherwise."""
        rows = 0 if self.rows is None else sum(why == CONFLICT for _, why in self.rows.told)
        return rows + (0 if self.evaluations is None else self.evaluations.known)


def tell(outcome: Outcome, /, *, as_json: bool) -> int:
    """Print it and return the exit code."""
    if as_json:
        print_json(_as_json(outcome))
    else:
        _print(outcome)
    for problem in _problems(outcome):
        fail(problem)
    return outcome.ended or _code(outcome)


def _code(outcome: Outcome) -> Exit:
    if any(_waiting(outcome)):
        return Exit.UNAVAILABLE
    good = [report for report in outcome.reports if report.format is not None]
    if not good:
        return Exit.BAD_INPUT
    refused = outcome.problems or len(good) < len(outcome.reports) or any(report.unread for report in good)
    return Exit.SOME_REFUSED if refused or _lost(outcome) else Exit.DONE


def _waiting(outcome: Outcome) -> tuple[int, int]:
    rows, kept = outcome.rows, outcome.evaluations
    return (0 if rows is None else rows.spooled, 0 if kept is None else kept.spooled)


def _lost(outcome: Outcome) -> int:
    rows = 0 if outcome.rows is None else outcome.rows.lost - sum(why == CONFLICT for _, why in outcome.rows.told)
    return rows + outcome.not_made + (0 if outcome.evaluations is None else outcome.evaluations.lost)


def _print(outcome: Outcome) -> None:
    good = [report for report in outcome.reports if report.format is not None]
    if good:
        console().print(table("", _HEADS, (_cells(report) for report in good)))
    for report in good:
        for line in _remarks(report):
            print(f"{safe(report.file)}: {line}")
    if outcome.left_out:
        names = ", ".join(safe(report.file) for report in outcome.left_out[:LEFT_OUT_NAMED])
        more = f" and {len(outcome.left_out) - LEFT_OUT_NAMED:,} more" * (len(outcome.left_out) > LEFT_OUT_NAMED)
        print(f"{counted_words(len(outcome.left_out), 'file fits', 'files fit')} no format, left out: {names}{more}")
    if outcome.rows is not None and good:
        print(_kept_words(outcome))


def _kept_words(outcome: Outcome) -> str:
    rows, kept = outcome.rows, outcome.evaluations
    assert rows is not None
    words = [f"{counted_words(rows.stored, 'call', 'calls')}"]
    words += [counted_words(kept.stored, "answer", "answers")] if kept is not None else []
    known = f"; {outcome.known:,} were there already, told otherwise" if outcome.known else ""
    return f"stored: {' and '.join(words)} (each once, however often it is imported){known}"


def _cells(report: FileReport) -> tuple[object, ...]:
    found = report.findings
    kinds = (OutcomeKind.SUCCESS, OutcomeKind.NO_EVIDENCE, OutcomeKind.DEDUPED, OutcomeKind.FAILURE)
    counts = (f"{found.calls[kind.value]:,}" for kind in kinds)
    name = report.file if len(report.file) <= NAME_CHARACTERS else f"...{report.file[3 - NAME_CHARACTERS :]}"
    return (
        name,
        report.format,
        f"{found.sessions:,}",
        f"{found.calls.total():,}",
        *counts,
        f"{found.answers:,}",
    )


def _remarks(report: FileReport) -> Iterator[str]:
    found = report.findings
    words = [counted_words(found.found[kind], one, many) for kind, one, many in _WORDS if found.found[kind]]
    if words:
        yield ", ".join(words)
    for place, what in found.notes:
        yield f"  {safe(place or 'document')}: {safe(what)}"
    if report.replaced:
        yield f"{counted_words(report.replaced, 'line', 'lines')} with bytes that are not UTF-8, read with replacements"
    if found.unknown:
        told = ", ".join(f"{safe(name)} ({number:,})" for name, number in found.unknown.most_common(LEFT_OUT_NAMED))
        yield f"records of unknown types, passed over: {told}"


def _problems(outcome: Outcome) -> Iterator[Problem]:
    yield from outcome.problems
    if not outcome.reports and not outcome.problems:
        yield Problem(what="no file in it fits a format, so nothing was imported", where="import", mend=_mend())
    for report in outcome.reports:
        if report.format is None:
            yield _unknown(report)
        elif report.unread:
            places = ", ".join(f"{one.place} ({one.why})" for one in report.told if not one.kept)
            more = ", ..." if report.unread > sum(not one.kept for one in report.told) else ""
            what = f"{counted_words(report.unread, 'place was', 'places were')} not read: {places}{more}"
            yield Problem(what=what, where=report.file, mend="the rest is imported")
    if outcome.rows is not None:
        for row_id, why in outcome.rows.told[:LEFT_OUT_NAMED]:
            if why != CONFLICT:
                yield Problem(what=f"not stored: {why}", where=f"call {row_id}")
    waiting = _waiting(outcome)
    if any(waiting):
        calls, answers = waiting
        words = f"{counted_words(calls, 'call', 'calls')} and {counted_words(answers, 'answer', 'answers')}"
        yield Problem(
            what=f"{words} wait in the spool", where="store", mend="the next command that records stores them"
        )


def _unknown(report: FileReport) -> Problem:
    if report.empty:
        return Problem(what="it is empty, so nothing was imported", where=report.file)
    if report.first is None:
        first = next(iter(report.told), None)
        place = "" if first is None else f"; {first.place}: {first.why}"
        return Problem(what=f"no record in it could be read{place}", where=report.file, mend=_mend())
    shown = cut(
        _CUTTING.text(clean(json.dumps(report.first.value, ensure_ascii=False)[: 2 * RECORD_CHARACTERS])),
        RECORD_CHARACTERS,
    )
    near = ", ".join(one.name for one in nearest(report.first.value))
    what = f"its format is not known{f'; nearest are {near}' if near else ''}; its first record is {shown}"
    return Problem(what=what, where=report.file, mend=_mend())


def _mend() -> str:
    return f"name its format with --format: {', '.join(one.name for one in FORMATS)}"


_CUTTING = Redactor(bytes(32))
"""Takes secrets out of a record that is shown on a terminal; nothing of it is kept."""


def _as_json(outcome: Outcome) -> dict[str, object]:
    rows, kept = outcome.rows, outcome.evaluations
    return {
        "files": [_file_json(report) for report in outcome.reports],
        "left_out": [report.file for report in outcome.left_out],
        "stored": None if rows is None else rows.stored,
        "answers_stored": None if kept is None else kept.stored,
        "known": outcome.known,
        "spooled": 0 if rows is None else rows.spooled,
        "lost": _lost(outcome),
    }


def _file_json(report: FileReport) -> dict[str, object]:
    found = report.findings
    return {
        "file": report.file,
        "format": report.format,
        "records": report.records,
        "unread": report.unread,
        "unread_places": [
            {"place": one.place, "line": one.line, "why": one.why} for one in report.told if not one.kept
        ],
        "replaced": report.replaced,
        "sessions": found.sessions,
        "calls": found.calls.total(),
        "outcomes": {kind.value: found.calls[kind.value] for kind in OutcomeKind},
        "answers": found.answers,
        **{kind.value: found.found[kind] for kind in Finding},
        "known_types": found.known,
        "unknown_types": dict(found.unknown),
        "notes": [{"place": place, "what": what} for place, what in found.notes],
    }
