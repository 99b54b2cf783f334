"""What `import` prints for people: a table, what was found beside the calls, which files were left out.

A few files are told one by one, many by format; what was found is told once for all of them, with the first places.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import commonprefix

from rich.table import Table

from groundtrace.outcomes import OutcomeKind
from groundtrace.transcripts.joined import NOTES_KEPT, Finding
from groundtrace_app.cli.import_outcome import LeftOut
from groundtrace_app.cli.printing import counted_words, safe, width
from groundtrace_app.cli.tables import console, table
from groundtrace_app.importing import FileReport

FILES_SHOWN = 20
"""More files than these are shown by format."""

PLACES_TOLD = 10
NAMES_TOLD = 5
ENDINGS_TOLD = 5
TYPES_TOLD = 20
_LEAST_NAME = 16

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
_KINDS = (
    (OutcomeKind.SUCCESS, "success"),
    (OutcomeKind.NO_EVIDENCE, "empty"),
    (OutcomeKind.DEDUPED, "deduped"),
    (OutcomeKind.FAILURE, "failed"),
)
_BETWEEN = 3
"""Characters between two columns of the table."""

MANY = 2


def print_files(good: Sequence[FileReport], /) -> None:
    """Print the table, then what was found."""
    folder = _shared_folder(good)
    many = len(good) > FILES_SHOWN
    rows = _by_format(good) if many else [_file_row(report, folder) for report in good]
    if len(rows) > 1:
        rows.append(_row("all", "", good))
    heads = ("files" if many else "file", "format", "sessions", "calls", *(word for _, word in _KINDS), "answers")
    console().print(_table(heads, rows, title=f"below {folder}" if folder else ""))
    for line in _remarks(good, folder):
        print(line)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, title: str) -> Table:
    shown = [
        column for column, head in enumerate(heads) if head != "deduped" or any(row[column] != "0" for row in rows)
    ]
    room = width() - sum(max(len(row[column]) for row in (heads, *rows)) + _BETWEEN for column in shown[1:])
    named = [(_short(row[0], max(room, _LEAST_NAME)), *row[1:]) for row in rows]
    return table(title, [heads[column] for column in shown], ([row[column] for column in shown] for row in named))


def _shared_folder(good: Sequence[FileReport]) -> str:
    """Return the folder that all of several files lie below, with its separator; empty where there is none."""
    if len(good) < MANY:
        return ""
    shared = commonprefix([report.file for report in good])
    return shared[: shared.rfind("/") + 1]


def left_out_words(left: LeftOut, /) -> str:
    """Return which files of a folder fit no format: how many of what ending, and the first of them."""
    endings = ", ".join(f"{safe(ending)} {number:,}" for ending, number in left.endings.most_common(ENDINGS_TOLD))
    kinds = f" ({endings})" if left.count > NAMES_TOLD else ""
    names = ", ".join(safe(name) for name in left.names[:NAMES_TOLD])
    more = f" and {left.count - NAMES_TOLD:,} more" if left.count > NAMES_TOLD else ""
    return f"{counted_words(left.count, 'file fits', 'files fit')} no format, left out{kinds}: {names}{more}"


def _by_format(good: Sequence[FileReport]) -> list[tuple[str, ...]]:
    formats = Counter(report.format for report in good)
    return [
        _row(f"{number:,}", name, [report for report in good if report.format == name])
        for name, number in formats.most_common()
    ]


def _file_row(report: FileReport, folder: str) -> tuple[str, ...]:
    row = _row(report.file.removeprefix(folder), report.format, [report])
    return (*row[:2], f"{report.findings.sessions:,}", *row[3:])


def _row(name: str, form: str | None, reports: Sequence[FileReport]) -> tuple[str, ...]:
    """Return what files hold together; a session that several of them hold is one."""
    calls: Counter[str] = Counter()
    for report in reports:
        calls.update(report.findings.calls)
    sessions = sum(report.findings.sessions - report.resumed for report in reports)
    numbers = (sessions, calls.total(), *(calls[kind.value] for kind, _ in _KINDS))
    answers = sum(report.findings.answers for report in reports)
    return (safe(name), form or "", *(f"{number:,}" for number in (*numbers, answers)))


def _short(name: str, room: int) -> str:
    """Return a name whose middle is left out where it is too long: both ends tell files apart."""
    if len(name) <= room:
        return name
    head = room * 3 // 5
    return f"{name[:head]}...{name[head + 3 - room :]}"


def _remarks(good: Sequence[FileReport], folder: str) -> Iterator[str]:
    found: Counter[Finding] = Counter()
    unknown: Counter[str] = Counter()
    for report in good:
        found.update(report.findings.found)
        unknown.update(report.findings.unknown)
    words = [counted_words(found[kind], one, many) for kind, one, many in _WORDS if found[kind]]
    if words:
        yield f"found: {', '.join(words)}"
    yield from _places(good, folder, sum(number for kind, number in found.items() if kind is not Finding.UNDATED))
    if replaced := sum(report.replaced for report in good):
        yield f"{counted_words(replaced, 'line', 'lines')} with bytes that are not UTF-8, read with replacements"
    if unknown:
        told = ", ".join(f"{safe(name)} ({number:,})" for name, number in unknown.most_common(TYPES_TOLD))
        yield f"records of unknown types, passed over: {told}"


def _places(good: Sequence[FileReport], folder: str, count: int) -> Iterator[str]:
    """Yield where things were found, the first ones; a file is named where there are several."""
    told = 0
    for report in good:
        for place, what in report.findings.notes[: PLACES_TOLD - told]:
            told += 1
            file = report.file.removeprefix(folder) if len(good) > 1 else ""
            where = ", ".join(part for part in (file, place) if part) or "document"
            said = what.removeprefix(f"{place}: ") if place else what
            yield f"  {safe(where)}: {safe(said)}"
    if count > told:
        yield f"  and {count - told:,} more; --json tells the first {NOTES_KEPT} of each file"
