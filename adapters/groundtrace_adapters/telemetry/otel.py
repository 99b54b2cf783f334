"""OtelTelemetry: rows become spans, decisions events, both metrics, behind the back of whoever records.

It speaks the API of OpenTelemetry to any providers: those of the program, or those that `otlp` makes.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from opentelemetry import trace
from opentelemetry._logs import LoggerProvider, SeverityNumber, get_logger_provider
from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider, get_meter_provider
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, Status, StatusCode, TracerProvider
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Receipt, Telemetry
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.forking import call_at_exit, call_in_child
from groundtrace_adapters.telemetry import names
from groundtrace_adapters.telemetry.calls import call_attributes, error_type, nanoseconds, span_name, span_times
from groundtrace_adapters.telemetry.decisions import decision_attributes
from groundtrace_adapters.telemetry.instruments import Instruments
from groundtrace_adapters.telemetry.waiting import Waiting, WaitingBounds

BATCH = 256

BUILD_SECONDS = 1.0
"""So long the sink is given to build the rows of a batch; what it has not built by then is built here."""

CLOSE_SECONDS = 2.0
"""How long the end of the interpreter may take to send what is held."""

EVALUATION_WEIGHT = 64 * 1024

_GETTERS: Sequence[Callable[[], object]] = (trace.get_tracer_provider, get_meter_provider, get_logger_provider)

_log = CarefulLog("groundtrace.telemetry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """Where telemetry goes. `flush` and `shutdown` may each take as long as they like; they are not waited for longer.

    Providers that belong to the program have nothing to shut down here.
    """

    traces: TracerProvider
    metrics: MeterProvider
    logs: LoggerProvider
    flush: Sequence[Callable[[], object]] = ()
    shutdown: Sequence[Callable[[], object]] = ()


def providers_of_the_program() -> Providers:
    """Return the providers that the program has set for itself; their end is the program's affair."""
    traces, metrics, logs = trace.get_tracer_provider(), get_meter_provider(), get_logger_provider()
    return Providers(traces=traces, metrics=metrics, logs=logs, flush=[partial(_flush_now, get) for get in _GETTERS])


def _flush_now(get: Callable[[], object]) -> object:
    """Flush what the program has set by now, which may be later than this was made."""
    flush: Callable[[], object] | None = getattr(get(), "force_flush", None)
    return None if flush is None else flush()


class Note(NamedTuple):
    """What was told, and the span in which."""

    about: Receipt | Evaluation
    parent: Span | None


