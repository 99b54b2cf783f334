"""One row as one line of a spool, with a checksum over its text: pure bytes, no file.

A line is `{"sha256":"...","row":{...}}`; whatever does not read back exactly is broken, never half read.
"""

import hashlib

from groundtrace.invocation import Invocation
from groundtrace.row_json import row_from_json, row_to_json

_HEAD, _MIDDLE, _END = b'{"sha256":"', b'","row":', b"}\n"
_SUM_AT = len(_HEAD)
_MIDDLE_AT = _SUM_AT + 64
_ROW_AT = _MIDDLE_AT + len(_MIDDLE)

UNWRITABLE = (ValueError, TypeError, AttributeError, OverflowError, RecursionError)
"""What `line_of` raises for a row that holds what no row of ours does, such as half of a surrogate pair."""

LONGEST_LINE = 4 * 1024 * 1024
"""No row is longer than this, in bytes; a longer line is read in pieces, each of them broken."""


def line_of(row: Invocation, /) -> bytes:
    """Return a row as a line, with its line feed; raises one of `UNWRITABLE`."""
    text = row_to_json(row).encode()
    if len(text) > LONGEST_LINE - _ROW_AT - len(_END):
        raise ValueError("a row is longer than a line is read")
    return b"".join((_HEAD, hashlib.sha256(text).hexdigest().encode(), _MIDDLE, text, _END))


def row_of(line: bytes, /) -> Invocation | None:
    """Return the row of a line, None where the line is torn, changed or no row of ours."""
    if not (line.startswith(_HEAD) and line[_MIDDLE_AT:_ROW_AT] == _MIDDLE and line.endswith(_END)):
        return None
    text = line[_ROW_AT : -len(_END)]
    if hashlib.sha256(text).hexdigest().encode() != line[_SUM_AT:_MIDDLE_AT]:
        return None
    try:
        return row_from_json(text.decode()).value_or(None)
    except UnicodeDecodeError:
        # No line of ours, though its checksum is right.
        return None
