"""Front matter of a Markdown file: the part of YAML that people write there by hand, and TOML between `+++`."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_KEY = re.compile(r"[A-Za-z_][\w .-]*$")
_BLOCK = re.compile(r"[|>][+-]?\d?$")
_COMMENT = re.compile(r"\s#.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """`values` by lower-case key, each a tuple of texts; `body` is what follows.

    A `problem` names what could not be read; the body is then the whole text, so that nothing is lost.
    """

    values: Mapping[str, tuple[str, ...]]
    body: str
    problem: str | None = None

    def first(self, *keys: str) -> str:
        """Return the first value that stands under one of the keys, else an empty text."""
        return next((self.values[key][0] for key in keys if self.values.get(key)), "")


def read_front_matter(text: str, /) -> FrontMatter:
    """Return front matter and body; total: text without any has no values."""
    lines = text.split("\n")
    fence = lines[0].rstrip()
    if fence not in ("---", "+++"):
        return FrontMatter(values={}, body=text)
    ends = (fence,) if fence == "+++" else ("---", "...")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ends), None)
    if end is None:
        return FrontMatter(values={}, body=text, problem="front matter is never closed")
    inside = lines[1:end]
    values, problem = _toml(inside) if fence == "+++" else _yaml(inside)
    return FrontMatter(values=values, body=text if problem else "\n".join(lines[end + 1 :]), problem=problem)


def _toml(lines: list[str]) -> tuple[Mapping[str, tuple[str, ...]], str | None]:
    try:
        table = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}, "front matter is no TOML"
    return {key.lower(): _texts(value) for key, value in table.items() if not isinstance(value, dict)}, None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else (str(value),)


def _yaml(lines: list[str]) -> tuple[Mapping[str, tuple[str, ...]], str | None]:
    values: dict[str, tuple[str, ...]] = {}
    problem = None
    for number, line, below in _paragraphs(lines):
        key, colon, inline = line.partition(":")
        if not colon or _KEY.match(key.rstrip()) is None or inline[:1].strip():
            problem = problem or f"front matter line {number + 1} is no `key: value`"
            continue
        values[key.strip().lower()] = _value(_uncommented(inline), below)
    return values, problem


def _paragraphs(lines: list[str]) -> Iterable[tuple[int, str, list[str]]]:
    """Yield each line that starts a key, with its number and the lines that belong to it: indented, or a list."""
    start: tuple[int, str] | None = None
    below: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line[0] in " \t" or re.match(r"-(\s|$)", line):
            below.append(line)
        elif not line.startswith("#"):
            if start is not None:
                yield *start, below
            start, below = (number, line), []
    if start is not None:
        yield *start, below


def _value(inline: str, below: list[str]) -> tuple[str, ...]:
    if _BLOCK.match(inline):
        return (" ".join(" ".join(below).split()),)
    if inline.startswith("[") and inline.endswith("]"):
        return tuple(item for part in inline[1:-1].split(",") if (item := _unquoted(part.strip())))
    if inline:
        continued = "" if inline[0] in "\"'" and inline.endswith(inline[0]) and len(inline) > 1 else " ".join(below)
        return (_unquoted(" ".join(f"{inline} {continued}".split())),)
    items = [line.strip() for line in below if line.strip()]
    return tuple(_unquoted(_uncommented(item[1:].strip())) for item in items if item.startswith("-"))


def _uncommented(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        return value if end < 0 or not value[end + 1 :].lstrip().startswith("#") else value[: end + 1]
    return "" if value.startswith("#") else _COMMENT.sub("", value).strip()


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
