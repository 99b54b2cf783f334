"""A clock that a test sets: it stands still until it is moved, and its wall may step back as real ones do."""

from datetime import UTC, datetime, timedelta

from typing_extensions import override

from groundtrace_app.clock import Clock, IdMaker

NOON = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)


class SettableClock(Clock):
    """Wall and monotonic time, moved apart or together."""

    def __init__(self, wall: datetime = NOON, /, *, monotonic: float = 100.0) -> None:
        """Begin at a wall time and some monotonic seconds."""
        self.wall = wall
        self.seconds = monotonic
        self._ids = IdMaker()

    def advance(self, seconds: float, /) -> None:
        """Let time pass on both."""
        self.wall += timedelta(seconds=seconds)
        self.seconds += seconds

    @override
    def now(self) -> datetime:
        return self.wall

    @override
    def monotonic(self) -> float:
        return self.seconds

    @override
    def new_id(self) -> str:
        return self._ids.next_id(int(self.wall.timestamp() * 1_000))
