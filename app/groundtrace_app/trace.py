"""The store that the settings name, with the recorder, the sink and the spool that lead into it."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.evaluation import Evaluation
from groundtrace.ports import RowSink, StoreError, Telemetry
from groundtrace.problem import Problem
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.redaction_re2 import re2_screen
from groundtrace_adapters.sinks.evaluation_spool import EvaluationSpool
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.observed_sink import ObservedSink
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.sharded_sink import sharded_queue
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.sinks.spool_segment import bytes_waiting
from groundtrace_adapters.stores.opening import (
    Address,
    ShardedStore,
    Store,
    Technology,
    address_of,
    file_of,
    open_store,
)
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.clock import SystemClock
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.settings import Settings
from groundtrace_app.telemetry import telemetry_in

SPOOLS = Path("groundtrace.spool")
"""Where the spools of servers are, a folder for each database: rows for one never get into another."""

CLOSE_SECONDS = 10.0

TELEMETRY_SECONDS = 2.0
"""How long a close waits for a receiver of telemetry."""

KEY_BYTES = 32

OVERLAP = 3
"""So many batches are on their way to a server at once; a file takes one writer anyhow."""

LANE_BOUNDS = Bounds(rows=2_500, weight=12 * 1024 * 1024)
"""How much each lane of a store on several servers holds in memory: four of them as much as one server's."""

STALL_SECONDS = 1.0
LOOK_SECONDS = 0.02

