"""What telling OpenTelemetry costs a record: the caller's wait, and the processor time of all threads.

The same calls are recorded with and without it, in rounds that alternate, into the memory store; spans, metrics and
their encoding for OTLP included, the network left out.
"""

import gc
import statistics
import time
from collections.abc import Callable

from opentelemetry._logs import NoOpLoggerProvider
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace.ports import RowSink
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.observed_sink import ObservedSink
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.telemetry.otel import OtelTelemetry, Providers
from groundtrace_app.recorder import ToolInvocationRecorder

CALLS = 1_000
"""Fewer than the queue of the SDK holds, so that nothing is dropped."""

ROUNDS = 15
RULES = RecordRules(redactor=Redactor(b"k" * 32))
OUTPUT = outcomes.Success(support=Support.DIRECT, output="16:55:02 ERROR connection refused by payments:8443\n" * 12)
PARAMETERS = {"pattern": "connection refused", "fields": {"pod": "cart-7f8d7d756d-kzp47"}, "limit": 100}


class Encoding(SpanExporter):
    """Encodes as the OTLP exporter does, and sends nothing."""

    @override
    def export(self, spans: list[ReadableSpan]) -> SpanExportResult:  # type: ignore[override]
        encode_spans(spans).SerializePartialToString()
        return SpanExportResult.SUCCESS


def _telemetry() -> OtelTelemetry:
    traces = TracerProvider(shutdown_on_exit=False)
    traces.add_span_processor(BatchSpanProcessor(Encoding(), max_queue_size=8 * CALLS))
    metrics = MeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
    return OtelTelemetry(
        Providers(traces=traces, metrics=metrics, logs=NoOpLoggerProvider(), flush=[traces.force_flush])
    )


def _one_round(sink: RowSink, wait: Callable[[], object]) -> tuple[float, float]:
    """Return microseconds a call that its caller waits, and that all threads compute until all of it is over."""
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    gc.collect()
    used, waited = time.process_time(), 0.0
    for number in range(CALLS):
        call = recorder.open("query_logs", PARAMETERS, session_id=f"bench/{number % 10}")
        before = time.thread_time()
        recorder.record(call, OUTPUT)
        waited += time.thread_time() - before
    for session in range(10):
        sink.flush(f"bench/{session}", deadline=30)
    wait()
    return waited / CALLS * 1e6, (time.process_time() - used) / CALLS * 1e6


def main() -> None:
    """Print what a record costs with telemetry, and how many times what it costs without."""
    plain: list[tuple[float, float]] = []
    told: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        sink = QueueSink(MemoryStore(), spool=None)
        plain.append(_one_round(sink, lambda: None))
        sink.close(deadline=5)
        telemetry = _telemetry()
        watched = ObservedSink(QueueSink(MemoryStore(), spool=None), telemetry)
        told.append(_one_round(watched, lambda telemetry=telemetry: telemetry.flush(deadline=30)))  # type: ignore[misc]
        watched.close(deadline=5)
        telemetry.close(deadline=5)
    for place, name in enumerate(("caller's thread", "all threads")):
        before, after = (statistics.median(one[place] for one in side) for side in (plain, told))
        print(f"{name}: {before:.1f} us a record, {after:.1f} us with telemetry: {after / before:.2f}x")


if __name__ == "__main__":
    main()
