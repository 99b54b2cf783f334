"""Connections to one SQLite file: opened when needed, kept for the next caller, migrated before the first use.

A connection serves one caller at a time. It is not used again once the file under its path is another one, since what
is written to a removed file is lost without a word.
"""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock

from returns import result
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.fork_gate import ForkGate
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.sqlite_connect import OLDEST, SqliteLimits, connect
from groundtrace_adapters.stores.sqlite_faults import sqlite_error
from groundtrace_adapters.stores.sqlite_schema import migrate_sqlite, sqlite_status

KEPT_IDLE = 4


class SqliteConnections:
    """The idle connections of one process to one file. Every method may be called from any thread."""

    def __init__(self, path: Path, limits: SqliteLimits, /, *, read_only: bool) -> None:
        self.path = path
        self._place = _place_of(path)
        self._limits = limits
        self._read_only = read_only
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._file: tuple[int, int] | None = None
        self._of_parent: list[sqlite3.Connection] = []
        self._closed = False
        self._gate = ForkGate(self._close_idle)
        call_in_child(self._in_child)

    def at_work(self) -> AbstractContextManager[None]:
        """Return what is entered from before a connection is taken until it is given back or closed.

        SQLite keeps its locks on a file in the memory of the process. A forked child that inherits them believes in
        locks that are its parent's: it may wait for one for ever, or lose what it writes when the parent closes the
        file. So no connection is open while this process forks.
        """
        return self._gate.at_work()

    def take(self, operation: str, /) -> Result[sqlite3.Connection, StoreError]:
        """Return a connection for the caller alone, to be given back or closed."""
        with self._lock:
            if self._closed:
                return result.Failure(self._unavailable(operation, "is closed", mend="open it again"))
            if not self._gate.is_open:
                words = "was being written when this process was forked"
                return result.Failure(self._unavailable(operation, words, mend="fork before the first call"))
            if self._file is not None and self._file_now() is None:
                return result.Failure(
                    self._unavailable(operation, "was removed while it was open", mend="put it back, then start again")
                )
            self._forget_if_changed()
            if self._idle:
                return result.Success(self._idle.pop())
        return self._open(operation)

    def give_back(self, connection: sqlite3.Connection, /) -> None:
        """Take back a connection that is in no transaction."""
        with self._lock:
            if not self._closed and len(self._idle) < KEPT_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle; a connection in use is closed when it comes back."""
        with self._lock:
            self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _forget_if_changed(self) -> None:
        """Drop connections to a file that was replaced."""
        if self._file is not None and self._file != self._file_now():
            self._file = None
            for connection in self._idle:
                connection.close()
            self._idle = []

    def _in_child(self) -> None:
        """Leave the parent what was in use for too long: SQLite forbids a child even to close it, so it is held."""
        self._lock = Lock()
        self._of_parent += self._idle
        self._idle = []

    def _file_now(self) -> tuple[int, int] | None:
        try:
            found = self._place.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _open(self, operation: str) -> Result[sqlite3.Connection, StoreError]:
        if sqlite3.sqlite_version_info < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            what = f"the SQLite library here is {sqlite3.sqlite_version}, and the store needs {wanted}"
            return result.Failure(store_error(StoreFault.UNAVAILABLE, operation, what, mend="use a newer Python"))
        connection: sqlite3.Connection | None = None
        try:
            connection = connect(self._place, limits=self._limits, read_only=self._read_only)
            opened = self._prepare(connection)
        except sqlite3.Error as error:
            opened = result.Failure(sqlite_error(error, operation, self.path))
        if connection is not None:
            opened.alt(lambda _: connection.close())
        with self._lock:
            self._file = self._file or self._file_now()
        return opened

    def _prepare(self, connection: sqlite3.Connection) -> Result[sqlite3.Connection, StoreError]:
        if self._read_only:
            return sqlite_status(connection).bind(lambda status: self._as_it_is(connection, status.pending))
        return migrate_sqlite(connection).map(lambda _: connection)

    def _as_it_is(
        self, connection: sqlite3.Connection, missing: tuple[str, ...]
    ) -> Result[sqlite3.Connection, StoreError]:
        if missing:
            what = f"the SQLite store {self.path} lacks {len(missing)} schema steps and is open for reading only"
            return result.Failure(store_error(StoreFault.NOT_MIGRATED, "open", what))
        return result.Success(connection)

    def _unavailable(self, operation: str, words: str, *, mend: str) -> StoreError:
        return store_error(StoreFault.UNAVAILABLE, operation, f"the SQLite store {self.path} {words}", mend=mend)


def _place_of(path: Path) -> Path:
    """Return where a path leads to now: the process may change its folder while the file is open."""
    try:
        return path.absolute()
    except OSError:
        # The folder of the process is gone; what is said of the file then is said when it is opened.
        return path
