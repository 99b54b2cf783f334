"""Rows that the store did not take, kept as JSON lines on disk until it does: appended, fsynced, replayed, bounded.

Each process writes segments of its own in the folder; it replays these and those of processes that are gone. A line
that cannot be read back is set aside and reported, never skipped in silence.
"""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.invocation import Invocation
from groundtrace.problem import Problem
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.sinks.set_aside import SetAside, disk_problem, full_problem
from groundtrace_adapters.sinks.spool_lines import line_of, row_of
from groundtrace_adapters.sinks.spool_segment import PATTERN, Segment, bytes_at

MOST_BYTES = 256 * 1024 * 1024
"""How much the segments of a folder hold together, unless the spool is told otherwise."""

SEGMENT_BYTES = 8 * 1024 * 1024
"""A segment that has grown to this is followed by another, so that a replay frees room early."""

_log = CarefulLog("groundtrace.spool")


class Spool:
    """A folder of segments; several threads may append, one replays, and several processes may share the folder."""

    _current: Segment | None
    _replaying: Segment | None
    _lines: Iterator[bytes]
    _finished: deque[Segment]
    _unreadable: list[Segment]
    _odd: set[str]

    def __init__(self, folder: Path, /, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most `most_bytes` of rows in `folder`, which is made when the first row comes."""
        self._folder = folder
        self._most = most_bytes
        self.aside = SetAside(folder)
        self._start_anew()
        call_in_child(self._forget)

    def append(self, rows: Sequence[Invocation], /) -> Result[None, Problem]:
        """Write rows and fsync them, all or none; on Success they survive a crash, a bad or full disk is a Problem.

        Raises one of `UNWRITABLE` for a row that no line can hold; then none is written.
        """
        block = b"".join(map(line_of, rows))
        with self._lock:
            try:
                if self._used() + len(block) > self._most:
                    return result.Failure(
                        full_problem(self._folder, self._most, mend="bring the store back, or allow a larger spool")
                    )
                self._segment_to_write().append(block)
            except OSError as refused:
                return result.Failure(disk_problem(refused, self._folder))
        return result.Success(None)

    def next_batch(self, limit: int, /) -> tuple[Invocation, ...]:
        """Return rows to be stored, at most `limit`; none if there are none left. One thread replays.

        Calling again says that each row of the batch before has its place. A segment is removed once this is so for
        all of its rows: a crash in between replays it again, which ids make harmless.
        """
        while True:
            lines = self._read(limit)
            rows = [row_of(line) for line in lines]
            self._set_broken_aside([line for line, row in zip(lines, rows, strict=True) if row is None])
            good = tuple(row for row in rows if row is not None)
            if good or not (lines or self._turn_to_next()):
                return good

    def close(self, *, seconds: float) -> None:
        """Leave what is spooled to whoever opens the folder next; wait at most `seconds` for a write that hangs."""
        if self._lock.acquire(timeout=max(0.0, seconds)):
            try:
                self._leave_all()
            finally:
                self._lock.release()

    def _used(self) -> int:
        return sum(map(bytes_at, self._folder.glob(PATTERN)))

    def _segment_to_write(self) -> Segment:
        current, self._current = self._current, None
        if current is not None and (current.size() >= SEGMENT_BYTES or not current.is_there()):
            self._finished.append(current)
            current = None
        self._current = current or Segment.create(self._folder)
        return self._current

    def _read(self, limit: int) -> list[bytes]:
        try:
            return list(islice(self._lines, limit))
        except OSError as refused:
            _log.error("spooled rows cannot be read back: %s", disk_problem(refused, self._folder).line())
            with self._lock:
                self._put_by()
            return []

    def _turn_to_next(self) -> bool:
        """Remove the segment that is read to its end and turn to another, if there is one."""
        with self._lock:
            replayed, self._replaying, self._lines = self._replaying, None, iter(())
            try:
                if replayed is not None:
                    replayed.remove()
                self._replaying = self._next_segment()
            except OSError as refused:
                _log.error("the spool cannot be replayed: %s", disk_problem(refused, self._folder).line())
            if self._replaying is not None:
                self._lines = self._replaying.lines()
            return self._replaying is not None

    def _next_segment(self) -> Segment | None:
        if self._finished:
            return self._finished.popleft()
        own, self._current = self._current, None
        if own is not None:
            return own
        orphans = (self._adopted(path) for path in sorted(self._folder.glob(PATTERN)))
        return next((segment for segment in orphans if segment is not None), None)

    def _adopted(self, path: Path) -> Segment | None:
        """Take a segment over; one that cannot be opened is reported once and holds no other back."""
        if path.name in self._odd:
            return None
        try:
            return Segment.adopt(path)
        except OSError as refused:
            self._odd.add(path.name)
            _log.error("%s in the spool is left alone: %s; look at it", path.name, refused.strerror)
            return None

    def _put_by(self) -> None:
        """Hold on to the lock of a segment that cannot be read, so that it is not tried again before the next start."""
        if self._replaying is not None:
            self._unreadable.append(self._replaying)
        self._replaying, self._lines = None, iter(())

    def _set_broken_aside(self, lines: Sequence[bytes]) -> None:
        if lines:
            kept = self.aside.keep(lines)
            words = kept.map(lambda _: f"see {self.aside.path}").lash(lambda why: result.Success(why.line())).unwrap()
            _log.error("torn or changed lines of the spool, set aside: %d, %s", len(lines), words)

    def _leave_all(self) -> None:
        held = (self._current, self._replaying, *self._finished, *self._unreadable)
        self._lines = iter(())
        for segment in held:
            if segment is not None:
                segment.leave()
        self._current, self._replaying = None, None
        self._finished.clear()
        self._unreadable.clear()

    def _start_anew(self) -> None:
        self._lock = threading.Lock()
        self._current, self._replaying, self._lines = None, None, iter(())
        self._finished, self._unreadable, self._odd = deque(), [], set()

    def _forget(self) -> None:
        """In a forked child: let go of the parent's segments, which stay the parent's."""
        self._leave_all()
        self._start_anew()
