"""PostgreSQL's errors as our own: which fault each SQLSTATE is, in words that hold no SQL, row, value or password.

The server's own message is never passed on: it may quote the value that it refused.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType

import psycopg
import psycopg_pool
from psycopg import conninfo, errors

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error

# By the whole SQLSTATE first, then by its class (the first two characters).
_FAULTS: Mapping[str, StoreFault] = MappingProxyType(
    {
        "25006": StoreFault.READ_ONLY,
        "42501": StoreFault.READ_ONLY,
        "42P01": StoreFault.NOT_MIGRATED,
        "42703": StoreFault.NOT_MIGRATED,
        "3F000": StoreFault.NOT_MIGRATED,
        "53100": StoreFault.FULL,
        "55P03": StoreFault.LOCKED,
        "57014": StoreFault.TIMED_OUT,
        "25P03": StoreFault.TIMED_OUT,
        "22": StoreFault.REFUSED_ROW,
        "23": StoreFault.REFUSED_ROW,
        "54": StoreFault.REFUSED_ROW,
        "40": StoreFault.LOCKED,
        "P0": StoreFault.REFUSED_ROW,
        "XX": StoreFault.CORRUPT,
    }
)
_MENDS: Mapping[str, str] = MappingProxyType(
    {
        "25006": "use the primary server, which takes writes",
        "42P07": "a table of that name is there already; a month that was detached is attached again, or dropped",
        "42501": "grant this role SELECT and INSERT on the tables of groundtrace",
        "53300": "raise max_connections, or end other clients",
        "53100": "free disk space on the server",
    }
)
# A connection that fails has no SQLSTATE in libpq; these words of its message, and only these, are known to be safe.
_CONNECTING: tuple[tuple[str, str, str], ...] = (
    ("Connection refused", "nothing listens there", "start the server, or correct host and port"),
    ("password authentication failed", "the password was refused", "correct user and password"),
    ("no password supplied", "a password is needed", "put it in the address, PGPASSWORD or ~/.pgpass"),
    (r"no pg_hba\.conf entry", "the server takes no such connection", "allow it in pg_hba.conf, or use SSL"),
    (r"role .* does not exist", "the server knows no such role", "correct the user, or create the role"),
    (r"database .* does not exist", "the server has no such database", "correct the name, or create the database"),
    ("too many clients", "the server takes no more connections", "raise max_connections, or end other clients"),
    ("starting up", "the server is starting", "try again"),
    ("shutting down", "the server is shutting down", "start it again"),
    ("translate host name", "the host's name is unknown", "correct the host"),
    ("resolve host", "the host's name is unknown", "correct the host"),
    ("timeout expired", "it did not answer in time", "check the network and the server's load"),
    ("No such file", "its socket is not there", "start the server, or correct the host"),
    ("SSL", "no SSL connection could be made", "correct sslmode and certificates"),
)


class SilentServerError(psycopg.OperationalError):
    """The server did not answer within the client's own deadline, and the connection was given up."""


def postgres_error(error: psycopg.Error, operation: str, place: str, /) -> StoreError:
    """Return the fault behind an error of psycopg or its pool, with the SQLSTATE and its name; `place` is where."""
    if isinstance(error, psycopg_pool.PoolTimeout | SilentServerError):
        return store_error(StoreFault.TIMED_OUT, operation, f"{place} did not answer in time")
    state = error.sqlstate
    if state is None:
        return _without_state(error, operation, place)
    fault = _FAULTS.get(state) or _FAULTS.get(state[:2]) or StoreFault.UNAVAILABLE
    return store_error(fault, operation, f"{place} answered {_name_of(state)} ({state})", mend=_MENDS.get(state))


def broke_the_connection(error: psycopg.Error, /) -> bool:
    """Tell whether the connection or the server behind it is gone: no SQLSTATE, or one of classes 08 and 57P."""
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def place_of(dsn: str, /) -> str:
    """Return where an address points, without user, password or options."""
    try:
        parts = conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        return "the PostgreSQL store"
    host = parts.get("host") or parts.get("hostaddr") or "the local socket"
    if _may_tell_a_password(parts):
        return "the PostgreSQL store"
    return f"PostgreSQL at {host}:{parts.get('port') or 5432}, database {parts.get('dbname') or 'of the default name'}"


_NAMING = {"host": "", "hostaddr": "", "port": "5432", "dbname": ""}


def folder_name_of(dsn: str, /) -> str:
    """Return a name for a folder that is this database's alone: of host, port and database, and a hash of these.

    Two spellings of one host are two names. User, password and options are no part of it.
    """
    try:
        parts = conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        parts = {"host": f"@{dsn}"}
    told = tuple(str(parts.get(name) or given) for name, given in _NAMING.items())
    words = "unnamed" if _may_tell_a_password(parts) else re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, told)))
    return f"{words[:100].strip('-')}-{sha256(repr(told).encode()).hexdigest()[:8]}"


def _may_tell_a_password(parts: Mapping[str, object]) -> bool:
    """Tell whether a password that holds `@` or `/` as it is, or has no host behind it, stands among the names."""
    ports = str(parts.get("port") or 5432)
    return not re.fullmatch("[0-9,]*", ports) or any("@" in str(parts.get(name) or "") for name in ("host", "dbname"))


def _without_state(error: psycopg.Error, operation: str, place: str) -> StoreError:
    if isinstance(error, psycopg.DataError):
        return store_error(StoreFault.CORRUPT, operation, f"{place} holds a value that cannot be read")
    if isinstance(error, psycopg.ProgrammingError):
        what = "the address of the PostgreSQL store cannot be read"
        return store_error(StoreFault.UNAVAILABLE, operation, what, mend="write postgresql://USER@HOST:PORT/DATABASE")
    text = str(error)
    known = (line for line in _CONNECTING if re.search(line[0], text))
    _, words, mend = next(known, ("", "the connection failed", "check that the server runs and can be reached"))
    return store_error(StoreFault.UNAVAILABLE, operation, f"{place}: {words}", mend=mend)


def _name_of(state: str) -> str:
    try:
        return errors.lookup(state).__name__
    except KeyError:
        return "an error"
