"""The one expression that finds every shape of a secret in one pass over a text, and the markers that replace them.

Ordinary text costs one look at each of its letters. What is done with a find is `redaction`; the table of shapes is
`secret_shapes`, names of parameters are `secret_names`.
"""

import re
from functools import cache
from typing import TypeAlias

from groundtrace.secret_shapes import SHAPES

MARKER = re.compile(r"\[redacted ([a-z-]{1,20}) [0-9a-f]{6}\]")
"""What stands where a secret stood: its kind and six hex digits of its HMAC."""

Meaning: TypeAlias = tuple[str, int, bool]
"""What one group of the whole expression stands for: how its marker begins, `back` and `flag` as in `Shape`."""

_FREQUENT = "cpkb/_z"
"""First letters as they come in logs, the most frequent first."""

# What may follow a letter that is not so rare: one look there spares the alternatives behind it.
_FOLLOWERS = {
    **dict.fromkeys("kK", "eEiI.-_"),
    **dict.fromkeys("pP", "aAwWty"),
    **dict.fromkeys("cC", "rR"),
    **dict.fromkeys("bB", "eEaA"),
    **dict.fromkeys("zZ", "aA"),
    **dict.fromkeys("?&", "sSxX"),
    "S": "IG",
    "/": "/",
    "x": "oa",
}


def opening(kind: str, /) -> str:
    """Return how the marker of a secret begins."""
    return f"[redacted {kind} "


def _by_frequency(letter: str) -> tuple[int, str]:
    return _FREQUENT.index(letter) if letter in _FREQUENT else len(_FREQUENT), letter


def _then(letter: str) -> str:
    return f"(?=[{re.escape(_FOLLOWERS[letter])}])" if letter in _FOLLOWERS else ""


@cache
def secret_expression() -> tuple[re.Pattern[str], tuple[Meaning, ...]]:
    """Return the whole expression, and what each of its groups means; a match sets one group (`match.lastindex`).

    Its alternatives are sorted by first letter, those that are frequent in texts first. It is compiled at the first
    call, since that costs more than all other imports of the core together, and commands that record nothing need none
    of it.
    """
    letters = sorted({letter for shape in SHAPES for letter in shape.first}, key=_by_frequency)
    branches: list[str] = []
    meanings: list[Meaning] = [("", 0, False)]
    for letter in letters:
        mine = [shape for shape in SHAPES if letter in shape.first]
        branches.append(re.escape(letter) + _then(letter) + "(?:" + "|".join(shape.pattern for shape in mine) + ")")
        for shape in mine:
            meanings += [(opening(shape.kind), shape.back, shape.flag)] * re.compile(shape.pattern).groups
    return re.compile("|".join(branches)), tuple(meanings)
