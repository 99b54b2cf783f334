"""What a number in a statement is read as: a count of entries, a value at a time, an extreme, a bound.

Pure text work: which time and which span belong to a number, and the words before and behind it.
"""

import operator
import re
import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise

from groundtrace_adapters.models.rules.claims import Claims, Number, Quote
from groundtrace_adapters.models.rules.moments import Span, Stamp

_COUNT = re.compile(
    r"^[\s\x1f]+(?:(?:log|such|identical|matching|of these|of those)\s+)?"
    r"(?:(?P<level>FATAL|ERROR|PANIC|CRITICAL|SEVERE|WARN|WARNING)\s+)?"
    r"(?P<noun>entries|entry|lines?|messages?|times|occurrences?|errors?|warnings?)\b",
    re.IGNORECASE,
)
_TIMES_BEFORE = re.compile(r"\b(?:count(?: was| is| of)?)\s*$", re.IGNORECASE)

AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {
    **dict.fromkeys(("max", "maximum", "peak", "peaked", "highest"), max),
    **dict.fromkeys(("min", "minimum", "lowest"), min),
    **dict.fromkeys(("mean", "average", "averaged", "avg"), statistics.fmean),
    "median": statistics.median,
}
"""Words for what can be computed again from points."""

BOUNDS: dict[str, Callable[[float, float], bool]] = {
    **dict.fromkeys(
        ("above", "over", "more than", "greater than", "exceeded", "exceeding", "higher than"), operator.gt
    ),
    **dict.fromkeys(("below", "under", "less than", "fewer than", "lower than"), operator.lt),
    **dict.fromkeys(("at least", "no less than"), operator.ge),
    **dict.fromkeys(("at most", "no more than", "up to"), operator.le),
}
"""Words for bounds, each with the comparison that the value must pass."""

DIRECTIONS: dict[str, int] = {
    **dict.fromkeys("rose rise rises risen increased increases climbed climbs grew jumped went_up".split(), 1),
    **dict.fromkeys("fell falls fallen dropped drops decreased decreases declined sank".split(), -1),
}
"""Words for a change, with its sign."""

_AGGREGATE = re.compile(rf"\b({'|'.join(AGGREGATES)})\b", re.IGNORECASE)
_BOUND = re.compile(rf"\b({'|'.join(BOUNDS)})\s+$", re.IGNORECASE)
_CHANGE = re.compile(rf"\b(?:by|(?:{'|'.join(DIRECTIONS)}))\s+(?:about\s+|around\s+)?$", re.IGNORECASE)
_BREAK = re.compile(r"[,;()]|\b(?:and|then|while|but|to|from)\b", re.IGNORECASE)
_REACH = 40


def count_noun(number: Number, claims: Claims, /) -> str | None:
    """Return the noun that makes a number a count of entries, None where it is none."""
    if number.text.lower() in ("once", "twice"):
        return "times"
    found = _COUNT.match(claims.masked[number.end :])
    if found is not None:
        return f"{found['level'] or ''} {found['noun']}".strip().lower()
    return "times" if _TIMES_BEFORE.search(claims.masked[: number.begin]) else None


def aggregate_word(number: Number, claims: Claims, /) -> str | None:
    """Return the last word for an extreme or a mean between the number or time before and this number."""
    spanned = [(span.first.begin, span.last.end) for span in claims.spans]
    alone = [stamp for stamp in claims.stamps if not any(begin <= stamp.begin < end for begin, end in spanned)]
    ends = [*(one.end for one in claims.numbers), *(one.end for one in alone)]
    start = max((end for end in ends if end <= number.begin), default=0)
    before = _AGGREGATE.findall(visible(claims.masked[start : number.begin])[-_REACH:])
    return before[-1].lower() if before else None


def visible(masked: str, /) -> str:
    """Return what is left to read of a masked text."""
    return masked.replace("\x1f", "")


def bound_word(number: Number, claims: Claims, /) -> str | None:
    """Return the words for a bound that stand right before a number."""
    found = _BOUND.search(claims.masked[: number.begin])
    return None if found is None else found[1].lower()


def is_change(number: Number, claims: Claims, /) -> bool:
    """Tell whether a number is the size of a change: `rose by 38`, `grew 38`."""
    return _CHANGE.search(claims.masked[: number.begin]) is not None


def stamp_of(number: Number | Quote, stamps: Sequence[Stamp], claims: Claims, /) -> Stamp | None:
    """Return the time that belongs to a number: in its own part of the sentence, else in the one before or behind."""
    if len(stamps) <= 1:
        return stamps[0] if stamps else None
    parts = _parts(claims)
    own = next((place for place, (begin, end) in enumerate(parts) if begin <= number.begin < end), 0)
    in_part = [[stamp for stamp in stamps if begin <= stamp.begin < end] for begin, end in parts]
    numbered = [any(begin <= one.begin < end for one in claims.numbers) for begin, end in parts]
    if in_part[own]:
        return min(in_part[own], key=lambda stamp: (stamp.begin < number.begin, abs(stamp.begin - number.begin)))
    for step in (-1, 1):
        place = own + step
        while 0 <= place < len(parts) and not numbered[place]:
            if in_part[place]:
                return in_part[place][-1 if step < 0 else 0]
            place += step
    return None


def span_of(number: Number, claims: Claims, /) -> Span | None:
    """Return the span nearest to a number."""
    nearest = sorted(claims.spans, key=lambda span: abs(span.first.begin - number.begin))
    return nearest[0] if nearest else None


def _parts(claims: Claims) -> list[tuple[int, int]]:
    cuts = [0, *(found.start() for found in _BREAK.finditer(claims.masked)), len(claims.masked) + 1]
    return list(pairwise(cuts))
