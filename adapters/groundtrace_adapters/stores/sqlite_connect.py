"""One connection to one SQLite file, set up as every connection of ours is."""

import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

OLDEST = (3, 37, 0)
"""The oldest SQLite library that knows STRICT tables."""

BUSY_SECONDS = 5.0
"""How long a writer waits for another program's lock."""

_RETRY_SECONDS = 0.02


def connect(path: Path, /, *, busy_seconds: float = BUSY_SECONDS, read_only: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode that any one thread at a time may use. Raises sqlite3.Error.

    Unless `read_only`, the file is made if its folder is there, and put into WAL mode.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rwc'}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        if not read_only:
            _switch_to_wal(connection, busy_seconds)
            # A commit is on the disk when it returns: `stored` must outlive a power cut.
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


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
