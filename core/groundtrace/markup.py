"""Delimited sections for prompts: material that others wrote cannot end the section in which it stands.

`&`, `<` and `>` of material become `&amp;`, `&lt;` and `&gt;`, so the only angle brackets of a prompt are ours. Chosen
over JSON strings, which turn a log's lines and quotes into escapes that models read and quote worse.
"""

from groundtrace.text import clean
from groundtrace.wording import one_line

ATTRIBUTE_CHARACTERS = 300


def escape(text: str, /) -> str:
    """Return text that holds no delimiter of ours; lines stay lines."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def section(name: str, body: str, /, *, attributes: tuple[tuple[str, str], ...] = ()) -> str:
    """Return `body`, already escaped, between our own delimiters; attribute values are escaped here."""
    head = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes)
    return f"<{name}{head}>\n{body}\n</{name}>"


def material(name: str, text: str, /) -> str:
    """Return untrusted text as an escaped section."""
    return section(name, escape(text))


def listing(name: str, lines: tuple[str, ...], /) -> str:
    """Return untrusted lines as an escaped section; `none` where there are no lines."""
    return material(name, "\n".join(lines) or "none")


def _attribute(value: str) -> str:
    return escape(one_line(value, ATTRIBUTE_CHARACTERS)).replace('"', "&quot;")
