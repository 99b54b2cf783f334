"""SQLite's errors as our own: which fault each code is, in words that hold no SQL, row or value."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error

_FAULTS: Mapping[int, tuple[StoreFault, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: (StoreFault.LOCKED, "is locked by another program"),
        sqlite3.SQLITE_LOCKED: (StoreFault.LOCKED, "is locked by another connection"),
        sqlite3.SQLITE_PROTOCOL: (StoreFault.LOCKED, "is locked in a way that cannot be waited for"),
        sqlite3.SQLITE_FULL: (StoreFault.FULL, "cannot grow: the disk or the set size limit is full"),
        sqlite3.SQLITE_READONLY: (StoreFault.READ_ONLY, "cannot be written"),
        sqlite3.SQLITE_PERM: (StoreFault.READ_ONLY, "may not be accessed"),
        sqlite3.SQLITE_AUTH: (StoreFault.READ_ONLY, "may not be accessed"),
        sqlite3.SQLITE_CANTOPEN: (StoreFault.UNAVAILABLE, "cannot be opened"),
        sqlite3.SQLITE_IOERR: (StoreFault.UNAVAILABLE, "cannot be read or written by the operating system"),
        sqlite3.SQLITE_NOMEM: (StoreFault.UNAVAILABLE, "needs more memory than there is"),
        sqlite3.SQLITE_INTERRUPT: (StoreFault.TIMED_OUT, "did not answer in time"),
        sqlite3.SQLITE_NOTADB: (StoreFault.CORRUPT, "is not an SQLite database"),
        sqlite3.SQLITE_CORRUPT: (StoreFault.CORRUPT, "is damaged"),
        sqlite3.SQLITE_TOOBIG: (StoreFault.REFUSED_ROW, "takes no value of that size"),
        sqlite3.SQLITE_CONSTRAINT: (StoreFault.REFUSED_ROW, "takes no such value"),
        sqlite3.SQLITE_MISMATCH: (StoreFault.REFUSED_ROW, "takes no value of that type"),
    }
)
_MENDS: Mapping[int, str] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: "try again, or end that program",
        sqlite3.SQLITE_LOCKED: "try again",
        sqlite3.SQLITE_CANTOPEN: "make its folder, and see that this user may write there",
        sqlite3.SQLITE_NOTADB: "choose another file, or restore the store from a backup",
    }
)
# The driver raises these without a code of SQLite's.
_UNREADABLE_TEXT = (StoreFault.CORRUPT, "holds a text that is not UTF-8")
_OTHERS_TABLE = (StoreFault.CORRUPT, "holds another program's table under a name of ours: choose another file")
_UNKNOWN = (StoreFault.UNAVAILABLE, "gave an unexpected error")


def sqlite_error(error: sqlite3.Error, operation: str, path: Path, /) -> StoreError:
    """Return the fault behind an error of SQLite, with its name (`SQLITE_BUSY`) and the file."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF
    fault, words = _FAULTS.get(primary) or _without_code(error)
    name = f" ({error.sqlite_errorname})" if code else ""
    return store_error(fault, operation, f"the SQLite store {path} {words}{name}", mend=_MENDS.get(primary))


def _without_code(error: sqlite3.Error) -> tuple[StoreFault, str]:
    text = str(error)
    if "no such table" in text or "no such column" in text:
        return StoreFault.NOT_MIGRATED, "lacks a table or a column of ours"
    if "already exists" in text:
        return _OTHERS_TABLE
    return _UNREADABLE_TEXT if "decode" in text else _UNKNOWN
