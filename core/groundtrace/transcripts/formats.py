"""The known transcript formats, and which of them a file is in."""

from collections.abc import Iterable

from groundtrace.transcripts.events import Format, Record

FORMATS: tuple[Format, ...] = ()
"""In the order in which a record is tried: what is told apart by more comes first."""


def format_of(records: Iterable[Record], /) -> Format | None:
    """Return the format of the first record that shows one; a file may begin with records that show nothing."""
    for record in records:
        for one in FORMATS:
            if one.fits(record.value):
                return one
    return None


def format_named(name: str, /) -> Format | None:
    """Return the format with this name."""
    return next((one for one in FORMATS if one.name == name), None)
