"""Markdown cut into sections by its headings: what stands in a code fence or a comment is no heading."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SECTION_CHARACTERS = 6_000
"""The longest piece; a longer section is cut into several at empty lines, else at line ends."""

HEADING_CHARACTERS = 300
"""The longest heading that is read."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*([-*+>|#]|\d+[.)]\s|<|\{\{|```|~~~|$)|( {4}|\t)")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]+")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One piece: its own heading behind those above it (`Diagnosis > On the node`), its anchor, and its text."""

    heading: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file's first top heading (empty if it has none), its sections in order, and its first paragraph."""

    title: str
    sections: tuple[Section, ...]
    first_paragraph: str


def read_document(body: str, /) -> Document:
    """Return the sections of Markdown without front matter; total. Sections without any text are left out."""
    title = ""
    above: list[tuple[int, str]] = []
    anchors: dict[str, int] = {}
    sections: list[Section] = []
    for level, heading, lines in _blocks(body):
        if level == 1 and not title and not above:
            title = heading
        elif level:
            above = [*(one for one in above if one[0] < level), (level, heading)]
        path = " > ".join(words for _, words in above)
        anchor = _anchor(heading, anchors) if level else ""
        for number, text in enumerate(_pieces(lines), 1):
            name = anchor if number == 1 else f"{anchor or 'part'}-part-{number}"
            sections.append(Section(heading=path, anchor=name, text=text))
    return Document(title=title, sections=tuple(sections), first_paragraph=_first_paragraph(sections))


def _blocks(body: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield level, heading and lines of each block; the one before the first heading has level 0."""
    level, heading = 0, ""
    lines: list[str] = []
    fence = ""
    commented = False
    for line in body.split("\n"):
        opened = _FENCE.match(line)
        if fence:
            closed = opened is not None and opened[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closed else fence
        elif commented:
            commented = "-->" not in line
        elif opened is not None:
            fence = opened[1]
        elif (found := _HEADING.match(line)) is not None:
            yield level, heading, lines
            level, heading, lines = len(found[1]), _plain(line[found.end() :]), []
            continue
        elif lines and _UNDERLINE.match(line) and not _NO_PARAGRAPH.match(lines[-1]):
            words = _plain(lines.pop())
            yield level, heading, lines
            level, heading, lines = (1 if "=" in line else 2), words, []
            continue
        else:
            commented = line.lstrip().startswith("<!--") and "-->" not in line
        lines.append(line)
    yield level, heading, lines


def _pieces(lines: list[str]) -> Iterator[str]:
    text = "\n".join(lines).strip("\n")
    while len(text) > SECTION_CHARACTERS:
        breaks = (text.rfind(mark, SECTION_CHARACTERS // 2, SECTION_CHARACTERS) for mark in ("\n\n", "\n", " "))
        end = next((place for place in breaks if place > 0), SECTION_CHARACTERS)
        yield text[:end]
        text = text[end:].lstrip("\n")
    if text.strip():
        yield text.rstrip()


def _first_paragraph(sections: list[Section]) -> str:
    for section in sections:
        for block in re.split(r"\n\s*\n", section.text):
            if not _NO_PARAGRAPH.match(block):
                return " ".join(block.split())
    return ""


def _plain(heading: str) -> str:
    words = heading[:HEADING_CHARACTERS].split()
    if words and not words[-1].strip("#"):
        words.pop()
    return " ".join(_MARKUP.sub(lambda found: found[1] or "", " ".join(words)).split())


def _anchor(heading: str, taken: dict[str, int]) -> str:
    slug = _NOT_IN_ANCHOR.sub("", heading.lower()).strip().replace(" ", "-") or "section"
    count = taken.get(slug, 0)
    taken[slug] = count + 1
    return f"{slug}-{count}" if count else slug
