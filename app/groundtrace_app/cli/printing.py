"""What the command prints: problems on standard error in one line; JSON, or text for people, on standard output.

A terminal gets colour and lines of its width; a pipe gets plain text. Recorded text never drives a terminal: control,
direction and invisible characters are shown as escapes.
"""

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from groundtrace.material import time_text
from groundtrace.problem import Problem
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.streams import say

PIPE_WIDTH = 100
LEAST_WIDTH, MOST_WIDTH = 40, 160

# Controls, what reorders a text, and what leaves nothing visible; joiners stay, scripts and emoji need them.
_SEEN_BY_NOBODY = (
    "\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{_SEEN_BY_NOBODY}]")
_IN_JSON = re.compile(f"[\x7f-\x9f\ud800-\udfff{_SEEN_BY_NOBODY}]")
_COLOURS = {"good": "green", "poor": "yellow", "bad": "red", "quiet": "bright_black", "head": "cyan"}
_COMMAND = "groundtrace "


def fail(problem: Problem, code: Exit = Exit.BAD_INPUT, /) -> int:
    """Print a problem as one line on standard error and return the exit code."""
    return say(safe(problem.line()), code)


def print_json(value: object, /) -> None:
    """Print a value as one JSON document; times as RFC 3339, dataclasses by field. In ASCII where stdout knows no more.

    Half of a surrogate pair, and what would drive or reorder a terminal, are escapes in any case, which JSON allows.
    """
    text = json.dumps(plain(value), ensure_ascii=not _speaks_unicode(), indent=2)
    print(_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text))


def plain(value: object, /) -> Any:
    """Return a value as JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return time_text(value) if isinstance(value, datetime) else value


def safe(text: str, /) -> str:
    """Return text as one line with control and direction characters shown as escapes."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else _escape(found[0]), text)


def safe_lines(text: str, /) -> str:
    """Return text of several lines with control characters shown; a tab is a space."""
    return "\n".join(safe(line.replace("\t", " ")) for line in text.split("\n"))


def counted_words(number: int, one: str, many: str, /) -> str:
    """Return a number with its noun: `1 call`, `1,200 calls`."""
    return f"{number:,} {one if number == 1 else many}"


def width() -> int:
    """Return the columns to fill: the terminal's (or `COLUMNS`), 100 in a pipe; at least 40, at most 160."""
    return min(MOST_WIDTH, max(LEAST_WIDTH, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns))


def paint(text: str, colour: str, /) -> str:
    """Return text in one of our colours (`good`, `poor`, `bad`, `quiet`, `head`) where a terminal wants colour."""
    stdout = sys.stdout
    wanted = stdout is not None and stdout.isatty() and not os.environ.get("NO_COLOR")
    if not wanted or os.environ.get("TERM") == "dumb" or colour not in _COLOURS:
        return text
    import typer

    return typer.style(text, fg=_COLOURS[colour])


def fit(text: str, columns: int, /) -> str:
    """Return text cut to so many columns of a terminal, the cut seen; wide characters count two."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= columns:
        return text
    return set_cell_size(text, max(0, columns - 3)).rstrip() + "..."


def wrapped(text: str, columns: int, /, *, indent: int = 0, hang: int = 0) -> str:
    """Return text broken between words, `indent` spaces before each line and `hang` more from the second one on."""
    return textwrap.fill(
        text,
        columns,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_on_hyphens=False,
        break_long_words=False,
    )


def at_most(text: str, lines: int, columns: int, /, *, head: str) -> str:
    """Return `head` and text in at most so many lines, the cut seen; later lines stand below the text."""
    below = " " * len(head)
    found = textwrap.wrap(text, columns, initial_indent=head, subsequent_indent=below, break_on_hyphens=False)
    if len(found) > lines:
        found = [*found[: lines - 1], fit(f"{found[lines - 1]} {found[lines].strip()}...", columns)]
    return "\n".join(found)


def for_reading(text: str, /) -> str:
    """Return a reply as a terminal of this width shows it best; in a pipe, and with a command to copy, as it stands."""
    stdout = sys.stdout
    if stdout is None or not stdout.isatty():
        return safe_lines(text)
    return "\n".join(map(_readable, safe_lines(text).split("\n")))


def _readable(line: str) -> str:
    if _COMMAND in line or len(line) <= width():
        return line
    return wrapped(line, width(), hang=2 if line.startswith("- ") else 0)


def _speaks_unicode() -> bool:
    return "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}"
