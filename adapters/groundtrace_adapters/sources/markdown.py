"""Knowledge from a folder of Markdown, searched in SQLite FTS5: sections rank (L1), abstracts route (L0)."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TypeVar

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.outcomes import FailureKind
from groundtrace.ports import KnowledgeSource
from groundtrace.sources import Description, KnowledgeAnswer, KnowledgeQuery, Passage, SourceError
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.sources import markdown_index, markdown_reading, markdown_schema, markdown_search

LOCK_SECONDS = 30.0
"""How long a call waits for another one that holds the index, in this process or in another."""

_FILES_ALWAYS_LOOKED_AT = 500
_LONGEST_TRUST_SECONDS = 2.0

_T = TypeVar("_T")


@dataclass(slots=True)
class _State:
    """What is held between calls: the open index, what was read of it, and what the last look at the folder found."""

    connection: sqlite3.Connection | None = None
    postings: markdown_search.Postings | None = None
    revision: str = ""
    version: int = 0
    unread: tuple[str, ...] = ()
    trusted_until: float = 0.0


class MarkdownKnowledgeSource(KnowledgeSource):
    """A folder of Markdown files. Each call looks at the folder first and reads again only what changed.

    `index_path` keeps the index in a file that later processes reuse; by default it lives in memory. In a folder of
    more than 500 files a look is trusted for four times as long as it took, at most 2 seconds.
    Calls may come from any thread and any event loop; they take turns. `close` lets go of the index.
    """

    def __init__(self, folder: Path | str, /, *, index_path: Path | str = ":memory:", name: str = "knowledge") -> None:
        self._folder = Path(folder)
        self._index_path = str(index_path)
        self._name = name
        self._lock = threading.Lock()
        self._state = _State()
        self._of_parents: list[sqlite3.Connection] = []
        call_in_child(self._part_from_parent)

    def _part_from_parent(self) -> None:
        """In a forked child: open an index of its own; SQLite forbids even to close the parent's, so that is held."""
        self._lock = threading.Lock()
        if self._state.connection is not None:
            self._of_parents.append(self._state.connection)
        self._state = _State()

    @override
    async def search(self, query: KnowledgeQuery, /) -> Result[KnowledgeAnswer, SourceError]:
        return await asyncio.to_thread(self._guarded, lambda index: self._search(index, query))

    @override
    async def fetch(self, uri: str, /) -> Result[Passage | None, SourceError]:
        return await asyncio.to_thread(self._guarded, lambda index: markdown_reading.fetch(index, self._folder, uri))

    @override
    async def describe(self) -> Result[Description, SourceError]:
        return await asyncio.to_thread(self._guarded, self._describe)

    def close(self) -> None:
        """Close the index; a later call opens it again."""
        with self._lock:
            self._drop()

    def _search(self, index: sqlite3.Connection, query: KnowledgeQuery) -> KnowledgeAnswer:
        postings = self._state.postings or markdown_search.Postings(connection=index, places={})
        ranking = markdown_search.rank(postings, query)
        passages = markdown_reading.passages(index, ranking.pieces)
        return KnowledgeAnswer(
            passages=passages,
            candidates=ranking.candidates,
            coverage=max((one.coverage for one in passages), default=0.0),
            revision=self._state.revision,
            unseen=self._state.unread + (markdown_reading.notes(index) if query.filters else ()),
        )

    def _describe(self, index: sqlite3.Connection) -> Description:
        state = self._state
        return markdown_reading.describe(index, name=self._name, revision=state.revision, unread=state.unread)

    def _guarded(self, work: Callable[[sqlite3.Connection], _T]) -> Result[_T, SourceError]:
        """Do work on the index as it stands after a look at the folder, alone and on one state of it."""
        if not self._lock.acquire(timeout=LOCK_SECONDS):
            return result.Failure(_timed_out(self._folder))
        try:
            index = self._opened()
            self._look(index)
            with _one_state(index):
                self._load(index)
                return result.Success(work(index))
        except OSError as error:
            return result.Failure(_no_folder(self._folder, error))
        except sqlite3.Error as error:
            self._drop()
            return result.Failure(_no_index(self._index_path, error))
        finally:
            self._lock.release()

    def _opened(self) -> sqlite3.Connection:
        if self._state.connection is None:
            # First, so that no empty index is left where there is no folder.
            self._folder.stat()
            self._state.connection = markdown_schema.open_index(self._index_path, wait_seconds=LOCK_SECONDS)
        return self._state.connection

    def _look(self, index: sqlite3.Connection) -> None:
        begin = monotonic()
        if begin < self._state.trusted_until:
            return
        seen = markdown_index.refresh(index, self._folder)
        took = monotonic() - begin
        trust = min(4 * took, _LONGEST_TRUST_SECONDS) if seen.files > _FILES_ALWAYS_LOOKED_AT else 0.0
        if seen.changed:
            self._state.postings = None
        self._state.unread = seen.unread
        self._state.trusted_until = begin + took + trust

    def _load(self, index: sqlite3.Connection) -> None:
        """Read again what is held of the index if this or another process changed it."""
        version: int = index.execute("PRAGMA data_version").fetchone()[0]
        if self._state.postings is not None and version == self._state.version:
            return
        places = {
            piece: markdown_search.Placed(entry=entry, layer=layer)
            for piece, entry, layer in index.execute("SELECT id, entry, layer FROM piece")
        }
        self._state.postings = markdown_search.Postings(connection=index, places=places)
        self._state.revision = markdown_index.revision(index)
        self._state.version = version

    def _drop(self) -> None:
        if self._state.connection is not None:
            self._state.connection.close()
        self._state = _State()


@contextmanager
def _one_state(index: sqlite3.Connection) -> Iterator[None]:
    index.execute("BEGIN")
    try:
        yield
    finally:
        index.execute("ROLLBACK")


def _timed_out(folder: Path) -> SourceError:
    message = f"knowledge folder {folder}: another call held the index for {LOCK_SECONDS:g} s; try again"
    return SourceError(kind=FailureKind.TIMEOUT, message=message, retryable=True)


def _no_folder(folder: Path, error: OSError) -> SourceError:
    kind = FailureKind.DENIED if isinstance(error, PermissionError) else FailureKind.UNAVAILABLE
    words = error.strerror or type(error).__name__
    message = f"knowledge folder {folder} cannot be read ({words}); name an existing folder of Markdown files"
    return SourceError(kind=kind, message=message)


def _no_index(path: str, error: sqlite3.Error) -> SourceError:
    mend = "this Python's SQLite has no FTS5" if "fts5" in str(error) else "delete that file, it is built again"
    locked = getattr(error, "sqlite_errorname", "") in ("SQLITE_BUSY", "SQLITE_LOCKED")
    if locked:
        return SourceError(
            kind=FailureKind.TIMEOUT, message=f"knowledge index {path} is locked; try again", retryable=True
        )
    return SourceError(kind=FailureKind.UNAVAILABLE, message=f"knowledge index {path} cannot be used ({error}); {mend}")
