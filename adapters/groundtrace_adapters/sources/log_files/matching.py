"""What a log query looks for, as a search over bytes: a literal text, or an RE2 expression behind its required text."""

import re
from dataclasses import dataclass

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import LogQuery, SourceError
from groundtrace.text import clean, is_blank
from groundtrace_adapters.sources.log_files.needle import Needle
from groundtrace_adapters.sources.patterns import PATTERN_CHARACTERS, Finder, compile_pattern
from groundtrace_adapters.sources.required_text import required_text

# Anchors of the whole text, and flags that could make `^` and `$` such: they mean the entry, never a block.
_WHOLE_TEXT = re.compile(r"\\[AzQC]|\(\?[a-zA-Z]*-|\(\?[a-zA-Z]*[sU]")
_PATIENCE = 256


@dataclass(slots=True, kw_only=True)
class Matcher:
    """Finds candidates in whole blocks, and decides about one entry.

    `required` is a text that every match holds; it is looked for instead of the expression until it proves to be
    common. `by_entry` is set where a block must not be searched as one: for anchors of the whole text, and for an
    expression whose matches keep running over the end of an entry, which would cost the square of a block.
    """

    find: Finder
    required: bytes = b""
    by_entry: bool = False
    misses: int = 0
    overruns: int = 0
    needle: Needle | None = None

    @property
    def is_visible(self) -> bool:
        """Tell whether the required text stays as it is when a block is made searchable: printable ASCII."""
        return bool(self.required) and self.required.isascii() and self.required.decode().isprintable()

    def may_be_in(self, before: bytes, piece: bytes, /) -> bool:
        """Tell whether a match may lie in two pieces that follow each other."""
        text, reach = self.required, len(self.required) - 1
        if not text or text in before or text in before[-reach:] + piece[:reach]:
            return True
        return self._place(piece, 0) >= 0

    def candidate(self, data: bytes, start: int, /) -> tuple[int, int] | None:
        """Return the span, at or after `start`, by which the first entry that may match is hit."""
        if self.required:
            at = self._place(data, start)
            return None if at < 0 else (at, at)
        return self.find(data, start, len(data))

    def _place(self, data: bytes, start: int) -> int:
        if self.needle is None:
            self.needle = Needle(text=self.required)
        return self.needle.find(data, start)

    def learn(self, *, hit: bool, overran: bool) -> None:
        """Take note of a candidate: whether its entry matched, and whether its span ran over the entry's end."""
        self.misses += -1 if hit else 1
        self.overruns += overran
        if self.misses > _PATIENCE:
            self.required = b""
        if self.overruns > _PATIENCE:
            self.by_entry = True

    def holds(self, text: str, /) -> bool:
        """Tell whether a text of its own matches."""
        data = text.encode(errors="replace")
        return self.find(data, 0, len(data)) is not None


def matcher_of(query: LogQuery, /) -> Result[Matcher | None, SourceError]:
    """Return the search that a query asks for, None if it takes every entry; a bad pattern is an error."""
    pattern = clean(query.pattern or "")
    if is_blank(pattern):
        return result.Success(None)
    if query.regex:
        return compile_pattern(pattern).map(lambda find: _expression(pattern, find))
    if len(pattern) > PATTERN_CHARACTERS:
        words = f"the text to search for is longer than {PATTERN_CHARACTERS:,} characters; shorten it"
        return result.Failure(SourceError(kind=FailureKind.ERROR, message=words))
    return result.Success(literal_matcher(pattern))


def literal_matcher(text: str, /) -> Matcher:
    """Return the search for a text as it stands."""
    needle = text.encode(errors="replace")
    return Matcher(find=_literal(needle), required=needle)


def _expression(pattern: str, find: Finder) -> Matcher:
    needle = required_text(pattern)
    return Matcher(
        find=find,
        required=needle.encode(errors="replace"),
        by_entry=_WHOLE_TEXT.search(pattern) is not None,
    )


def _literal(needle: bytes) -> Finder:
    def find(data: bytes, start: int, end: int) -> tuple[int, int] | None:
        at = data.find(needle, start, end)
        return None if at < 0 else (at, at + len(needle))

    return find
