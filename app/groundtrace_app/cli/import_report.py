"""What `import` says when it is done, for people or as JSON, and what is wrong, a line each on standard error."""

from collections.abc import Iterator
from itertools import islice

from groundtrace.outcomes import OutcomeKind
from groundtrace.problem import Problem
from groundtrace.transcripts.joined import Finding
from groundtrace_app.cli.import_outcome import Outcome
from groundtrace_app.cli.import_problems import NAME_ITS_FORMAT
from groundtrace_app.cli.import_words import left_out_words, print_files
from groundtrace_app.cli.printing import counted_words, fail, print_json
from groundtrace_app.importing import FileReport

CALLS_TOLD = 20
"""So many refused calls are told."""


def tell(outcome: Outcome, /, *, as_json: bool) -> int:
    """Print it and return the exit code."""
    if as_json:
        print_json(_as_json(outcome))
    else:
        _print(outcome)
    return tell_problems(outcome)


def tell_problems(outcome: Outcome, /, *, where: str = "import") -> int:
    """Say on standard error what was not read or not kept, and return the exit code; `where` names the command."""
    for problem in _problems(outcome, where):
        fail(problem)
    return outcome.code


def _print(outcome: Outcome) -> None:
    good = outcome.sums.whole.files
    if good:
        print_files(outcome.sums, [report for report in outcome.reports if report.format is not None])
    if outcome.left_out.count:
        print(left_out_words(outcome.left_out))
    if outcome.rows is not None and good:
        print(_kept_words(outcome))


def _kept_words(outcome: Outcome) -> str:
    rows, kept = outcome.rows, outcome.evaluations
    assert rows is not None
    words = [f"{counted_words(rows.stored, 'call', 'calls')}"]
    words += [counted_words(kept.stored, "answer", "answers")] if kept is not None else []
    known = f"; {outcome.known:,} were there already, told otherwise" if outcome.known else ""
    return f"stored: {' and '.join(words)} (each once, however often it is imported){known}"


def _problems(outcome: Outcome, where: str) -> Iterator[Problem]:
    yield from outcome.problems
    if not outcome.files and not outcome.problems:
        what = f"no file in it fits a format, so nothing was {'imported' if where == 'import' else 'read'}"
        yield Problem(what=what, where=where, mend=NAME_ITS_FORMAT)
    if outcome.troubled > len(outcome.problems):
        more = counted_words(outcome.troubled - len(outcome.problems), "further file was", "further files were")
        yield Problem(what=f"{more} not read, or not wholly", where=where, mend="--json tells more of them")
    for row_id, why in islice(outcome.refused, CALLS_TOLD):
        yield Problem(what=f"not stored: {why}", where=f"call {row_id}")
    if any(outcome.waiting):
        calls, answers = outcome.waiting
        words = f"{counted_words(calls, 'call', 'calls')} and {counted_words(answers, 'answer', 'answers')}"
        what = f"{words} wait in the spool"
        yield Problem(what=what, where="store", mend="the next command that records stores them")


def _as_json(outcome: Outcome) -> dict[str, object]:
    rows, kept = outcome.rows, outcome.evaluations
    return {
        "files": [_file_json(report) for report in outcome.reports],
        "files_count": outcome.files,
        "left_out": outcome.left_out.names,
        "left_out_count": outcome.left_out.count,
        "stored": None if rows is None else rows.stored,
        "answers_stored": None if kept is None else kept.stored,
        "known": outcome.known,
        "spooled": 0 if rows is None else rows.spooled,
        "lost": outcome.lost,
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
        "resumed_sessions": report.resumed,
        "calls": found.calls.total(),
        "outcomes": {kind.value: found.calls[kind.value] for kind in OutcomeKind},
        "answers": found.answers,
        **{kind.value: found.found[kind] for kind in Finding},
        "known_types": found.known,
        "unknown_types": dict(found.unknown),
        "notes": [{"place": place, "what": what} for place, what in found.notes],
    }
