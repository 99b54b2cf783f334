"""A call recorded until it is durable in SQLite, beside an OpenTelemetry SDK span with a SQLite exporter.

Figures are the processor time of all threads, redaction included, in rounds that alternate. The span carries 13 of the
call's values and is exported by a BatchSpanProcessor in transactions of 512, durable as ours are.
"""

import gc
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.invocation import ToolCall
from groundtrace.outcomes import Support
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import connect
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.full_rows import in_one_transaction

CALLS = 4_000
ROUNDS = 7
WAITING = 1_000
"""So many calls are made before both sides wait until all are durable: fewer than the processor's queue drops."""

RULES = RecordRules(redactor=Redactor(b"k" * 32))
LOG = (Path(__file__).parents[1] / "examples/incident/server.log").read_text(encoding="utf-8")[-400_000:]
OUTPUTS = {"short": "3 lines", "long": LOG[:600], "full-size": LOG[:1_750]}
PARAMETERS = {"pattern": "connection refused", "fields": {"pod": "cart-7f8d7d756d-kzp47"}, "limit": 100}
ATTRIBUTES = (
    "session_id id turn_id seq tool_name topic_domain outcome support input_params input_fingerprint success "
    "output_preview output_sha256"
).split()
SPANS = "CREATE TABLE spans (trace TEXT, id TEXT PRIMARY KEY, name TEXT, began INTEGER, ended INTEGER, attributes TEXT)"

_numbers = count(1)


class SqliteExporter(SpanExporter):
    """One row a span, one durable transaction a batch."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path)
        self._connection.execute(SPANS)

    @override
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        rows = [_span_row(span) for span in spans]
        in_one_transaction(self._connection, "INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?)", rows)
        return SpanExportResult.SUCCESS

    @override
    def shutdown(self) -> None:
        self._connection.close()


def main() -> None:
    """Print the ratio for outputs of three sizes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, output in OUTPUTS.items():
            spans, calls = list[float](), list[float]()
            for _ in range(ROUNDS):
                spans.append(_spans(Path(folder), output))
                calls.append(_calls(Path(folder), output))
            span, ours = statistics.median(spans), statistics.median(calls)
            print(
                f"a {name} call, {len(output):,} characters of output, durable in SQLite: "
                f"{ours:.1f} us, span {span:.1f} us, ratio {ours / span:.2f}"
            )


def _calls(folder: Path, output: str) -> float:
    with closing(SqliteStore(_new_file(folder))) as store:
        store.check().unwrap()
        sink = QueueSink(store, spool=None)
        recorder = ToolInvocationRecorder(sink, rules=RULES)
        found = outcomes.Success(support=Support.DIRECT, output=output)

        def work() -> None:
            for number in range(CALLS):
                recorder.record(_call(number), found)
                if number % WAITING == WAITING - 1:
                    assert not sink.flush("tenant/session-1", deadline=60).lost

        took = _processor_microseconds(work)
        sink.close()
        return took


def _spans(folder: Path, output: str) -> float:
    path = _new_file(folder)
    row = record(_call(0), outcomes.Success(support=Support.DIRECT, output=output), rules=RULES)
    attributes = [(f"tool.{name}", getattr(row, name)) for name in ATTRIBUTES]
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(SqliteExporter(path)))
    tracer = provider.get_tracer("groundtrace.benchmark")

    def work() -> None:
        for number in range(CALLS):
            with tracer.start_as_current_span("query_logs") as current:
                for name, value in attributes:
                    current.set_attribute(name, value)
            if number % WAITING == WAITING - 1:
                provider.force_flush()

    took = _processor_microseconds(work)
    provider.shutdown()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM spans").fetchone() == (CALLS,)
    return took


def _call(number: int) -> ToolCall:
    return ToolCall(
        session_id="tenant/session-1",
        id=f"0197f2c0-7d1c-7000-8000-{number:012x}",
        tool_name="query_logs",
        input_params=PARAMETERS,
        started_at=datetime(2026, 3, 8, 12, tzinfo=UTC),
        duration_ms=12,
        turn_id="turn-1",
        seq=number,
    )


def _span_row(span: ReadableSpan) -> tuple[object, ...]:
    attributes: Mapping[str, object] = span.attributes or {}
    context = span.get_span_context()
    assert context is not None
    trace, id = f"{context.trace_id:032x}", f"{context.span_id:016x}"
    return trace, id, span.name, span.start_time, span.end_time, json.dumps(dict(attributes))


def _processor_microseconds(work: Callable[[], None]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return (time.process_time() - began) / CALLS * 1e6


def _new_file(folder: Path) -> Path:
    return folder / f"{next(_numbers)}.db"


if __name__ == "__main__":
    main()
