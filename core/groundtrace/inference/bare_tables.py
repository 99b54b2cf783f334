"""Tables that have a head and not one row: of `kubectl`, `docker` and `ps`, of SQL shells, of Markdown."""

import re

MOST_LINES = 6

_NAME = r"[A-Z][A-Z0-9()%_/.:-]*"
_HEADER = re.compile(rf"{_NAME}(?: {_NAME})*(?:(?: {{2,}}|\t){_NAME}(?: [A-Z0-9()%_/.:-]+)*)+")
"""Names in capitals, in columns that are two blanks apart."""

_EDGES = r"[\s|+:=*─━│┼├┤┌┐└┘┬┴_-]*"
_RULE = re.compile(rf"{_EDGES}[=─━_+:-]{{2,}}{_EDGES}")
_PIPED = re.compile(r"[^\n|]*(?:\|[^\n|]*)+")
_DASHES = re.compile(r"\s*-{5,}[-\s]*")
_COLUMNS = re.compile(r"[A-Z]\w*(?: [\w()%]+)?(?:(?: {2,}|\t)[A-Z]\w*(?: [\w()%]+)?)+")
_NO_FRAME = re.compile(r"Empty DataFrame\nColumns: \[[^\n]*\]\nIndex: \[[^\n]*\]|Series\(\[\], [^\n]{1,80}\)")
_NO_ROWS = re.compile(r"\(0 rows(?: affected)?\)|0 rows in set[^\n]{0,40}|Empty set[^\n]{0,40}", re.IGNORECASE)


def is_bare_table(text: str, /) -> bool:
    """Tell whether a whole text is the head of a table, with its rules, or a head and a line that counts no rows."""
    if _NO_FRAME.fullmatch(text.strip()):
        return True
    lines = [line.rstrip() for line in text.strip().splitlines() if line.strip()]
    if not lines or len(lines) > MOST_LINES:
        return False
    if len(lines) > 1 and _NO_ROWS.fullmatch(lines[-1].strip()):
        return True
    heads = [line for line in lines if not _RULE.fullmatch(line)]
    if len(lines) == 2 and _DASHES.fullmatch(lines[1]) and _COLUMNS.fullmatch(heads[0].strip() if heads else ""):
        return True
    return len(heads) == 1 and (_HEADER.fullmatch(heads[0].strip()) is not None or _is_ruled(lines, heads[0]))


def _is_ruled(lines: list[str], head: str) -> bool:
    ruled = (len(lines) > 1 and not _RULE.fullmatch(lines[0])) or len(lines) > 2
    return ruled and _PIPED.fullmatch(head) is not None
