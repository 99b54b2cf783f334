"""Log entries of one form: what stays the same while times, ids and numbers change. Pure."""

import re
from collections.abc import Sequence
from itertools import groupby

from groundtrace_adapters.models.rules.evidence import LogUnit

_TOKEN = re.compile(r"[^\s\[\](),]+")
_DIGIT = re.compile(r"\d")
_CUT = "\x1f"
_SEVERE = re.compile(r"\b(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b|\b(?:error|fatal|panic|exception):", re.ASCII)
_UNCLOSED = re.compile(r"(?<=\S)[\[({][^\])}]{0,20}$")
_LOOSE_END = re.compile(r"(?:[\s,;:(\[-]*\.\.\.)+$")
_LEVELS = frozenset("error fatal panic critical severe emergency alert crit err".split())
_PLAIN_WORD = re.compile(r"(?<!\S)[\[(]?[A-Za-z]{2,}[\])]?[:,.!]*(?!\S)")
_LOOKED_AT = 4_000
_TELLING = 15
_WORDS = 3
LONGEST = 160
"""The longest quoted fragment, in characters."""


def fragment_of(text: str, /) -> str:
    """Return what entries of one form share word for word: the longest stretch of the first line without what
    varies.

    A stretch that names a severity is preferred; at most 160 characters.
    """
    pieces = [piece.strip(" \t,;:-") for piece in _without_varying(_first_line(text).replace("`", "\n")).split(_CUT)]
    parts = [part.strip() for piece in pieces for part in piece.split("\n")]
    severe = [part for part in parts if _SEVERE.search(part) and len(_PLAIN_WORD.findall(part)) >= _WORDS]
    telling = severe or parts
    best = _UNCLOSED.sub("", max(telling, key=_worth, default="")).strip(" \t,;:-")
    if len(best) <= LONGEST:
        return best
    return best[:LONGEST].rsplit(" ", 1)[0]


def form_of(text: str, /) -> str:
    """Return an entry's first line with each run of tokens that hold a digit made one `#`: equal for one form."""
    return " ".join("#" if varying else words for varying, words in _runs(text))


def quote_of(texts: Sequence[str], /) -> str:
    """Return what entries of one form share from their fragment on, `...` for what varies; at most 160 characters."""
    columns = zip(*(_runs(text) for text in texts), strict=True)
    kept = [words.pop() if len(words) == 1 else "..." for words in ({run for _, run in column} for column in columns)]
    shared = " ".join(words if "`" not in words else "..." for words in kept)
    start = max(0, shared.find(fragment_of(texts[0])))
    whole = shared[start:].removeprefix("... ")
    cut = whole if len(whole) <= LONGEST else whole[:LONGEST].rsplit(" ", 1)[0]
    return _UNCLOSED.sub("", _LOOSE_END.sub("", cut)).strip(" \t,;:-")


def _runs(text: str) -> list[tuple[bool, str]]:
    """Return the words of a first line in runs: those that vary (with a digit or a backtick), those that do not."""
    words = _first_line(text).split()
    runs = groupby(words, key=lambda word: _DIGIT.search(word) is not None or "`" in word)
    return [(varying, " ".join(run)) for varying, run in runs]


def sentence_of(text: str, /) -> str:
    """Return an entry's first line from its fragment on, numbers and all, in at most 160 characters.

    Where the fragment tells nothing by itself, the line is given from its first plain word on.
    """
    fragment, line = fragment_of(text), _first_line(text)
    first = _PLAIN_WORD.search(line)
    start = line.find(fragment) if tells(fragment) or first is None else first.start()
    rest = line[max(0, start) :].replace("`", "...").strip(" \t,;:-")
    return rest if len(rest) <= LONGEST else rest[:LONGEST].rsplit(" ", 1)[0]


def tells(fragment: str, /) -> bool:
    """Tell whether a fragment says something by itself: a severity, or three plain words."""
    severe = _SEVERE.search(fragment) is not None and len(fragment) >= _TELLING
    return severe or len(_PLAIN_WORD.findall(fragment)) >= _WORDS


def _without_varying(line: str) -> str:
    """Return a line with a cut in place of each token that holds a digit: times, ids, measures."""
    return _TOKEN.sub(lambda found: _CUT if _DIGIT.search(found[0]) else found[0], line)


def _worth(part: str) -> tuple[int, int]:
    """Rank stretches: plain words tell more than the `key=value` pairs of a line's head."""
    return (len(_PLAIN_WORD.findall(part)), len(part))


def is_severe(log: LogUnit, /) -> bool:
    """Tell whether an entry's own level, or its first line, calls it an error or worse."""
    level = log.fields.get("level", "").casefold()
    return level in _LEVELS if level else _SEVERE.search(_first_line(log.text)) is not None


def _first_line(text: str) -> str:
    return " ".join(text[:_LOOKED_AT].strip().split("\n", 1)[0].split())
