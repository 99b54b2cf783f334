"""When something passed: on the wall's clock for the record, on the monotonic one for durations."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment: `wall` in seconds since 1970, `monotonic` in seconds."""

    wall: float
    monotonic: float

    @property
    def at(self) -> datetime:
        """Return the time in UTC."""
        return datetime.fromtimestamp(self.wall, UTC)

    def milliseconds_since(self, earlier: "Moment", /) -> int:
        """Return whole milliseconds since an earlier moment, never negative."""
        return max(0, round((self.monotonic - earlier.monotonic) * 1_000))


def now() -> Moment:
    """Return this moment."""
    return Moment(time.time(), time.monotonic())
