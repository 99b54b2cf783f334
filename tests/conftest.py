"""For every test: how Hypothesis searches, no network without the mark `server`, and, in CI, no skipped test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from hypothesis import settings

from groundtrace_testing import guards

pytest_plugins = ["groundtrace_testing.forked_run"]

# The same examples on every CI run; new ones at each run elsewhere. No database: a run leaves nothing behind.
settings.register_profile("house", database=None, deadline=None, derandomize="CI" in os.environ, print_blob=True)
# `pytest --hypothesis-profile quick` is the first stage of .ci/run; `make test` searches as long as ever.
settings.register_profile("quick", parent=settings.get_profile("house"), max_examples=10)
settings.load_profile("house")

# Thousands of collected tests live as long as the run: walking over them at each full collection took a quarter of it.
gc.set_threshold(50_000, 20, 50)


def pytest_collection_finish() -> None:
    """Leave what was collected to itself."""
    gc.freeze()


def pytest_sessionstart() -> None:
    """Take nothing over from where the run began.

    A test's output is a pipe of no width, whatever the terminal or a worker of pytest-xdist says of it; and a program
    that a test starts can be interrupted, though a shell starts what is in its background deaf to that.
    """
    os.environ.pop("COLUMNS", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_report_header() -> str:
    """Which groundtrace the run is about: the source tree's or an installed wheel's."""
    spec = find_spec("groundtrace")
    return f"groundtrace: {'none' if spec is None else spec.origin}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    yield from _without_network(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    yield from _without_network(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield from _without_network(item)


def _without_network(item: pytest.Item) -> Iterator[None]:
    if item.get_closest_marker("server") is not None:
        yield
        return
    with guards.forbidding(guards.network):
        yield


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With GROUNDTRACE_NO_SKIPS set, a skipped test fails the run: CI has everything that a test may ask for."""
    skipped = _skipped(session.config)
    if skipped and session.exitstatus == pytest.ExitCode.OK and "GROUNDTRACE_NO_SKIPS" in os.environ:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _skipped(config) and "GROUNDTRACE_NO_SKIPS" in os.environ:
        terminalreporter.section("skipped tests fail this run (GROUNDTRACE_NO_SKIPS)")


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", ())) if isinstance(reporter, pytest.TerminalReporter) else 0
