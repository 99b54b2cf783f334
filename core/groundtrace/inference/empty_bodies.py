"""Objects and lists that are empty but for bookkeeping: where the reader is, how long it took, what was asked."""

import re
from collections.abc import Mapping

from groundtrace.emptiness import is_empty, says_nothing
from groundtrace.inference.absence import is_absence
from groundtrace.inference.bookkeeping import BOOKKEEPING, COUNTS, DATA_NAMES, FINE, FREELY, SAYING
from groundtrace.json_text import JsonValue

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DEEPEST = 12

_NO_NUMBER = (0, -1)
"""Counts of nothing: none, and one that nobody knows."""


def holds_nothing(form: JsonValue, /, *, deeper: int = _DEEPEST) -> bool:
    """Tell whether an object or list is empty but for bookkeeping; a number is data unless it is a count of 0.

    At least one list or object under a name of data must be there, and be empty.
    """
    if not isinstance(form, dict):
        return isinstance(form, list) and is_empty(form)
    if is_empty(form):
        return True
    told = {name: item for name, item in form.items() if not _is_bookkeeping(name, item)}
    holders = [item for item in told.values() if isinstance(item, list | dict)]
    return deeper > 0 and bool(holders) and all(_is_nothing(name, item, deeper) for name, item in told.items())


def _is_bookkeeping(name: str, item: JsonValue) -> bool:
    words = _words(name)
    if not words or not BOOKKEEPING.issuperset(words) or (len(words) == 1 and words[0] in DATA_NAMES):
        return False
    if isinstance(item, dict | list):
        return _frames(words, item)
    return words[-1] not in SAYING or _says_little(item)


def _frames(words: list[str], item: JsonValue) -> bool:
    """Tell whether a list or object under a name of bookkeeping holds no more than that."""
    if not FREELY.isdisjoint(words) or is_empty(item):
        return True
    return isinstance(item, dict) and all(_is_bookkeeping(name, one) or one == 0 for name, one in item.items())


def _says_little(item: JsonValue) -> bool:
    if isinstance(item, str):
        return item.strip().casefold() in FINE or says_nothing(item) or is_absence(item)
    return item is None or item is True or (isinstance(item, int) and item < 400)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[:200])]


def _is_nothing(name: str, item: JsonValue, deeper: int) -> bool:
    if is_empty(item):
        return True
    if isinstance(item, dict) and _is_count(name) and all(one == 0 or isinstance(one, str) for one in item.values()):
        return True
    if isinstance(item, dict):
        return _is_null(item) or holds_nothing(item, deeper=deeper - 1)
    return not isinstance(item, bool) and item in _NO_NUMBER and _is_count(name)


def _is_count(name: str) -> bool:
    return not COUNTS.isdisjoint(_words(name))


def _is_null(form: Mapping[str, JsonValue]) -> bool:
    return all(item is None for item in form.values())
