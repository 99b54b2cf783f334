"""Searches one file whatever its format, and says in words what of it was not seen."""

from datetime import UTC, datetime, tzinfo
from pathlib import Path

from groundtrace_adapters.sources.file_blocks import ENTRY_BYTES, Reading, head_of
from groundtrace_adapters.sources.line_counter import LineCounter
from groundtrace_adapters.sources.log_files.formats import HEAD_BYTES, LogFormat, LogKind, recognise
from groundtrace_adapters.sources.log_files.plain_scan import scan_plain
from groundtrace_adapters.sources.log_files.record_scan import RecordScan
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.timestamps import Clockwork

_COUNTED_BLOCKS = 64
"""The lines of so many blocks, 8 MB, are counted in any case: that is soon done, and an answer can tell how many."""


def format_of(path: Path, given: LogFormat | None, /) -> LogFormat | str:
    """Return the format of a file, or in words why it cannot be read; total."""
    try:
        return recognise(path.name, head_of(path, HEAD_BYTES), given=given)
    except OSError as error:
        return error.strerror or type(error).__name__


def search_file(
    path: Path, how: LogFormat, search: Search, /, *, name: str, zone: tzinfo, start: int = 0
) -> tuple[str, ...]:
    """Offer a file's matching entries to the search; return in words what of the file was not seen. Total.

    `name` is what origins and words call the file.
    """
    reading = Reading()
    unseen: tuple[str, ...] = ()
    try:
        status = path.stat()
        clockwork = Clockwork(zone=zone, latest=datetime.fromtimestamp(status.st_mtime, UTC))
        if how.kind is LogKind.PLAIN and start > 0:
            scan_plain(path, search, clockwork, reading, name=name, stamped=how.stamped, start=start)
        elif how.kind is LogKind.PLAIN:
            known = search.counts.known(path, status, stamped=how.stamped)
            lines = LineCounter(newlines=list(known), ahead=_COUNTED_BLOCKS)
            reading = Reading(lines=lines, may_read_again=lambda: not search.budget.spent())
            scan_plain(path, search, clockwork, reading, name=name, stamped=how.stamped)
            search.counts.keep(path, status, lines.newlines, stamped=how.stamped)
        else:
            scan = RecordScan(
                path=path, name=name, how=how, search=search, clockwork=clockwork, reading=reading, start=start
            )
            scan.run()
            unseen = scan.unseen()
    except OSError as error:
        unseen = (*unseen, f"{name} could not be read to its end ({error.strerror})")
    return (*unseen, *_faults(name, reading))


def _faults(name: str, reading: Reading) -> tuple[str, ...]:
    told: list[str] = []
    if reading.fault:
        told.append(f"{name}: {reading.fault}")
    if reading.overlong:
        told.append(
            f"{reading.overlong:,} entries of {name} are longer than {ENTRY_BYTES:,} bytes and were searched only"
            " so far"
        )
    return tuple(told)
