"""What `import` prints for people: a table, what was found beside the calls, which files were left out.

A few files are told one by one, many by format; what was found is told once for all of them, with the first places.
"""

from collections.abc import Iterator, Sequence

from rich.table import Table

from groundtrace.outcomes import OutcomeKind
from groundtrace.transcripts.joined import NOTES_KEPT, Finding
from groundtrace_app.cli.import_outcome import LeftOut
from groundtrace_app.cli.import_sums import Sum, Sums
from groundtrace_app.cli.printing import counted_words, safe, width
from groundtrace_app.cli.tables import console, table
from groundtrace_app.importing import FileReport

FILES_SHOWN = 20
"""More files than these are shown by format."""

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


def print_files(sums: Sums, good: Sequence[FileReport], /) -> None:
    """Print the table, then what was found; `good` are reports of the first files in a known format."""
    many = sums.whole.files > min(FILES_SHOWN, len(good))
    if many:
        rows = [_row(f"{one.files:,}", name, one) for name, one in sums.by_format.items()]
    else:
        rows = [_file_row(report, sums.folder) for report in good]
    if len(rows) > 1:
        rows.append(_row("all", "", sums.whole))
    heads = ("files" if many else "file", "format", "sessions", "calls", *(word for _, word in _KINDS), "answers")
    console().print(_table(heads, rows, title=f"below {sums.folder}" if sums.folder else ""))
    for line in _remarks(sums):
        print(line)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, title: str) -> Table:
    shown = [
        column for column, head in enumerate(heads) if head != "deduped" or any(row[column] != "0" for row in rows)
    ]
    room = width() - sum(max(len(row[column]) for row in (heads, *rows)) + _BETWEEN for column in shown[1:])
    named = [(_short(row[0], max(room, _LEAST_NAME)), *row[1:]) for row in rows]
    return table(title, [heads[column] for column in shown], ([row[column] for column in shown] for row in named))


def left_out_words(left: LeftOut, /) -> str:
    """Return which files of a folder fit no format: how many of what ending, and the first of them."""
    endings = ", ".join(f"{safe(ending)} {number:,}" for ending, number in left.endings.most_common(ENDINGS_TOLD))
    kinds = f" ({endings})" if left.count > NAMES_TOLD else ""
    names = ", ".join(safe(name) for name in left.names[:NAMES_TOLD])
    more = f" and {left.count - NAMES_TOLD:,} more" if left.count > NAMES_TOLD else ""
    return f"{counted_words(left.count, 'file fits', 'files fit')} no format, left out{kinds}: {names}{more}"


def _file_row(report: FileReport, folder: str) -> tuple[str, ...]:
    one = Sum()
    one.add(report)
    row = _row(report.file.removeprefix(folder), report.format or "", one)
    return (*row[:2], f"{report.findings.sessions:,}", *row[3:])


def _row(name: str, form: str, one: Sum) -> tuple[str, ...]:
    numbers = (one.sessions, one.calls.total(), *(one.calls[kind.value] for kind, _ in _KINDS), one.answers)
    return (safe(name), form, *(f"{number:,}" for number in numbers))


def _short(name: str, room: int) -> str:
    """Return a name whose middle is left out where it is too long: both ends tell files apart."""
    if len(name) <= room:
        return name
    head = room * 3 // 5
    return f"{name[:head]}...{name[head + 3 - room :]}"


def _remarks(sums: Sums) -> Iterator[str]:
    words = [counted_words(sums.found[kind], one, many) for kind, one, many in _WORDS if sums.found[kind]]
    if words:
        yield f"found: {', '.join(words)}"
    yield from _places(sums)
    if sums.replaced:
        yield f"{counted_words(sums.replaced, 'line', 'lines')} with bytes that are not UTF-8, read with replacements"
    if sums.unknown:
        told = ", ".join(f"{safe(name)} ({number:,})" for name, number in sums.unknown.most_common(TYPES_TOLD))
        yield f"records of unknown types, passed over: {told}"


def _places(sums: Sums) -> Iterator[str]:
    """Yield where things were found, the first ones; a file is named where there are several."""
    for name, place, what in sums.places:
        file = name.removeprefix(sums.folder) if sums.whole.files > 1 else ""
        where = ", ".join(part for part in (file, place) if part) or "document"
        said = what.removeprefix(f"{place}: ") if place else what
        yield f"  {safe(where)}: {safe(said)}"
    count = sums.found.total() - sums.found[Finding.UNDATED]
    if count > len(sums.places):
        yield f"  and {count - len(sums.places):,} more; --json tells the first {NOTES_KEPT} of each file"
