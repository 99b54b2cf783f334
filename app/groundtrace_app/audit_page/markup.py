"""HTML from values: text of others is escaped, and what would drive or reorder a page is shown as an escape."""

import re
from collections.abc import Iterable
from html import escape

from groundtrace.text import REPLACEMENT

# Controls but the line end, marks that reorder what is shown, what no page may hold, and what leaves nothing visible.
_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
_HALVES = re.compile("[\ud800-\udfff]")
_VOID = frozenset({"meta", "input", "rect", "br"})


def text(value: object, /) -> str:
    """Return a value as the text of an element or of a quoted attribute."""
    whole = _HALVES.sub(REPLACEMENT, str(value))
    return escape(_HIDDEN.sub(_shown, whole), quote=True)


def tag(name: str, /, *inside: str, **attributes: object) -> str:
    """Return an element around markup that is whole already.

    `class_` stands for `class`, other underscores for dashes. An attribute that is None or False is left out; one that
    is True has no value.
    """
    head = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    if name in _VOID:
        return f"<{name}{head}>" if name != "rect" else f"<{name}{head}/>"
    return f"<{name}{head}>{''.join(inside)}</{name}>"


def joined(parts: Iterable[str], /) -> str:
    """Return pieces of markup as one."""
    return "".join(parts)


def _attribute(key: str, value: object) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