class OtelTelemetry(Telemetry):
    """Tells OpenTelemetry; one instance a process, made anew in a forked child. May be called from any thread."""

    def __init__(
        self, providers: Providers | None = None, /, *, content: bool = False, bounds: WaitingBounds | None = None
    ) -> None:
        """Tell `providers`, by default those of the program.

        With `content` the redacted parameters, output previews and messages of calls go out too, and the verifier's
        reasons for answers that were shown.
        """
        self._providers = providers or providers_of_the_program()
        self._content = content
        self._bounds = bounds or WaitingBounds()
        self._tracer = self._providers.traces.get_tracer(names.SCOPE)
        self._logger = self._providers.logs.get_logger(names.SCOPE)
        self._instruments = Instruments(self._providers.metrics.get_meter(names.SCOPE))
        self._closed = False
        self._begin()
        call_in_child(self._begin)

    @override
    def recorded(self, receipt: Receipt, /, *, weight: int) -> None:
        self._note(receipt, weight)

    @override
    def decided(self, evaluation: Evaluation, /) -> None:
        self._note(evaluation, EVALUATION_WEIGHT)

    @override
    def flush(self, *, deadline: float) -> bool:
        until = time.monotonic() + deadline
        drained = self._waiting.drained(seconds=deadline) if self._started else True
        return _within(until, self._providers.flush) and drained

    @override
    def close(self, *, deadline: float) -> None:
        if self._closed:
            return
        self._closed = True
        self._no_exit_call()
        until = time.monotonic() + deadline
        self._waiting.close()
        left = self._started and not self._waiting.drained(seconds=deadline / 2)
        ended = _within(until, self._providers.shutdown or self._providers.flush)
        if left or not ended:
            _log.warning("telemetry was closed after %g s before all of it was sent", deadline)
        self._tell_dropped()

    def _begin(self) -> None:
        """Hold nothing, and start the thread with the first note: a forked child has none of the parent's."""
        self._waiting: Waiting[Note] = Waiting(self._bounds)
        self._instruments.begin_anew()
        self._no_exit_call: Callable[[], None] = lambda: None
        self._starting = threading.RLock()
        self._started = False
        if self._closed:
            self._waiting.close()

    def _note(self, about: Receipt | Evaluation, weight: int) -> None:
        try:
            here = trace.get_current_span()
            parent = here if here is not trace.INVALID_SPAN else None
            if self._waiting.put(Note(about, parent and _only_context(parent)), weight=weight) and not self._started:
                self._start()
        except Exception as fault:  # noqa: BLE001 - telemetry never breaks the call that it tells of
            _log.error("telemetry was not told of a record: %s", type(fault).__name__)

    def _start(self) -> None:
        with self._starting:
            if self._started:
                return
            self._started = True
        threading.Thread(target=self._run, name="groundtrace-telemetry", daemon=True).start()
        self._no_exit_call = call_at_exit(partial(self.close, deadline=CLOSE_SECONDS))

    def _run(self) -> None:
        waiting = self._waiting
        while batch := waiting.take(BATCH):
            _let_build(batch)
            for note in batch:
                self._tell(note)
            self._tell_dropped()

    def _tell(self, note: Note) -> None:
        try:
            context = None if note.parent is None else trace.set_span_in_context(note.parent, Context())
            if isinstance(note.about, Evaluation):
                self._tell_decision(note.about, context or Context())
            else:
                self._tell_call(note.about, context or Context())
        except Exception as fault:  # noqa: BLE001 - one that cannot be told costs the others nothing
            _log.error("a record could not be told to OpenTelemetry: %s", type(fault).__name__)

    def _tell_call(self, receipt: Receipt, context: Context) -> None:
        row = receipt.row
        began, ended = span_times(row)
        attributes = call_attributes(row, content=self._content)
        span = self._tracer.start_span(span_name(row), context, attributes=attributes, start_time=began)
        kind = error_type(row)
        if kind is not None:
            span.set_status(Status(StatusCode.ERROR, kind))
        span.end(ended)
        self._instruments.count_call(row)

    def _tell_decision(self, evaluation: Evaluation, context: Context) -> None:
        self._logger.emit(
            timestamp=nanoseconds(evaluation.created_at),
            observed_timestamp=time.time_ns(),
            context=context,
            severity_number=SeverityNumber.INFO,
            attributes=decision_attributes(evaluation, content=self._content),
            event_name=names.EVALUATION_EVENT,
        )
        self._instruments.count_decision(evaluation)

    def _tell_dropped(self) -> None:
        dropped = self._waiting.dropped()
        if dropped:
            _log.warning("%d records found no room in telemetry; the store has them", dropped)


def _only_context(span: Span) -> Span | None:
    """Return what a child needs to know of a span, which may have ended by then."""
    context: SpanContext = span.get_span_context()
    return NonRecordingSpan(context) if context.is_valid else None


def _let_build(batch: Sequence[Note]) -> None:
    """Wait a moment for the sink's own thread, so that no row is built twice."""
    receipts = [note.about for note in batch if not isinstance(note.about, Evaluation)]
    if receipts:
        receipts[-1].wait(deadline=BUILD_SECONDS)


def _within(until: float, work: Sequence[Callable[[], object]]) -> bool:
    """Do some work side by side; tell whether all of it ended, without a fault, by `until` (monotonic)."""
    done: list[bool] = []

    def ended(one: Callable[[], object]) -> None:
        try:
            done.append(one() is not False)
        except Exception as fault:  # noqa: BLE001 - providers are others', and what they raise is theirs
            _log.error("OpenTelemetry failed: %s", type(fault).__name__)

    threads = [threading.Thread(target=ended, args=(one,), daemon=True) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    return len(done) == len(work) and all(done)
