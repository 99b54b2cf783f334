"""Secrets become markers before anything is queued, stored, logged or shown: `[redacted KIND xxxxxx]`.

The six hex digits are an HMAC-SHA256 under a key that the store keeps: equal secrets stay equal wherever they stand,
different ones different, and nobody without the key can try guesses. Redacting twice changes nothing.
"""

import re
from collections import Counter
from hashlib import sha256
from typing import Protocol

from typing_extensions import override

from groundtrace.json_text import JsonValue, free_name
from groundtrace.secret_names import NAME_CHARACTERS, kind_by_name, secret_kind
from groundtrace.secret_patterns import MARKER, opening, secret_expression

MARKER_CHARACTERS = 10 + 20 + 1 + 6 + 1
"""No marker is longer."""

MARKER_OPENING = "[redacted "
"""How every marker begins."""

_BLOCK = 64
_SCHEMES = frozenset({"bearer", "basic", "token", "apikey", "negotiate", "digest"})
_SHORTEST = 5
_LONG_NAME = 20
_NAMES = ("name", "Name", "key", "Key")
_VALUES = frozenset({"value", "Value"})
_ASIDE = frozenset({"null", "none", "nil", "true", "false", "undefined"})

SHORTEST_KEY = 16
"""The shortest redaction key, in bytes."""


class SecretScreen(Protocol):
    """Says quickly where the first secret of a text may stand; it may err to the safe side only."""

    def __call__(self, text: str, /) -> int:
        """Return a place at or before the first letter of the first secret (`Shape.first`), -1 if there is none."""


