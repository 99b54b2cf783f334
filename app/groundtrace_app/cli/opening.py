"""What most commands begin with: settings from flags, environment and file, then the trace that they name."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.ports import Telemetry
from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Store, Technology, file_of
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.printing import fail
from groundtrace_app.settings import Settings, TelemetryTo, load_settings
from groundtrace_app.telemetry import telemetry_in
from groundtrace_app.trace import Trace, address_in, open_reader, open_trace

Flags = Mapping[str, object]


def settings_from(flags: Flags, config: Path | None, /) -> Result[Settings, Problem]:
    """Return the settings of one command."""
    return load_settings(flags, os.environ, file=config)


def with_settings(flags: Flags, config: Path | None, work: Callable[[Settings], int], /) -> int:
    """Run `work` under the settings; settings that cannot be used, the store's address among them, are bad input."""
    settings = settings_from(flags, config).bind(lambda read: address_in(read).map(lambda _: read))
    return settings.map(work).lash(told()).unwrap()


def with_store(flags: Flags, config: Path | None, work: Callable[[Store], int], /) -> int:
    """Run `work` over the store that the settings name, opened for reading; close it behind."""

    def run(store: Store) -> int:
        try:
            return work(store)
        finally:
            store.close()

    return with_settings(
        flags, config, lambda settings: open_reader(settings).map(run).lash(told(Exit.UNAVAILABLE)).unwrap()
    )


def with_trace(settings: Settings, work: Callable[[Trace], int], /, *, away: bool = False) -> int:
    """Run `work` over the trace; what is held is stored or spooled behind, whatever happens.

    With `away` a store that is away for now is no fault: rows go to the spool. A spool beside a file needs its folder:
    where that is not there, the path is more likely wrong than away. Telemetry that cannot be set up is bad input.
    """

    def run(trace: Trace) -> int:
        try:
            code = work(trace)
            trace.replay()
            return code
        finally:
            trace.close()

    def opened(telemetry: Telemetry | None) -> int:
        trace = open_trace(settings, away=away and _can_wait(settings), telemetry=telemetry)
        return trace.map(run).lash(told(Exit.UNAVAILABLE)).unwrap()

    return telemetry_in(settings).map(opened).lash(told()).unwrap()


def untold(settings: Settings, /) -> Settings:
    """Return settings under which telemetry is told nothing."""
    return settings.model_copy(update={"telemetry": TelemetryTo.OFF})


def _can_wait(settings: Settings) -> bool:
    address = None if settings.spool else address_in(settings).value_or(None)
    return address is None or address.technology is not Technology.SQLITE or file_of(address).parent.is_dir()


def told(code: Exit = Exit.BAD_INPUT, /) -> Callable[[Problem], Result[int, Problem]]:
    """Return what prints a problem and gives the exit code in its place."""
    return lambda problem: result.Success(fail(problem, code))
