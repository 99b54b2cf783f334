"""Rows of the knowledge index as the port's values: passages, one entry or section by its address, a description."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from groundtrace.retrieval import Layer
from groundtrace.sources import Description, Passage
from groundtrace.text import clean
from groundtrace_adapters.sources.markdown_files import list_files, read_file
from groundtrace_adapters.sources.markdown_search import Ranked

DESCRIBED = 500
"""Most titles, and most values of one field, that a description lists."""

_DESCRIBED_FIELDS = ("service", "tags", "app", "component")

_PASSAGE = (
    "SELECT entry.path, entry.title, entry.abstract, piece.layer, piece.anchor, piece.hash, piece.heading, piece.body "
    "FROM piece JOIN entry ON entry.id = piece.entry "
)


def passages(index: sqlite3.Connection, ranked: Iterable[Ranked], /) -> tuple[Passage, ...]:
    """Return the passages of ranked pieces, in their order."""
    return tuple(
        _passage(
            index.execute(_PASSAGE + "WHERE piece.id = ?", (one.piece,)).fetchone(),
            score=one.score,
            coverage=one.coverage,
        )
        for one in ranked
    )


def fetch(index: sqlite3.Connection, folder: Path, uri: str, /) -> Passage | None:
    """Return the original text of an entry (L2), or one section (L1); None where nothing has that address."""
    if clean(uri) != uri:
        return None
    entry = index.execute("SELECT path, title, abstract, hash FROM entry WHERE path = ?", (uri,)).fetchone()
    if entry is not None:
        return _original(folder, entry)
    path, _, anchor = uri.rpartition("#")
    found = index.execute(
        _PASSAGE + "WHERE entry.path = ? AND piece.anchor = ? AND piece.layer = 'L1' AND piece.anchor <> ''",
        (path, anchor),
    ).fetchone()
    return None if found is None else _passage(found, score=1.0, coverage=1.0)


def notes(index: sqlite3.Connection, /) -> tuple[str, ...]:
    """Return in words which files were odd and are used all the same."""
    return tuple(note for (note,) in index.execute("SELECT note FROM entry WHERE note IS NOT NULL ORDER BY path"))


def describe(index: sqlite3.Connection, /, *, name: str, revision: str, unread: tuple[str, ...]) -> Description:
    """Return titles and the values of well-known fields, bounded; `unseen` names unread and odd files alike."""
    titles = index.execute("SELECT DISTINCT title FROM entry ORDER BY title LIMIT ?", (DESCRIBED + 1,)).fetchall()
    more = (f"more titles than the first {DESCRIBED}",) if len(titles) > DESCRIBED else ()
    values = {
        field: tuple(
            value
            for (value,) in index.execute(
                "SELECT DISTINCT value FROM field WHERE name = ? ORDER BY value LIMIT ?", (field, DESCRIBED)
            )
        )
        for field in _DESCRIBED_FIELDS
    }
    return Description(
        name=name,
        entities={field: found for field, found in values.items() if found},
        titles=tuple(title for (title,) in titles[:DESCRIBED]),
        revision=revision,
        unseen=unread + notes(index) + more,
    )


def _passage(row: tuple[str, ...], *, score: float, coverage: float) -> Passage:
    path, title, abstract, layer, anchor, content, heading, body = row
    return Passage(
        uri=f"{path}#{anchor}" if anchor else path,
        entry=path,
        title=title,
        abstract=abstract,
        heading=heading,
        text=body,
        layer=Layer(layer),
        score=score,
        coverage=coverage,
        content_hash=content,
    )


def _original(folder: Path, entry: tuple[str, str, str, str]) -> Passage | None:
    path, title, abstract, content = entry
    file = next((file for file in list_files(folder).files if file.path == path), None)
    if file is None:
        return None
    try:
        text = read_file(file).text
    except FileNotFoundError:
        return None
    return Passage(
        uri=path,
        entry=path,
        title=title,
        abstract=abstract,
        heading="",
        text=text,
        layer=Layer.L2,
        score=1.0,
        coverage=1.0,
        content_hash=content,
    )
