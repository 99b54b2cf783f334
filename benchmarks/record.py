"""Recording and redaction against an OpenTelemetry SDK span with the same 13 attributes, and memory for 100 MB.

The span is made, given its attributes and ended under a BatchSpanProcessor whose exporter keeps nothing; `orjson.dumps`
writes the columns of a row of 2.6 KB. All ratios are taken in one run, each from the best of many rounds that
alternate, so that a slow moment hits both sides. Times are the CPU time of the calling thread.
"""

import gc
import multiprocessing
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, thread_time

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Support
from groundtrace.pending_row import BegunCall, PendingRow, pending_end
from groundtrace.ports import Fate, StoreError
from groundtrace.preview import preview
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor, redactions
from groundtrace_adapters.redaction_re2 import re2_screen
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorder import ToolInvocationRecorder

CALLS = 1_000
ROUNDS = 30
LARGE = 100_000_000
LARGE_LINE = "2026-03-08T12:00:01Z level=info msg=served path=/cart/items status=200 took=9ms\n"
KEY = b"k" * 32
WRITTEN = "orjson.dumps"
START = datetime(2026, 3, 8, 12, tzinfo=UTC)

# The server's log of the shipped incident, from the minutes of the fault.
LOG = (Path(__file__).parents[1] / "examples/incident/server.log").read_text(encoding="utf-8")[-400_000:][:2_600]

# Calls, each compared with a span that carries its own 13 values; the row of the last takes 2.6 KB as JSON.
SHORT: tuple[dict[str, object], str] = ({"selector": '{app="api"}', "limit": 100}, "3 lines")
LONG: tuple[dict[str, object], str] = (
    {
        "pattern": "connection refused",
        "fields": {"pod": "cart-7f8d7d756d-kzp47"},
        "start": "2026-03-08T11:55:00Z",
        "limit": 100,
    },
    LOG[:600],
)
FULL: tuple[dict[str, object], str] = (LONG[0], LOG[:1_750])

SECRETS = {
    "sk-test-AAAABBBBCCCCDDDD": "12:00:01 level=info msg=login api_key={} user=ann",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.": "Authorization: Bearer {}",
    "pw12345": "GET https://user:{}@api.example.test/v1/q?q=error+rate 401",
    "tok-998877": "GET https://api.example.test/v1/q?token={}&q=error+rate 401",
    "s3cr3t": "postgresql://app:{}@db.example.test/x refused",
    "hunter2hunter2": "PGPASSWORD={} psql -h db",
    "letmein99": "run --password {} -c 1",
    "abcDEF123": '{{"client_secret": "{}", "limit": 5}}',
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": "push with {} failed",
    "AKIAABCDEFGHIJKLMNOP": "key id {} is not known",
}
TEN_SECRETS = "\n".join(form.format(secret) for secret, form in SECRETS.items())


class Unredacted(Redactor):
    """Leaves everything as it is: the share of redaction is measured by itself."""

    __slots__ = ()

    @override
    def text(self, text: str, /) -> str:
        return text

    @override
    def value(self, value: JsonValue, /) -> JsonValue:
        return value


class NoExport(SpanExporter):
    """Keeps nothing."""

    @override
    def export(self, spans: object) -> SpanExportResult:
        return SpanExportResult.SUCCESS

    @override
    def shutdown(self) -> None:
        return None


class Nowhere(MemoryStore):
    """Takes rows, and keeps none."""

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return result.Success((Fate.STORED,) * len(rows))


def main() -> None:
    """Print the ratios and the peak."""
    redactor, screened = Redactor(KEY), Redactor(KEY, screen=re2_screen())
    for each in (redactor, screened):
        check(each)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(NoExport()))
    rules, bare = RecordRules(redactor=redactor), RecordRules(redactor=Unredacted(KEY))
    for name, asked in (("short", SHORT), ("long", LONG), ("full-size", FULL)):
        print(f"a {name} call: {len(asked[0])} parameters, {len(asked[1]):,} characters of output")
        sink = QueueSink(Nowhere(), spool=None)
        whole = {"the recorder, until the call is in its queue": recording_one(sink, rules, asked)}
        report(compared({**against(provider, asked), **whole, **rounds(asked, rules, bare)}))
        sink.close()
    print("redaction")
    report(compared({**against(provider, LONG), **redacting(redactor, "re"), **redacting(screened, "RE2")}))
    for kind in ("str", "bytes"):
        print(f"peak memory for an output of {LARGE:,} ({kind}): {peak(kind) / 2**20:.1f} MiB beyond it")


def check(redactor: Redactor) -> None:
    """Fail unless all ten secrets are gone, from the text and from a row, and the log is as it was."""
    clean = redactor.text(TEN_SECRETS)
    row = ended((LONG[0], TEN_SECRETS), RecordRules(redactor=redactor)).finish()
    assert not [secret for secret in SECRETS if secret in clean or secret in repr(row)]
    assert sum(redactions(clean).values()) == len(SECRETS)
    assert redactor.text(LOG) == LOG


