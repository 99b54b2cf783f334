"""One Markdown file as a knowledge entry: title, abstract, fields and the pieces that are indexed."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from unicodedata import normalize

from groundtrace.retrieval import Layer
from groundtrace.text import clean, cut, is_blank
from groundtrace_adapters.sources.markdown_files import ReadFile
from groundtrace_adapters.sources.markdown_front_matter import FrontMatter, read_front_matter
from groundtrace_adapters.sources.markdown_sections import Document, read_document
from groundtrace_adapters.sources.markdown_words import name_text, parts_within

ABSTRACT_CHARACTERS = 600
TITLE_CHARACTERS = 200
FIELDS_A_FILE = 100

_ABSTRACT_KEYS = ("abstract", "summary", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What is indexed and ranked: a section (L1), or an abstract (L0) that stands in the front matter alone."""

    layer: Layer
    anchor: str
    hash: str
    name: str
    heading: str
    body: str
    parts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file as it is indexed. `fields` are (name, folded value) pairs; `note` tells what was odd but is used."""

    title: str
    abstract: str
    hash: str
    fields: tuple[tuple[str, str], ...]
    pieces: tuple[Piece, ...]
    unread: str | None
    note: str | None


def read_entry(path: str, read: ReadFile, /) -> Entry:
    """Return the entry under `path`; total. A file without any text has no pieces."""
    text = clean(read.text)
    front = read_front_matter(text)
    document = read_document(front.body)
    title = cut(front.first("title") or document.title or PurePosixPath(path).stem, TITLE_CHARACTERS)
    written = front.first(*_ABSTRACT_KEYS)
    notes = [read.note, f"{path}: {front.problem}; its text is used" if front.problem else None]
    return Entry(
        title=title,
        abstract=cut(written or document.first_paragraph, ABSTRACT_CHARACTERS),
        hash=_hash(path, text),
        fields=_fields(front.values),
        pieces=_pieces(path, title, written, front, document),
        unread=read.unread,
        note="; ".join(note for note in notes if note) or None,
    )


def folded(value: str, /) -> str:
    """Return a field's value as it is compared: trimmed, composed and case-folded."""
    return normalize("NFC", value.strip()).casefold()


def _pieces(path: str, title: str, written: str, front: FrontMatter, document: Document) -> tuple[Piece, ...]:
    place = PurePosixPath(path)
    name = name_text((place.stem, title, document.title))
    pieces = [
        Piece(
            layer=Layer.L1,
            anchor=section.anchor,
            hash=_hash(title, section.heading, section.text),
            name=name,
            heading=section.heading,
            body=section.text,
            parts=parts_within(f"{section.heading} {section.text}"),
        )
        for section in document.sections
    ]
    if not is_blank(written):
        digest = _hash(title, "", written)
        parts = parts_within(written)
        pieces.append(Piece(layer=Layer.L0, anchor="", hash=digest, name=name, heading="", body=written, parts=parts))
    return tuple(pieces)


def _fields(values: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    pairs = ((name, folded(value)) for name, several in values.items() for value in several)
    return tuple(dict.fromkeys(pairs))[:FIELDS_A_FILE]


def _hash(*texts: str) -> str:
    digest = sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()
