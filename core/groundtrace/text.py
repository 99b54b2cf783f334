"""Text as it may be stored: what counts as blank, what is replaced visibly, how a cut is marked.

Pure string work; keeps encoding of values (`encoding`) and secrets (`redaction`) out.
"""

import re

NUL_SYMBOL = "\u2400"
"""Stands visibly where a NUL was: no store takes NUL in text, and the length stays the same."""

REPLACEMENT = "\ufffd"
"""Stands visibly where half of a surrogate pair was."""

# Default-ignorable code points (Unicode DerivedCoreProperties) that leave nothing visible behind.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_VISIBLE = re.compile(rf"[^\s\x00\x1c-\x1f\x85{_IGNORABLE}]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_blank(text: str, /) -> bool:
    """Tell whether nothing remains once white space, NUL and default-ignorable characters are removed (section 3)."""
    return not "!" <= text < "\x7f" and _VISIBLE.search(text) is None


def clean(text: str, /) -> str:
    """Return `text` with each NUL and each lone surrogate replaced by one visible character (section 4)."""
    if "\0" not in text and (text.isascii() or _is_unicode(text)):
        return text
    return _UNSTORABLE.sub(lambda found: NUL_SYMBOL if found[0] == "\x00" else REPLACEMENT, text)


def cut(text: str, limit: int, /) -> str:
    """Return `text` in at most `limit` characters; a cut ends in `...` and is therefore seen."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - 3)] + "..."[:limit]


def _is_unicode(text: str) -> bool:
    """Tell whether no surrogate stands in the text; encoding finds that out ten times faster than an expression."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
