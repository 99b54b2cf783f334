"""Time and identity for the application: the one place that reads a clock or draws randomness for ids."""

import secrets
import threading
import time
from datetime import UTC, datetime
from typing import Protocol

from typing_extensions import override

from groundtrace_adapters.forking import call_in_child

_FRESH_BITS = 73
_LATEST = (1 << 48) - 1
_LOW = (1 << 48) - 1
_HEAD = len("01234567-89ab-7cde-8fff-")


class Clock(Protocol):
    """Wall-clock time for the record, monotonic time for durations, ids for calls and evaluations."""

    def now(self) -> datetime:
        """Return the time in UTC, with microseconds."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""

    def new_id(self) -> str:
        """Return a fresh UUIDv7, larger as text than each one that this clock gave before (RFC 9562)."""


class SystemClock(Clock):
    """The machine's clocks and its source of randomness."""

    def __init__(self) -> None:
        """Begin with no id given."""
        self._ids = IdMaker()

    @override
    def now(self) -> datetime:
        return datetime.now(UTC)

    @override
    def monotonic(self) -> float:
        return time.monotonic()

    @override
    def new_id(self) -> str:
        return self._ids.next_id(time.time_ns() // 1_000_000)


class IdMaker:
    """Ids in the order in which they are made, by any number of threads; two processes never give the same one.

    Each millisecond begins at a random tail; within it, and while the wall clock stands behind what it showed before,
    the tail is counted up (RFC 9562, 6.2, method 2). Ids are keys, no secrets: a neighbour may be guessed.
    """

    def __init__(self) -> None:
        """Begin with no id given."""
        self._lock = threading.Lock()
        self._milliseconds = -1
        self._tail = secrets.randbits(_FRESH_BITS)
        self._head = ""
        call_in_child(self._part_from_parent)

    def next_id(self, milliseconds: int, /) -> str:
        """Return a UUIDv7 for a Unix time in milliseconds, or for the latest time given before if that is later."""
        with self._lock:
            if milliseconds <= self._milliseconds and self._tail & _LOW != _LOW:
                # Only the last 48 bits change: the beginning of the text stands.
                self._tail += 1
                return f"{self._head}{self._tail & _LOW:012x}"
            if milliseconds > self._milliseconds:
                self._milliseconds, self._tail = milliseconds, secrets.randbits(_FRESH_BITS)
            else:
                self._tail += 1
            made = uuid7(self._milliseconds, self._tail)
            self._head = made[:_HEAD]
            return made

    def id_at(self, moment: datetime, /) -> str:
        """Return a fresh UUIDv7 with the time `moment`, as far as 48 bits reach; of one time the later is larger."""
        with self._lock:
            self._tail += 1
            return uuid7(min(max(0, round(moment.timestamp() * 1_000)), _LATEST), self._tail)

    def _part_from_parent(self) -> None:
        """In a forked child: begin at a tail of its own, in the next millisecond, so that its ids still grow."""
        self._lock = threading.Lock()
        self._milliseconds, self._tail = self._milliseconds + 1, secrets.randbits(_FRESH_BITS)
        self._head = uuid7(self._milliseconds, self._tail)[:_HEAD]


def uuid7(milliseconds: int, tail: int, /) -> str:
    """Return the UUIDv7 for a Unix time in milliseconds (48 bits) and a tail of 74 bits; more bits are left out."""
    high, low = tail >> 62 & 0xFFF, tail & (1 << 62) - 1
    text = f"{(milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