class Redactor:
    """Replaces secrets under one key; holds no state besides it, so any number of threads may share it.

    A `screen` makes it faster and changes nothing that it finds.
    """

    __slots__ = ("_inner", "_outer", "_screen")

    def __init__(self, key: bytes, /, *, screen: SecretScreen | None = None) -> None:
        """Take a key of at least 16 bytes (ValueError); the store keeps one of 32 random bytes (`KeyKeeper`)."""
        if len(key) < SHORTEST_KEY:
            raise ValueError(f"a redaction key has at least {SHORTEST_KEY} bytes: a short one lets markers be guessed")
        # HMAC by hand (RFC 2104): its two pads are made once, which makes a marker twice as cheap.
        block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self._inner = bytes(byte ^ 0x36 for byte in block)
        self._outer = bytes(byte ^ 0x5C for byte in block)
        self._screen = screen

    @override
    def __repr__(self) -> str:
        """Show nothing of the key."""
        return "Redactor()"

    def text(self, text: str, /) -> str:
        """Return `text` with every recognised secret replaced; linear in its length, total."""
        if self._screen is None:
            found = secret_expression()[0].search(text)
        else:
            start = self._screen(text)
            found = secret_expression()[0].search(text, start) if start >= 0 else None
        return text if found is None else self._replace(text, found)

    def value(self, value: JsonValue, /) -> JsonValue:
        """Return a JSON value with its texts and keys redacted, and whole what stands under a secret's name."""
        if type(value) is str:
            return self.text(value) if len(value) >= _SHORTEST else value
        if isinstance(value, dict):
            return self._members(value)
        if isinstance(value, list):
            return self._items(value)
        return value

    def marker(self, secret: str, kind: str, /) -> str:
        """Return what stands for one secret."""
        inner = sha256(self._inner + _bytes_of(secret)).digest()
        return f"{opening(kind)}{sha256(self._outer + inner).hexdigest()[:6]}]"

    def _replace(self, text: str, found: re.Match[str]) -> str:
        # All secrets are found before the first is hashed: in turn, each would find the other's code gone cold.
        places = _places(text, found)
        data = text.encode() if text.isascii() else None
        pieces: list[str] = []
        inner, outer, done = self._inner, self._outer, 0
        for start, end, begin in places:
            secret = data[start:end] if data is not None else _bytes_of(text[start:end])
            # `marker` once more, without its calls: ten secrets shall cost no more than a span.
            digest = sha256(outer + sha256(inner + secret).digest()).hexdigest()
            pieces.append(f"{text[done:start]}{begin}{digest[:6]}]")
            done = end
        pieces.append(text[done:])
        return "".join(pieces)

    def _items(self, items: list[JsonValue]) -> JsonValue:
        """Redact the items of a list: what stands behind an option that promises a secret is one, as in a command."""
        kept: list[JsonValue] = []
        kind: str | None = None
        for item in items:
            option = item if isinstance(item, str) and item.startswith("-") else None
            kept.append(self.value(item) if kind is None or option else self._secret(item, kind))
            kind = secret_kind(option) if option and "=" not in option else None
        return kept

    def _members(self, members: dict[str, JsonValue]) -> JsonValue:
        kept: dict[str, JsonValue] = {}
        told = None if _VALUES.isdisjoint(members) else _told_kind(members)
        for name, value in members.items():
            kind = kind_by_name(name) if len(name) <= NAME_CHARACTERS else None
            if kind is None and told is not None and name in _VALUES:
                kind = told
            shown = self.value(value) if kind is None else self._secret(value, kind)
            told_name = name if len(name) < _LONG_NAME and name.isidentifier() else self.text(name)
            kept[told_name if told_name not in kept else free_name(told_name, kept)] = shown
        return kept

    def _name(self, name: str) -> str:
        return name if len(name) < _LONG_NAME and name.isidentifier() else self.text(name)

    def _secret(self, value: JsonValue, kind: str) -> JsonValue:
        """Redact what stands under a secret's name: every text in it, and numbers that may be a code."""
        if isinstance(value, str):
            return self._secret_text(value, kind)
        if isinstance(value, dict):
            return {self._name(name): self._secret(inner, secret_kind(name) or kind) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._secret(item, kind) for item in value]
        if value is None or isinstance(value, bool) or (kind != "password" and abs(value) < 100_000):
            return value
        return self.marker(repr(value), kind)

    def _secret_text(self, text: str, kind: str) -> str:
        if not text.strip() or text.lower() in _ASIDE or MARKER.fullmatch(text):
            return text
        if kind == "dsn":
            shown = self.text(text)
            return shown if shown != text or "@" not in text or MARKER_OPENING in text else self.marker(text, kind)
        scheme, space, rest = text.partition(" ")
        if space and scheme.lower() in _SCHEMES and rest.strip():
            return f"{scheme} {rest if MARKER.fullmatch(rest) else self.marker(rest, kind)}"
        return self.marker(text, kind)


def _told_kind(members: dict[str, JsonValue]) -> str | None:
    """Return what the name in an object promises of the value beside it, as with the variables of a container."""
    names = (members.get(key) for key in _NAMES)
    return next((secret_kind(name) for name in names if isinstance(name, str)), None)


def redactions(*texts: str | None) -> dict[str, int]:
    """Count the markers in stored texts by kind, in the order of their names."""
    for text in texts:
        if text and MARKER_OPENING in text:
            break
    else:
        return {}
    counted = Counter(found[1] for text in texts if text is not None for found in MARKER.finditer(text))
    return dict(sorted(counted.items()))


def _places(text: str, found: re.Match[str] | None) -> list[tuple[int, int, str]]:
    """Return where the secrets of a text start and end, and how the marker of each begins."""
    expression, meanings = secret_expression()
    places: list[tuple[int, int, str]] = []
    search, done = expression.search, 0
    while found is not None:
        group = found.lastindex or 0
        begin, back, flag = meanings[group]
        if flag and not _is_flag(text, found.start(), done):
            found = search(text, found.start() + 1)
            continue
        start, end = found.span(group)
        if back:
            start = max(start - back, done)
        places.append((start, end, begin))
        done = end
        found = search(text, end)
    return places


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_flag(text: str, at: int, since: int) -> bool:
    """Tell whether the word around `at` starts with a dash, as options of a command do."""
    word = text[max(since, at - 48) : at].split()
    return bool(word) and not text[at - 1].isspace() and word[-1].startswith("-")