_log = CarefulLog("groundtrace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A store with the way into it."""

    store: Store
    sink: RowSink
    recorder: ToolInvocationRecorder
    spool_folder: Path | None
    evaluations: EvaluationSpool | None
    telemetry: Telemetry | None = None

    def keep_evaluation(self, evaluation: Evaluation, /) -> Result[None, Problem]:
        """Keep an evaluation until the store takes it; without a spool it is lost, which is a Problem."""
        if self.evaluations is None:
            return result.Failure(Problem(what="there is no spool, so it is lost", where="evaluation"))
        return self.evaluations.keep(evaluation)

    def replay(self) -> int:
        """Store what was spooled before, rows and evaluations, and return how many bytes of rows still wait.

        Ends once nothing more is stored for a second: the store is away, or another process holds the rest.
        """
        if self.evaluations is not None and self.evaluations.waiting():
            self.evaluations.replay(self.store, lane_of=_lane_of(self.store))
        waiting, since = self._waiting(), time.monotonic()
        while waiting and time.monotonic() - since < STALL_SECONDS:
            time.sleep(LOOK_SECONDS)
            before, waiting = waiting, self._waiting()
            if waiting < before:
                since = time.monotonic()
        return waiting

    def _waiting(self) -> int:
        return 0 if self.spool_folder is None else bytes_waiting(self.spool_folder)

    def close(self) -> None:
        """Store or spool what is held, and let go of the store."""
        self.sink.close(deadline=CLOSE_SECONDS)
        if self.telemetry is not None:
            self.telemetry.close(deadline=TELEMETRY_SECONDS)
        self.store.close()


def open_trace(
    settings: Settings, /, *, away: bool = False, telemetry: Telemetry | None = None
) -> Result[Trace, Problem]:
    """Return the store and the recorder over it; a store that cannot be used is a Problem.

    With `away` a store that is away for now is no Problem: rows go to the spool, and secrets are marked under a key of
    this process alone. `telemetry` takes the place of what the settings name, and is closed with the trace.
    """
    named = telemetry_in(settings) if telemetry is None else result.Success(telemetry)
    return named.bind(
        lambda told: address_in(settings).bind(
            lambda address: _opened(settings, address, told, away=away).alt(store_problem)
        )
    )


class TraceUnavailableError(RuntimeError):
    """The trace that settings name cannot be used; the text says what, where and how to mend it."""


def trace_or_raise(settings: Settings, /, *, away: bool = False, telemetry: Telemetry | None = None) -> Trace:
    """Return what `open_trace` does, for programs that would rather catch. Raises TraceUnavailableError."""

    def refuse(problem: Problem) -> Result[Trace, Problem]:
        raise TraceUnavailableError(problem.line())

    return open_trace(settings, away=away, telemetry=telemetry).lash(refuse).unwrap()


def open_reader(settings: Settings, /) -> Result[Store, Problem]:
    """Return the store opened for reading: nothing is made or changed, and a file that is not there is a Problem."""
    return address_in(settings).bind(lambda address: _reader(settings, address))


def address_in(settings: Settings, /) -> Result[Address, Problem]:
    """Return where the store is; an address that means nothing, and a folder, are Problems of what was written."""
    return address_of(settings.store).alt(store_problem).bind(_no_folder)


def _no_folder(address: Address) -> Result[Address, Problem]:
    if address.technology is Technology.SQLITE and file_of(address).is_dir():
        what = f"{file_of(address)} is a folder"
        return result.Failure(Problem(what=what, where="store", mend="name a file in it"))
    return result.Success(address)


def _reader(settings: Settings, address: Address) -> Result[Store, Problem]:
    match address.technology:
        case Technology.MEMORY:
            mend = "name the file or server that the calls were recorded in"
            return result.Failure(Problem(what="`memory:` ends with its command", where="store", mend=mend))
        case Technology.SQLITE:
            file = file_of(address)
            if file.exists():
                return result.Success(SqliteStore(file, read_only=True))
            mend = "name it with --store; `groundtrace ask`, `call` and `record` make it"
            return result.Failure(Problem(what=f"there is no file {file}", where="store", mend=mend))
        case Technology.POSTGRES | Technology.SHARDED:
            return open_store(settings.store).alt(store_problem)


def store_problem(error: StoreError, /) -> Problem:
    """Return a store's refusal as a problem in one line."""
    return Problem(what=error.message, where="store")


def _opened(
    settings: Settings, address: Address, telemetry: Telemetry | None, *, away: bool
) -> Result[Trace, StoreError]:
    return open_store(settings.store).bind(
        lambda store: (
            store.redaction_key()
            .lash(lambda error: _key_of_this_process(error) if away and error.retryable else result.Failure(error))
            .map(lambda key: _trace(store, key, _spool_now(settings, address), address.technology, telemetry))
        )
    )


def _key_of_this_process(error: StoreError) -> Result[bytes, StoreError]:
    _log.warning("the store is away (%s): secrets are marked under a key of this process alone", error.fault)
    return result.Success(secrets.token_bytes(KEY_BYTES))


def _trace(store: Store, key: bytes, folder: Path | None, technology: Technology, telemetry: Telemetry | None) -> Trace:
    own = _sink(store, folder, technology)
    sink = own if telemetry is None else ObservedSink(own, telemetry)
    recorder = ToolInvocationRecorder(
        sink, rules=RecordRules(redactor=Redactor(key, screen=re2_screen())), clock=SystemClock()
    )
    evaluations = EvaluationSpool(folder) if folder else None
    return Trace(
        store=store, sink=sink, recorder=recorder, spool_folder=folder, evaluations=evaluations, telemetry=telemetry
    )


def _sink(store: Store, folder: Path | None, technology: Technology) -> RowSink:
    if folder is not None and isinstance(store, ShardedStore):
        return sharded_queue(store, folder, lane_of=store.shard_of, bounds=LANE_BOUNDS)
    overlap = OVERLAP if technology is Technology.POSTGRES else 1
    return QueueSink(store, spool=Spool(folder) if folder else None, overlap=overlap)


def _lane_of(store: Store) -> Callable[[str], str | None]:
    return store.shard_of if isinstance(store, ShardedStore) else lambda _: None


def _spool_now(settings: Settings, address: Address) -> Path | None:
    """Return the folder by its whole path: the process may change its own folder while rows wait."""
    folder = spool_folder(settings, address)
    try:
        return None if folder is None else folder.absolute()
    except OSError:
        return folder


def spool_folder(settings: Settings, address: Address, /) -> Path | None:
    """Return where rows wait for a store that is away: as set, beside a file, in the database's own, or nowhere."""
    if settings.spool:
        return Path(settings.spool).expanduser()
    match address.technology:
        case Technology.MEMORY:
            return None
        case Technology.SQLITE:
            file = file_of(address)
            return file.with_name(file.name + ".spool")
        case Technology.POSTGRES | Technology.SHARDED:
            from groundtrace_adapters.stores.postgres_faults import folder_name_of

            return SPOOLS / folder_name_of(address.place)
