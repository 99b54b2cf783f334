"""A screen for secrets in RE2, which reads ordinary text at three times the speed of `re` (extra `logs`).

It says where the first secret may stand; what is one stays with the core, so that both find the same.
"""

from functools import cache
from typing import Protocol, cast

from groundtrace.redaction import SecretScreen
from groundtrace.secret_shapes import SHAPES

SHORT = 160
"""A text of fewer characters is read by `re` in less time than it takes to ask RE2."""

# Python's `re` reads these letters as `i`, `s` and `k` where case does not matter; RE2 does so with some of them.
_FOLDED = "\u0130\u0131\u017f\u212a"


class _Found(Protocol):
    def start(self) -> int: ...


class _Expression(Protocol):
    def search(self, text: bytes, /) -> _Found | None: ...


@cache
def re2_screen() -> SecretScreen | None:
    """Return the screen for `Redactor(key, screen=...)`, None where google-re2 is not installed. Shared by threads."""
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    triggers = dict.fromkeys(shape.trigger for shape in SHAPES)
    expression = cast(_Expression, re2.compile("|".join(triggers).encode(), options))

    def screen(text: str, /) -> int:
        if len(text) < SHORT or (not text.isascii() and any(letter in text for letter in _FOLDED)):
            return 0
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return 0
        found = expression.search(data)
        if found is None:
            return -1
        return found.start() if len(data) == len(text) else len(data[: found.start()].decode())

    return screen
