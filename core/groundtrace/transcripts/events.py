"""What any agent's transcript tells, whatever its format: the words that formats are read into.

A format's reader turns records into these; `joining` pairs calls with results. Nothing is judged here: flags and texts
stand as the peer wrote them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a file: a line of JSON lines, an item of a top-level JSON array, or a whole document.

    `place` is where it stands, for people: `line 12`, `item 3`, `` for a whole document. A line or document that is
    no object or array is no record: whoever reads the file counts it as bad.
    """

    place: str
    value: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A tool was called. `session` is the peer's own id, None where the file has none.

    `arguments` stand as found: an object, or the text that should have been one. `at` has a zone. `by` is who called
    where that was not the agent.
    """

    place: str
    call_id: str | None
    tool_name: str
    arguments: object
    session: str | None = None
    at: datetime | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A call came back. `failed` is the peer's own flag, None where its format has none.

    `output` is what the agent was given, None where nothing was kept. `error` is an error text that stands apart from
    it. `kind`, `repeated` and `empty` (it completed and found nothing) are told only where the format says so.
    `duration_ms` is the peer's own.
    """

    place: str
    call_id: str | None
    output: object
    failed: bool | None = None
    error: str | None = None
    kind: FailureKind | None = None
    repeated: bool = False
    empty: bool = False
    partial: tuple[str, ...] = ()
    exit_code: int | None = None
    tool_name: str | None = None
    session: str | None = None
    at: datetime | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A user's message: a new turn begins. `message_id` is the peer's, for a message that may be written again."""

    place: str
    text: str
    session: str | None = None
    at: datetime | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The agent's own text; the last one of a turn is what its user was given. `message_id` as in `Asked`."""

    place: str
    text: str
    session: str | None = None
    at: datetime | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A record that tells of no call. `known`: of a type that never does; else it is counted and reported."""

    place: str
    what: str
    known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Nothing more of this session follows in the file; what was kept for it may be let go. No reader must say it."""

    session: str | None


Event: TypeAlias = Called | Returned | Asked | Answered | Skipped | Ended

Reader: TypeAlias = Callable[[Iterable[Record]], Iterator[Event]]
"""Reads the records of one file, in order and one by one; total, whatever the records hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A transcript format: its name for `--format`, what it is, how one record alone shows it, and its reader.

    `unique_sessions`: its session ids mean the same session in whatever file they stand; else (`0`, `line 3`) they are
    told apart by file. `unique_calls`: a call id names one call of its session however often its record is written;
    else ids such as `call_0` may come again for another call. `keys` are names in its records, for a file that fits no
    format and is told the nearest.
    """

    name: str
    title: str
    fits: Callable[[JsonValue], bool]
    read: Reader
    unique_sessions: bool = True
    unique_calls: bool = False
    keys: frozenset[str] = frozenset()
