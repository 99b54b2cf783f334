"""The literal text that every match of a regular expression must hold, as far as a simple reading can tell.

Pure. Looking for such a text first is many times faster than running the expression; where the reading is not sure,
there is none.
"""

import re

_REPETITION = re.compile(r"\{\d+(,\d*)?\}")
_CLASS_ESCAPES = frozenset("dDsSwWbBntrfv")
_PLAIN_GROUPS = ("(?:", "(?P<", "(?<")


def required_text(pattern: str, /) -> str:
    """Return the longest text that occurs in every match of an RE2 pattern; blank where none is sure."""
    runs = _runs(pattern)
    return "" if runs is None else max(runs, key=len, default="")


def _runs(pattern: str) -> list[str] | None:
    """Return the runs of literal characters outside groups; None where the pattern holds what is not read here."""
    runs = [""]
    at = 0
    while at < len(pattern):
        step = _step(pattern, at)
        if step is None:
            return None
        at, literal, drops = step
        if drops:
            runs[-1] = runs[-1][:-1]
        if literal:
            runs[-1] += literal
        else:
            runs.append("")
    return runs


def _step(pattern: str, at: int) -> tuple[int, str, bool] | None:
    """Return the next place, the literal character read (blank: the run ends), and whether the last one falls away."""
    mark = pattern[at]
    match mark:
        case "\\":
            return _escape(pattern, at)
        case "[":
            return _ending(_after_class(pattern, at))
        case "(":
            return _ending(_after_group(pattern, at))
        case "." | "^" | "$" | "+":
            return at + 1, "", False
        case "*" | "?":
            return at + 1, "", True
        case "|" | ")":
            return None
        case "{" if found := _REPETITION.match(pattern, at):
            return found.end(), "", True
        case _:
            return at + 1, mark, False


def _escape(pattern: str, at: int) -> tuple[int, str, bool] | None:
    following = pattern[at + 1 : at + 2]
    if following in _CLASS_ESCAPES and following:
        return at + 2, "", False
    return None if not following or following.isalnum() else (at + 2, following, False)


def _ending(place: int | None) -> tuple[int, str, bool] | None:
    return None if place is None else (place, "", False)


def _after_class(pattern: str, at: int) -> int | None:
    place = at + 1
    place += pattern[place : place + 1] == "^"
    place += pattern[place : place + 1] == "]"
    while place < len(pattern) and pattern[place] != "]":
        if pattern.startswith("[:", place):
            place = pattern.find(":]", place) + 1
            if place == 0:
                return None
        place += 2 if pattern[place] == "\\" else 1
    return place + 1 if place < len(pattern) else None


def _after_group(pattern: str, at: int) -> int | None:
    if pattern.startswith("(?", at) and not pattern.startswith(_PLAIN_GROUPS, at):
        return None
    depth, place = 0, at
    while place < len(pattern):
        mark = pattern[place]
        after: int | None = place + 1
        if mark == "\\":
            after = None if pattern.startswith("\\Q", place) else place + 2
        elif mark == "[":
            after = _after_class(pattern, place)
        depth += (mark == "(") - (mark == ")")
        if depth == 0 or after is None:
            return after
        place = after
    return None
