"""The schema's numbered steps and what to do about those a store has seen; pure but for reading our own files.

A step is a plain SQL file. Its checksum is kept beside its number: a file that was edited after it was applied is
refused, since nobody could say any more what the store looks like.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")

CREATE_VERSIONS = """CREATE TABLE IF NOT EXISTS groundtrace_schema (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at TEXT NOT NULL
)"""
READ_VERSIONS = "SELECT version, sha256 FROM groundtrace_schema ORDER BY version"

Applied: TypeAlias = Sequence[tuple[int, str]]
"""What a store has seen: (version, checksum), in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One numbered SQL file."""

    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Return the checksum of its text."""
        return sha256(self.sql.encode()).hexdigest()


class Partition(StrEnum):
    """By what a store may be cut, for those who drop old rows by time."""

    MONTH = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What a migration did: the store's version now, and the names of the steps that this run applied.

    `partition` is set where it was asked for, and the store has such partitions now.
    """

    version: int
    applied: tuple[str, ...]
    partition: Partition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaStatus:
    """What a store has and lacks: its version (0: none yet), this release's version, and the steps still to apply."""

    version: int
    known: int
    pending: tuple[str, ...]


def steps_in(folder: str, /) -> tuple[Step, ...]:
    """Return the steps of one of our folders (`sqlite_migrations`, `postgres_migrations`), in order."""
    found = []
    for file in files("groundtrace_adapters.stores").joinpath(folder).iterdir():
        match = _FILE.fullmatch(file.name)
        if match is not None:
            found.append(Step(version=int(match[1]), name=file.name, sql=file.read_text("utf-8")))
    return tuple(sorted(found, key=lambda step: step.version))


def pending(steps: Sequence[Step], applied: Applied, /, *, operation: str) -> Result[tuple[Step, ...], StoreError]:
    """Return the steps still to apply; refuse a newer store, and one whose steps are not ours word for word."""
    known = {step.version: step for step in steps}
    for version, checksum in applied:
        if version not in known and version > max(known, default=0):
            what = f"the store has schema version {applied[-1][0]}, and this release knows {max(known, default=0)}"
            return result.Failure(store_error(StoreFault.NEWER_SCHEMA, operation, what))
        if version not in known or known[version].sha256 != checksum:
            what = f"schema step {version:04} is not the one that was applied to this store"
            mend = "put the step's original file back; a change of the schema is a new step"
            return result.Failure(store_error(StoreFault.CORRUPT, operation, what, mend=mend))
    seen = {version for version, _ in applied}
    return result.Success(tuple(step for step in steps if step.version not in seen))


def status_of(steps: Sequence[Step], applied: Applied, /) -> Result[SchemaStatus, StoreError]:
    """Return where a store stands."""
    return pending(steps, applied, operation="status").map(
        lambda rest: SchemaStatus(
            version=applied[-1][0] if applied else 0,
            known=steps[-1].version if steps else 0,
            pending=tuple(step.name for step in rest),
        )
    )
