"""What the recorder itself writes: the clients' log, the apps' log, the timeline and the drivers' counters.

Every line is stamped when the thing happened and is never changed afterwards.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

REFUSED = re.compile(r"FATAL: +(sorry, too many clients already|remaining connection slots are reserved)")


def utc_text(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Journal:
    """Both client-side logs and the counters that go with them. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._clients = (folder / "clients.log").open("w", encoding="utf-8", buffering=1)
        self._apps = (folder / "apps.jsonl").open("w", encoding="utf-8", buffering=1)
        self._counts: Counter[tuple[str, str]] = Counter()

    def close(self) -> None:
        """Close both files; nothing may be written afterwards."""
        with self._lock:
            self._clients.close()
            self._apps.close()

    def client_line(self, app: str, pid: int, text: str) -> None:
        """One line that a pgbench process printed, or that its supervisor has to say about it."""
        with self._lock:
            self._clients.write(f"{utc_text(time.time())} app={app} pid={pid} {text}\n")
            if REFUSED.search(text):
                self._counts["refused", app] += 1

    def app_line(
        self, app: str, level: str, msg: str, *, sqlstate: str | None = None, latency_ms: float | None = None
    ) -> None:
        """One line of an app's own log. Refused connections carry no SQLSTATE: libpq does not tell it."""
        latency = None if latency_ms is None else round(latency_ms, 1)
        with self._lock:
            entry = {"ts": utc_text(time.time()), "level": level, "app": app, "msg": msg}
            self._apps.write(json.dumps(entry | {"sqlstate": sqlstate, "latency_ms": latency}) + "\n")
            if REFUSED.search(msg):
                self._counts["refused", app] += 1

    def count(self, name: str, app: str) -> None:
        """Add one to a counter of the drivers."""
        with self._lock:
            self._counts[name, app] += 1

    def counted(self, name: str, app: str) -> int:
        """The value of a counter, zero if nothing was ever counted."""
        with self._lock:
            return self._counts[name, app]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of the recording: when it began and how long it is meant to last, in seconds."""

    name: str
    start: float
    length: float

    def moment(self, share: float) -> float:
        """The time at which this share of the phase has passed."""
        return self.start + share * self.length


class Timeline:
    """Runs the phases one after another and keeps when they, and the events in them, really were."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._phases: list[dict[str, str]] = []
        self._events: list[dict[str, str]] = []

    def run(self, name: str, length: float, script: Callable[[Phase], None]) -> None:
        """Run one phase: its script first, then wait until its time is over."""
        phase = Phase(name=name, start=time.time(), length=length)
        script(phase)
        self.wait_until(phase.moment(1))
        self._phases.append({"name": name, "start": utc_text(phase.start), "end": utc_text(time.time())})

    def wait_until(self, moment: float) -> None:
        """Sleep until a time, or return at once when the recording is being stopped."""
        self._stop.wait(max(0.0, moment - time.time()))

    def event(self, text: str) -> None:
        """Note something that a driver has just done."""
        with self._lock:
            self._events.append({"ts": utc_text(time.time()), "event": text})

    def write(self, path: Path, **facts: str) -> None:
        """Write the phases and events, with some facts on the recording, as JSON."""
        body = facts | {"phases": self._phases, "events": self._events}
        path.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
