"""A worker of `groundtrace_testing.forked_run`: takes runs of tests, runs them, and tells what came of each."""

from __future__ import annotations

import gc
import os
import struct
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal, NoReturn

import pytest
from _pytest.capture import CaptureManager, FDCapture

RUN = struct.Struct("II")
"""A run of tests: the number of its first one, and of the one behind its last."""

_When = Literal["config", "collect", "runtest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A warning of a test, as another process can show it."""

    text: str
    category: type[Warning]
    filename: str
    line: int
    when: _When
    nodeid: str
    location: tuple[str, int, str] | None

    def arguments(self) -> dict[str, object]:
        """For the hook `pytest_warning_recorded`."""
        message = warnings.WarningMessage(self.text, self.category, self.filename, self.line)
        return {"warning_message": message, "when": self.when, "nodeid": self.nodeid, "location": self.location}


Told = (
    tuple[Literal["reports"], Sequence[dict[str, object]]]
    | tuple[Literal["warning"], Warned]
    | tuple[Literal["broken"], str]
)
"""What a worker tells: the serialized reports of a test, a warning, or the traceback that it ends by."""


class _Teller:
    """The plugin that tells of tests in the place of the one that writes to the terminal."""

    def __init__(self, config: pytest.Config, tell: Connection) -> None:
        self._config = config
        self._tell = tell
        self._reports: list[dict[str, object]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_runtest_logfinish(self) -> None:
        self.send(("reports", self._reports))
        self._reports = []

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: _When,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        warned = Warned(
            text=str(warning_message.message),
            category=warning_message.category,
            filename=warning_message.filename,
            line=warning_message.lineno,
            when=when,
            nodeid=nodeid,
            location=location,
        )
        self.send(("warning", warned))

    def send(self, told: Told, /) -> None:
        self._tell.send(told)


def work_and_exit(session: pytest.Session, work: int, tell: Connection, *, basetemp: Path) -> NoReturn:
    """Run tests for as long as there are any, and end this process, without what it would do at its end."""
    teller = _Teller(session.config, tell)
    try:
        _become_worker(session.config, teller, basetemp)
        for number, following in pairwise(chain(_numbers(work), (None,))):
            assert number is not None
            item = session.items[number]
            nextitem = None if following is None else session.items[following]
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
    except Exception:
        teller.send(("broken", traceback.format_exc()))
        raise
    finally:
        os._exit(0)


def _numbers(work: int) -> Iterator[int]:
    while run := os.read(work, RUN.size):
        yield from range(*RUN.unpack(run))


def _become_worker(config: pytest.Config, teller: _Teller, basetemp: Path) -> None:
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(teller)
    basetemp.mkdir()
    config._tmp_path_factory._basetemp = basetemp  # type: ignore[attr-defined]  # else all forks would share theirs
    _catch_output_apart(plugins.get_plugin("capturemanager"))
    # What was collected lives as long as the process, and pages that nobody writes to are shared.
    gc.freeze()


def _catch_output_apart(capture: object) -> None:
    """Put a file of this process in the place of each that catches output: all forks share its position, else."""
    assert isinstance(capture, CaptureManager)
    caught = capture._global_capturing
    for stream in () if caught is None else (caught.out, caught.err):
        if isinstance(stream, FDCapture):
            with TemporaryFile(buffering=0) as own:
                os.dup2(own.fileno(), stream.tmpfile.fileno(), inheritable=False)
