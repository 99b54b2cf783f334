"""Keeping the index of a knowledge folder equal to its files: only what changed is read again."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from groundtrace_adapters.sources.markdown_entry import Entry, read_entry
from groundtrace_adapters.sources.markdown_files import FoundFile, list_files, read_file

_ADD_ENTRY = "INSERT INTO entry (path, mark, hash, title, abstract, unread, note) VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_PIECE = (
    "INSERT INTO piece (entry, layer, anchor, hash, name, heading, body, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_WORDS = (
    "INSERT INTO words (rowid, name, heading, body, parts) "
    "SELECT id, name, heading, body, parts FROM piece WHERE entry = ?"
)
# An index over outside content forgets a row only if it is told what stood there.
_FORGET_WORDS = (
    "INSERT INTO words (words, rowid, name, heading, body, parts) "
    "SELECT 'delete', id, name, heading, body, parts FROM piece WHERE entry = ?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """What one look at the folder found: how many files, whether the index changed, and what cannot be searched."""

    files: int
    changed: bool
    unread: tuple[str, ...]


def refresh(connection: sqlite3.Connection, folder: Path, /) -> Refreshed:
    """Bring the index up to date in one transaction; OSError if the folder cannot be listed, else sqlite3.Error."""
    listing = list_files(folder)
    before = connection.total_changes
    marks: dict[str, str] = dict(connection.execute("SELECT path, mark FROM entry"))
    changed = [file for file in listing.files if marks.get(file.path) != file.mark]
    gone = marks.keys() - {file.path for file in listing.files}
    unread = list(listing.unread)
    if changed or gone:
        connection.execute("BEGIN IMMEDIATE")
        try:
            _forget(connection, gone)
            unread.extend(_take(connection, changed))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    unread.extend(words for (words,) in connection.execute("SELECT unread FROM entry WHERE unread IS NOT NULL"))
    return Refreshed(files=len(listing.files), changed=connection.total_changes != before, unread=tuple(sorted(unread)))


def revision(connection: sqlite3.Connection, /) -> str:
    """Return a hash over the paths and contents of all entries: it changes whenever an answer could."""
    digest = sha256()
    for path, content in connection.execute("SELECT path, hash FROM entry ORDER BY path"):
        digest.update(f"{content} {path}\n".encode())
    return digest.hexdigest()


def _take(connection: sqlite3.Connection, files: Iterable[FoundFile]) -> Iterator[str]:
    """Index files again; yield in words what could not be read, which then leaves the index."""
    for file in files:
        try:
            entry = read_entry(file.path, read_file(file))
        except OSError as error:
            _forget(connection, (file.path,))
            yield f"{file.path}: {error.strerror or type(error).__name__}"
            continue
        held = connection.execute("SELECT hash FROM entry WHERE path = ?", (file.path,)).fetchone()
        if held is not None and held[0] == entry.hash:
            connection.execute("UPDATE entry SET mark = ? WHERE path = ?", (file.mark, file.path))
            continue
        _forget(connection, (file.path,))
        _keep(connection, file, entry)


def _keep(connection: sqlite3.Connection, file: FoundFile, entry: Entry) -> None:
    values = (file.path, file.mark, entry.hash, entry.title, entry.abstract, entry.unread, entry.note)
    number = connection.execute(_ADD_ENTRY, values).lastrowid
    connection.executemany(
        "INSERT INTO field (entry, name, value) VALUES (?, ?, ?)", ((number, *one) for one in entry.fields)
    )
    connection.executemany(
        _ADD_PIECE,
        (
            (number, one.layer.value, one.anchor, one.hash, one.name, one.heading, one.body, one.parts)
            for one in entry.pieces
        ),
    )
    connection.execute(_ADD_WORDS, (number,))


def _forget(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    for path in paths:
        found = connection.execute("SELECT id FROM entry WHERE path = ?", (path,)).fetchone()
        if found is not None:
            connection.execute(_FORGET_WORDS, found)
            for table, column in (("piece", "entry"), ("field", "entry"), ("entry", "id")):
                connection.execute(f"DELETE FROM {table} WHERE {column} = ?", found)  # noqa: S608 - names of our own
