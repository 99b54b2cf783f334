"""What `import` says when it is done, for people or as JSON, and what is wrong, a line each on standard error."""

import json
from collections.abc import Iterator
from itertools import islice

from groundtrace.outcomes import OutcomeKind
from groundtrace.problem import Problem
from groundtrace.redaction import Redactor
from groundtrace.text import clean, cut
from groundtrace.transcripts.formats import FORMATS, nearest
from groundtrace.transcripts.joined import Finding
from groundtrace_app.cli.import_outcome import Outcome
from groundtrace_app.cli.import_words import left_out_words, print_files
from groundtrace_app.cli.printing import counted_words, fail, print_json
from groundtrace_app.importing import FileReport

RECORD_CHARACTERS = 300
PROBLEMS_TOLD = 20
"""So many refused calls, and so many files with places that were not read, are told; the others are counted."""

PLACES_TOLD = 5


def tell(outcome: Outcome, /, *, as_json: bool) -> int:
    """Print it and return the exit code."""
    if as_json:
        print_json(_as_json(outcome))
    else:
        _print(outcome)
    return tell_problems(outcome)


def tell_problems(outcome: Outcome, /) -> int:
    """Say on standard error what was not read or not kept, and return the exit code."""
    for problem in _problems(outcome):
        fail(problem)
    return outcome.code


def _print(outcome: Outcome) -> None:
    if good := outcome.good:
        print_files(good)
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


def _problems(outcome: Outcome) -> Iterator[Problem]:
    yield from outcome.problems
    if not outcome.reports and not outcome.problems:
        yield Problem(what="no file in it fits a format, so nothing was imported", where="import", mend=_mend())
    bad = [report for report in outcome.reports if report.format is None or report.unread]
    yield from (_unknown(one) if one.format is None else _half_read(one) for one in bad[:PROBLEMS_TOLD])
    if len(bad) > PROBLEMS_TOLD:
        more = counted_words(len(bad) - PROBLEMS_TOLD, "further file was", "further files were")
        yield Problem(what=f"{more} not read, or not wholly", where="import", mend="--json tells them")
    for row_id, why in islice(outcome.refused, PROBLEMS_TOLD):
        yield Problem(what=f"not stored: {why}", where=f"call {row_id}")
    if any(outcome.waiting):
        calls, answers = outcome.waiting
        words = f"{counted_words(calls, 'call', 'calls')} and {counted_words(answers, 'answer', 'answers')}"
        what = f"{words} wait in the spool"
        yield Problem(what=what, where="store", mend="the next command that records stores them")


def _half_read(report: FileReport) -> Problem:
    told = [one for one in report.told if not one.kept][:PLACES_TOLD]
    places = ", ".join(f"{one.place} ({one.why})" for one in told)
    more = f" and {report.unread - len(told):,} more" if report.unread > len(told) else ""
    what = f"{counted_words(report.unread, 'place was', 'places were')} not read: {places}{more}"
    return Problem(what=what, where=report.file, mend="the rest is imported")


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
