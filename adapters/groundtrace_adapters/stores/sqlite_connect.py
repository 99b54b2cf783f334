"""One connection to one SQLite file, set up as every connection of ours is."""

import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

OLDEST = (3, 37, 0)
"""The oldest SQLite library that knows STRICT tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteLimits:
    """How long a writer waits for another program's lock, and a transaction may work, in seconds.

    `max_pages` (of 4 KiB) bounds the file's growth; None leaves that to the disk.
    """

    busy_seconds: float = 5.0
    statement_seconds: float = 30.0
    max_pages: int | None = None


_RETRY_SECONDS = 0.02

_PAGES_KEPT_IN_THE_LOG = 4_000
"""Of 4 KiB. Pages that every batch touches are copied into the store once in a while, and not with each thousand."""

_DEFAULT = SqliteLimits()


def connect(path: Path, /, *, limits: SqliteLimits = _DEFAULT, read_only: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode that any one thread at a time may use. Raises sqlite3.Error.

    Unless `read_only`, the file is made (for its owner alone) if its folder is there, and put into WAL mode.
    """
    if not read_only:
        _make_private(path)
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rwc'}",
        uri=True,
        timeout=limits.busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        if not read_only:
            _switch_to_wal(connection, limits.busy_seconds)
            # A commit is on the disk when it returns: `stored` must outlive a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_KEPT_IN_THE_LOG:d}")
            if limits.max_pages is not None:
                connection.execute(f"PRAGMA max_page_count = {limits.max_pages:d}")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Make a new file for its owner alone, since it holds evidence and the redaction key; a present one is not opened.

    What goes wrong here goes wrong again in SQLite, which says it better.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


def _switch_to_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Readers and the one writer do not stop each other; the file remembers it."""
    deadline = time.monotonic() + busy_seconds
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait by itself while two processes make this switch at once.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