def against(provider: TracerProvider, asked: tuple[dict[str, object], str]) -> dict[str, Callable[[], object]]:
    """Return the yardsticks: the span of this call, and `orjson.dumps` (if there is one) of the full-size row."""
    if find_spec("orjson") is None:
        return {"span with 13 attributes": spanning(provider, asked)}
    import orjson

    row = recording(FULL, RecordRules(redactor=Unredacted(KEY)))
    columns = {column.name: getattr(row, column.name) for column in fields(Invocation)}
    size = len(orjson.dumps(columns))
    assert 2_500 < size < 2_700, size
    return {
        "span with 13 attributes": spanning(provider, asked),
        f"{WRITTEN} of a row of {size:,} bytes": lambda: orjson.dumps(columns),
    }


def rounds(
    asked: tuple[dict[str, object], str], rules: RecordRules, bare: RecordRules
) -> dict[str, Callable[[], object]]:
    """Return what is measured of one call."""
    return {
        "the caller's part: frozen, and pending with its secrets": lambda: ended(asked, rules),
        "record, all but redaction": lambda: recording(asked, bare),
        "record, whole": lambda: recording(asked, rules),
    }


def redacting(redactor: Redactor, engine: str) -> dict[str, Callable[[], object]]:
    """Return the two redactions that are measured."""
    return {
        f"{engine}: {len(LOG):,} characters of log": lambda: redactor.text(LOG),
        f"{engine}: {len(TEN_SECRETS):,} characters with ten secrets": lambda: redactor.text(TEN_SECRETS),
    }


def recording_one(sink: QueueSink, rules: RecordRules, asked: tuple[dict[str, object], str]) -> Callable[[], object]:
    """Return what records one call as an application does: an id, clocks, a position, a snapshot, a receipt."""
    recorder = ToolInvocationRecorder(sink, rules=rules)

    def one() -> object:
        call = recorder.open("query_logs", asked[0], session_id="tenant/session-1", turn_id="turn-1")
        return recorder.record(call, outcomes.Success(support=Support.DIRECT, output=asked[1]))

    return one


def ended(asked: tuple[dict[str, object], str], rules: RecordRules) -> PendingRow:
    """Freeze a call when it begins and when it has ended, as the recorder does; its row is built elsewhere."""
    begun = BegunCall(
        "tenant/session-1",
        "0197f2c0-7d1c-7000-8000-000000000001",
        "turn-1",
        3,
        "query_logs",
        None,
        None,
        freeze_params(asked[0]),
        START,
    )
    outcome = outcomes.Success(support=Support.DIRECT, output=asked[1])
    return pending_end(begun, outcome, duration_ms=12, rules=rules)


def recording(asked: tuple[dict[str, object], str], rules: RecordRules) -> Invocation:
    """Record one call, from its values to its row."""
    call = ToolCall(
        session_id="tenant/session-1",
        id="0197f2c0-7d1c-7000-8000-000000000001",
        tool_name="query_logs",
        input_params=asked[0],
        started_at=START,
        duration_ms=12,
        turn_id="turn-1",
        seq=3,
    )
    return record(call, outcomes.Success(support=Support.DIRECT, output=asked[1]), rules=rules)


def spanning(provider: TracerProvider, asked: tuple[dict[str, object], str]) -> Callable[[], None]:
    """Return what makes one span that carries the 13 values that describe a call."""
    row = recording(asked, RecordRules(redactor=Unredacted(KEY)))
    names = (
        "session_id id turn_id seq tool_name topic_domain outcome support input_params input_fingerprint success "
        "output_preview output_sha256"
    ).split()
    attributes = [(f"tool.{name}", getattr(row, name)) for name in names]
    assert len(attributes) == 13
    tracer = provider.get_tracer("groundtrace.benchmark")

    def span() -> None:
        with tracer.start_as_current_span("query_logs") as current:
            for name, value in attributes:
                current.set_attribute(name, value)

    return span


def compared(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the best CPU time of one call of each, in microseconds."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            gc.collect()
            start = thread_time()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], (thread_time() - start) / CALLS * 1e6)
    return best


def report(best: dict[str, float]) -> None:
    """Print each time and its ratios to the first two."""
    span = next(iter(best.values()))
    written = next((took for name, took in best.items() if name.startswith(WRITTEN)), None)
    for name, took in best.items():
        besides = "" if written is None else f", {took / written:.1f}x {WRITTEN}"
        print(f"  {name}: {took:.2f} us, {took / span:.2f}x the span{besides}")


def peak(kind: str) -> int:
    """Return by how much previewing a large output raises the peak of a process that holds it, in bytes."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_peak, (kind,))


def _peak(kind: str) -> int:
    # Repeated and never sliced or encoded as a whole: the peak before must be that of the output alone.
    times = LARGE // len(LARGE_LINE)
    output: str | bytes = LARGE_LINE * times if kind == "str" else LARGE_LINE.encode() * times
    redactor = Redactor(KEY)
    preview("warm", redactor)
    before = _resident_peak()
    start = perf_counter()
    shown = preview(output, redactor)
    print(f"previewed {LARGE:,} in {perf_counter() - start:.2f} s", file=sys.stderr)
    assert shown.bytes == LARGE
    return _resident_peak() - before


def _resident_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
