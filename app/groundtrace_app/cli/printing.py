"""What the command prints: problems on standard error in one line, JSON and tables on standard output.

A terminal gets colour and progress; a pipe gets plain text and nothing else. Control characters in recorded text are
shown, never sent to the terminal.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundtrace.material import time_text
from groundtrace.problem import Problem
from groundtrace_app.cli.exits import Exit

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def fail(problem: Problem, code: Exit = Exit.BAD_INPUT, /) -> int:
    """Print a problem as one line on standard error and return the exit code."""
    print("groundtrace: " + safe(problem.line()), file=sys.stderr)
    return code


def print_json(value: object, /) -> None:
    """Print a value as one JSON document; times as RFC 3339, dataclasses by field."""
    print(json.dumps(plain(value), ensure_ascii=False, indent=2))


def print_json_line(value: object, /) -> None:
    """Print a value as one line of JSON."""
    print(json.dumps(plain(value), ensure_ascii=False))


def plain(value: object, /) -> Any:
    """Return a value as JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return time_text(value) if isinstance(value, datetime) else value


def safe(text: str, /) -> str:
    """Return text with control and direction characters shown as escapes: recorded text never drives a terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def console() -> Console:
    """Return the console for standard output; 100 columns in a pipe."""
    out = Console(highlight=False, soft_wrap=False)
    return out if out.is_terminal else Console(highlight=False, width=100)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], /) -> Table:
    """Return a table of plain cells; no cell is read as markup."""
    made = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(safe("" if cell is None else str(cell))) for cell in row))
    return made
