"""Words of a statement against the words of one piece of evidence: what is not quoted must be said there all the same.

Verbs count in the form in which they stand: who did what is in the form. Words that turn or bind (`not`, `by`) must
stand beside the same neighbour.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundtrace_adapters.models.rules.words import CAUSAL, NEGATION, WHOLE, singular, tokens

ROLES = frozenset("by from to than instead before after against".split())
"""Words that bind who did what to whom: with one of them the order of words must be that of the evidence."""

TURNING = NEGATION | WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What remains of a statement's words beside one text: `missing` ones, and whether any was `carried`."""

    missing: tuple[str, ...]
    carried: tuple[str, ...]


def read_against(words: Sequence[str], text: str, /, *, free: Iterable[str]) -> Reading:
    """Return which words a text carries; `free` words need no evidence, unless they turn what is said."""
    stands = [singular(word) for word in tokens(text)]
    pairs = set(pairwise(stands))
    held, loose = set(stands), frozenset(free)
    missing: list[str] = []
    carried: list[str] = []
    for place, word in enumerate(words):
        plain = singular(word)
        after = singular(words[place + 1]) if place + 1 < len(words) else ""
        if word in TURNING:
            (carried if (plain, after) in pairs else missing).append(word)
        elif word in loose:
            continue
        else:
            (carried if plain in held else missing).append(word)
    if not missing and set(words) & ROLES and not _in_order(carried, stands):
        missing = carried
    return Reading(missing=tuple(missing), carried=tuple(carried))


def turns(text: str, words: Sequence[str], /) -> bool:
    """Tell whether a text negates, just before one of these words, what a statement says without negation."""
    if set(words) & NEGATION:
        return False
    stands = [singular(word) for word in tokens(text)]
    said = {singular(word) for word in words}
    return any(
        word in NEGATION and bool(said & set(stands[place + 1 : place + 3])) for place, word in enumerate(stands)
    )


def causal_words(text: str, /) -> tuple[str, ...]:
    """Return the words of a text that claim a cause."""
    return tuple(found[0].lower() for found in CAUSAL.finditer(text))


def _in_order(carried: Sequence[str], stands: Sequence[str]) -> bool:
    rest = iter(stands)
    return all(singular(word) in rest for word in carried)
