"""How every store says that it did not do what it was asked: one builder of `StoreError`, and what mends each fault."""

from collections.abc import Mapping
from types import MappingProxyType

from groundtrace.ports import StoreError, StoreFault

PASSING = frozenset({StoreFault.UNAVAILABLE, StoreFault.LOCKED, StoreFault.TIMED_OUT, StoreFault.FULL})
"""Faults that may pass by themselves: appending the same rows again later is worth while."""

_MENDS: Mapping[StoreFault, str] = MappingProxyType(
    {
        StoreFault.UNAVAILABLE: "check that it is there and can be reached",
        StoreFault.LOCKED: "another program holds a lock on it; try again, or end that program",
        StoreFault.TIMED_OUT: "it is overloaded or hangs; try again, or raise the time limits",
        StoreFault.FULL: "free space, or raise its size limit",
        StoreFault.READ_ONLY: "grant the right to write there, or choose another store",
        StoreFault.NEWER_SCHEMA: "upgrade groundtrace here: a newer one has migrated this store",
        StoreFault.NOT_MIGRATED: "run `groundtrace migrate`",
        StoreFault.REFUSED_ROW: "append the rows one by one to find the one that cannot be kept",
        StoreFault.TOO_MANY: "name fewer sessions or a shorter time",
        StoreFault.CORRUPT: "restore it from a backup, or choose another store",
    }
)


def store_error(fault: StoreFault, operation: str, what: str, /, *, mend: str | None = None) -> StoreError:
    """Return the refusal as one line `what; mend`; `what` holds no rows, parameters or secrets (DESIGN section 4)."""
    line = " ".join(f"{what}; {mend or _MENDS[fault]}".split())
    return StoreError(fault=fault, operation=operation, message=line, retryable=fault in PASSING)


def too_many(operation: str, most: int, /) -> StoreError:
    """Return the refusal of a question over more rows than its caller would have read."""
    return store_error(StoreFault.TOO_MANY, operation, f"more than {most:,} rows lie in what was asked for")
