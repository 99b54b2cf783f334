"""What is wrong with a file of an import, in one line: it fits no format, holds nothing of it, or was half read."""

import json

from groundtrace.problem import Problem
from groundtrace.redaction import Redactor
from groundtrace.text import clean, cut
from groundtrace.transcripts.formats import FORMATS, nearest
from groundtrace_app.cli.printing import counted_words
from groundtrace_app.importing import FileReport

RECORD_CHARACTERS = 300
PLACES_TOLD = 5

NAME_ITS_FORMAT = f"name its format with --format: {', '.join(one.name for one in FORMATS)}"

_CUTTING = Redactor(bytes(32))
"""Takes secrets out of a record that is shown on a terminal; nothing of it is kept."""


def file_problem(report: FileReport, /) -> Problem:
    """Return what is wrong with a file in no known format, or with one that was read in part."""
    return _half_read(report) if report.format is not None else _unknown(report)


def _half_read(report: FileReport) -> Problem:
    told = [one for one in report.told if not one.kept][:PLACES_TOLD]
    places = ", ".join(f"{one.place} ({one.why})" for one in told)
    more = f" and {report.unread - len(told):,} more" if report.unread > len(told) else ""
    what = f"{counted_words(report.unread, 'place was', 'places were')} not read: {places}{more}"
    return Problem(what=what, where=report.file, mend="the rest is imported")


def _unknown(report: FileReport) -> Problem:
    if report.empty:
        return Problem(what="it is empty, so nothing was imported", where=report.file)
    if report.refused is not None:
        what = f"nothing in it is of the format {report.refused}, so nothing was imported"
        return Problem(what=what, where=report.file, mend="--format auto finds its format, if it is a known one")
    if report.first is None:
        first = next(iter(report.told), None)
        place = "" if first is None else f"; {first.place}: {first.why}"
        return Problem(what=f"no record in it could be read{place}", where=report.file, mend=NAME_ITS_FORMAT)
    shown = cut(
        _CUTTING.text(clean(json.dumps(report.first.value, ensure_ascii=False)[: 2 * RECORD_CHARACTERS])),
        RECORD_CHARACTERS,
    )
    near = ", ".join(one.name for one in nearest(report.first.value))
    what = f"its format is not known{f'; nearest are {near}' if near else ''}; its first record is {shown}"
    return Problem(what=what, where=report.file, mend=NAME_ITS_FORMAT)
