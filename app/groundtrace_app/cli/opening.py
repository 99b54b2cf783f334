"""What most commands begin with: settings from flags, environment and file, then the trace that they name."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.printing import fail
from groundtrace_app.settings import Settings, load_settings
from groundtrace_app.wiring import Trace, open_trace, store_problem


def settings_from(flags: Mapping[str, object], config: Path | None, /) -> Result[Settings, Problem]:
    """Return the settings of one command, and let warnings of ours reach standard error as plain lines."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="groundtrace: %(message)s")
    return load_settings(flags, os.environ, file=config)


def with_store(flags: Mapping[str, object], config: Path | None, work: Callable[[Store], int], /) -> int:
    """Run `work` over the store that the settings name; close it behind."""

    def run(store: Store) -> int:
        try:
            return work(store)
        finally:
            store.close()

    return (
        settings_from(flags, config)
        .alt(fail)
        .bind(
            lambda settings: (
                open_store(settings.store).alt(lambda error: fail(store_problem(error), Exit.UNAVAILABLE)).map(run)
            )
        )
        .lash(_code)
        .unwrap()
    )


def with_trace(settings: Settings, work: Callable[[Trace], int], /, *, away: bool = False) -> int:
    """Run `work` over the trace; what is held is stored or spooled behind, whatever happens."""

    def run(trace: Trace) -> int:
        try:
            return work(trace)
        finally:
            trace.close()

    return (
        open_trace(settings, away=away)
        .alt(lambda problem: fail(problem, Exit.UNAVAILABLE))
        .map(run)
        .lash(_code)
        .unwrap()
    )


def _code(code: int) -> "Result[int, int]":
    return Result.from_value(code)
