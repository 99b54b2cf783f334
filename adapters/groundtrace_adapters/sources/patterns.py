"""Patterns of users, compiled by RE2: linear in the text whatever the pattern, so that none can hang a query.

RE2 comes with the extra `logs` (google-re2). Without it literals still work, and a regular expression is refused.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import SourceError
from groundtrace.text import cut

Finder: TypeAlias = Callable[[bytes, int, int], tuple[int, int] | None]
"""Finds the first match in data[start:end] and gives its span; `^` and `$` hold at every line."""

PATTERN_CHARACTERS = 10_000
"""The longest pattern that is taken, in characters."""

_MEMORY_BYTES = 16 * 1024 * 1024
_LINE_MODE = "(?m)"
_NEEDS_RE2 = (
    "a regular expression needs google-re2, which is not installed: pip install 'groundtrace[logs]', or search for"
    " literal text"
)


def compile_pattern(pattern: str, /) -> Result[Finder, SourceError]:
    """Return what finds a regular expression (RE2 syntax) in UTF-8 bytes; a bad pattern says where it is bad."""
    try:
        import re2
    except ImportError:
        return result.Failure(SourceError(kind=FailureKind.ERROR, message=_NEEDS_RE2))
    if len(pattern) > PATTERN_CHARACTERS:
        return result.Failure(_refusal(pattern, f"is longer than {PATTERN_CHARACTERS:,} characters"))
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY_BYTES
    try:
        search = re2.compile(f"{_LINE_MODE}{pattern}".encode(errors="replace"), options).search
    except re2.error as error:
        return result.Failure(_refusal(pattern, _fault(pattern, error)))

    def find(data: bytes, start: int, end: int) -> tuple[int, int] | None:
        found = search(data, start, end)
        return None if found is None else found.span()

    return result.Success(find)


def literal_finder(text: bytes, /) -> Finder | None:
    """Return what finds a text as it stands with RE2, None where that is not installed or cannot."""
    try:
        pattern = re.escape(text.decode())
    except UnicodeDecodeError:
        return None
    return compile_pattern(pattern).value_or(None)


def full_match(pattern: str, /) -> Result[Callable[[str], bool], SourceError]:
    """Return a test whether a whole text matches a regular expression, as label matchers of metrics want it."""
    # The bare pattern is compiled first: an error in the wrapped one would point at text that nobody wrote.
    return (
        compile_pattern(pattern)
        .bind(lambda _: compile_pattern(rf"\A(?s-m:(?:{pattern}))\z"))
        .map(lambda find: lambda text: _finds(find, text.encode(errors="replace")))
    )


def _finds(find: Finder, data: bytes) -> bool:
    return find(data, 0, len(data)) is not None


def _fault(pattern: str, error: Exception) -> str:
    """Return RE2's words and the place of the fragment that they name."""
    raw = error.args[0] if error.args else b""
    words = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    reason, _, fragment = words.partition(": ")
    fragment = fragment.removeprefix(_LINE_MODE)
    place = _parenthesis(pattern) if reason.endswith(" )") else pattern.find(fragment)
    return f"is not valid at character {max(place, 0) + 1}: {reason}"


def _parenthesis(pattern: str) -> int:
    """Return the place of the first parenthesis without its partner, escapes left out; the end if there is none."""
    opened: list[int] = []
    escaped = False
    for at, mark in enumerate(pattern):
        if escaped or mark == "\\":
            escaped = not escaped
        elif mark == "(":
            opened.append(at)
        elif mark == ")":
            if not opened:
                return at
            opened.pop()
    return opened[0] if opened else len(pattern)


def _refusal(pattern: str, why: str) -> SourceError:
    return SourceError(
        kind=FailureKind.ERROR,
        message=f"pattern {cut(pattern, 200)!r} {why}; write it in RE2 syntax, or search literally",
    )
