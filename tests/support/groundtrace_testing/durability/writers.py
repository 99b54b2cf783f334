"""Writer processes under one roof: started, listened to, killed or ended, and what they were told until then."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from groundtrace_testing.durability.load import Told

_END_SECONDS = 60.0


class Writer:
    """One process of `writer`, or of another module with its manners; `told` grows while it lives."""

    def __init__(
        self, *, store: str, spool: Path, name: str, options: tuple[str, ...] = (), module: str = "writer"
    ) -> None:
        """Start it; options are those of its command line."""
        self.session = f"durable/{name}"
        self.told: list[Told] = []
        self.slowest_put = 0.0
        self._first = threading.Event()
        self._said = ""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        program = f"groundtrace_testing.durability.{module}"
        command = [sys.executable, "-m", program, "--store", store, "--spool", str(spool), "--name", name, *options]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait_for_first(self, seconds: float = 30.0, /) -> None:
        """Wait until it was told of its first row."""
        assert self._first.wait(seconds), self.log()
        assert self.told, self.log()

    def kill(self) -> None:
        """End it as the machine's own killer would: no signal handler, no exit, nothing flushed."""
        self.process.kill()
        self.process.wait()
        self._listener.join()

    def end(self) -> None:
        """Let it end in good order; fails if it does not, or if it complained of a bug."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(_END_SECONDS)
        self._listener.join()
        assert self.process.returncode == 0, self.log()
        assert "Traceback" not in self.log(), self.log()

    def close(self) -> None:
        """Kill it if it still lives, and let go of its pipes."""
        if self.process.poll() is None:
            self.kill()
        self._said = self.log()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            assert pipe is not None
            pipe.close()

    def log(self) -> str:
        """What it said of bad days."""
        if self._log.closed:
            return self._said
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            parts = line.decode().rstrip("\n").split("\t")
            if parts[0] == "slowest":
                self.slowest_put = float(parts[1])
            # Whatever was killed while it wrote its line has not told it.
            elif len(parts) == 4 and line.endswith(b"\n"):
                self.told.append((parts[0], parts[1], parts[2], parts[3]))
                self._first.set()
        self._first.set()


@contextmanager
def writers(options: Sequence[tuple[str, ...]], /, *, store: str, spool: Path, prefix: str) -> Iterator[list[Writer]]:
    """Start a writer for each set of options over one store and spool; each was told of a row before the block."""
    started: list[Writer] = []
    try:
        for number, given in enumerate(options):
            started.append(Writer(store=store, spool=spool, name=f"{prefix}{number}", options=given))
        for one in started:
            one.wait_for_first()
        yield started
    finally:
        for one in started:
            one.close()


def told_by(some: list[Writer], /) -> list[Told]:
    """All that writers were told, in no order."""
    return [line for one in some for line in one.told]
