"""`pytest --forks 4`: collects once and forks workers that run the tests, so nothing is imported or collected again.

A pipe that is filled before the fork holds the numbers of all tests, in runs; a worker takes the next run from it, and
sends what came of each test through a pipe of its own. A test that came to no end has failed: its worker is gone.
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection, Pipe, wait

import pytest

from groundtrace_testing import forked_worker
from groundtrace_testing.forked_worker import Told

_RUNS_A_WORKER = 8
_LONGEST_RUN = 24
_SECONDS_BETWEEN_LOOKS = 1.0


class BrokenWorkerError(Exception):
    """A worker ended by an exception outside of every test: its text is the worker's traceback."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forks", type=int, default=0, help="run the tests in so many forks of this process")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what was collected in forks, if it was asked for."""
    option = session.config.option
    if option.forks < 1 or option.collectonly or session.testsfailed:
        return None
    workers = _start(session, option.forks)
    try:
        ended = _hand_on(session, workers)
    finally:
        for pid in workers.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    for item in session.items:
        if item.nodeid not in ended:
            session.config.hook.pytest_runtest_logreport(report=_lost(item))
    return True


def _start(session: pytest.Session, forks: int) -> dict[Connection, int]:
    """Each worker's process id, by the end of the pipe that tells of its tests."""
    _write_no_line_for_each_change_of_file(session.config)
    places = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # as pytest-xdist does
    work = _filled(len(session.items), forks)
    workers: dict[Connection, int] = {}
    for number in range(forks):
        telling, tell = Pipe(duplex=False)
        pid = os.fork()
        if pid == 0:
            forked_worker.work_and_exit(session, work, tell, basetemp=places / f"fork-{number}")
        tell.close()
        workers[telling] = pid
    os.close(work)
    return workers


def _filled(tests: int, forks: int) -> int:
    """Where to read all runs from, longer ones first, and then the end."""
    reading, writing = os.pipe()
    first = 0
    while first < tests:
        behind = first + max(1, min(_LONGEST_RUN, (tests - first) // (forks * _RUNS_A_WORKER)))
        os.write(writing, forked_worker.RUN.pack(first, behind))
        first = behind
    os.close(writing)
    return reading


def _hand_on(session: pytest.Session, workers: dict[Connection, int]) -> set[str]:
    """Hand on what is told until each worker has ended and is taken out, and name the tests that came to their end."""
    ended: set[str] = set()
    while workers:
        ready = [one for one in wait(list(workers), _SECONDS_BETWEEN_LOOKS) if isinstance(one, Connection)]
        for telling in ready:
            try:
                told: Told = telling.recv()
            except EOFError:
                os.waitpid(workers.pop(telling), 0)
            else:
                ended |= _take(session, told)
        if not ready:
            # What a test has started may hold the pipe of a worker open that is gone.
            for telling in [one for one, pid in workers.items() if os.waitpid(pid, os.WNOHANG) != (0, 0)]:
                del workers[telling]
    return ended


def _take(session: pytest.Session, told: Told) -> set[str]:
    """The test that has come to its end by this, if any."""
    hook = session.config.hook
    match told:
        case "reports", reports:
            for data in reports:
                report = hook.pytest_report_from_serializable(config=session.config, data=data)
                hook.pytest_runtest_logreport(report=report)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            return {str(data["nodeid"]) for data in reports[-1:]}
        case "warning", warning:
            hook.pytest_warning_recorded.call_historic(kwargs=warning.arguments())
            return set()
        case "broken", text:
            raise BrokenWorkerError(text)


def _lost(item: pytest.Item) -> pytest.TestReport:
    """What is said of a test whose worker is gone."""
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="failed",
        longrepr="the process that was to run this test ended before the test did",
        when="call",
    )


def _write_no_line_for_each_change_of_file(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if isinstance(terminal, pytest.TerminalReporter):
        terminal.showfspath = False
