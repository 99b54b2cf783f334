"""An OTLP receiver on loopback: takes what exporters send over HTTP, and reads it with the published messages."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from typing_extensions import override

if TYPE_CHECKING:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
    from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Manner(Enum):
    """What the receiver does with a request: take it, refuse it for good, or leave it without an answer."""

    TAKES = 200
    REFUSES = 400
    HANGS = 0


@dataclass
class Received:
    """A running receiver: where it is, and what has come so far."""

    port: int
    manner: Manner = Manner.TAKES
    traces: list[ExportTraceServiceRequest] = field(default_factory=list)
    metrics_sent: list[ExportMetricsServiceRequest] = field(default_factory=list)
    logs_sent: list[ExportLogsServiceRequest] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        """The base address that `OTEL_EXPORTER_OTLP_ENDPOINT` takes."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def spans(self) -> list[Span]:
        """Every span that came, in the order of its start."""
        found = [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    @property
    def events(self) -> list[LogRecord]:
        """Every log record that came."""
        return [
            record
            for request in self.logs_sent
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def metric(self, name: str) -> dict[tuple[tuple[str, object], ...], float]:
        """The last value of a metric for each set of attributes; of a histogram the count."""
        points: dict[tuple[tuple[str, object], ...], float] = {}
        for one in self._metrics():
            if one.name == name:
                points |= _points(one)
        return points

    @property
    def everything(self) -> str:
        """All that came as one text, to look for what may not be in it."""
        return "\n".join(str(one) for one in [*self.traces, *self.metrics_sent, *self.logs_sent])

    def _metrics(self) -> Iterator[Metric]:
        for request in self.metrics_sent:
            for resource in request.resource_metrics:
                for scope in resource.scope_metrics:
                    yield from scope.metrics


def attributes(of: Any) -> dict[str, object]:
    """The attributes of a span, a record or a point."""
    return {one.key: _value(one.value) for one in _pairs(of)}


def _pairs(of: Any) -> list[KeyValue]:
    return list(of.attributes)


def _value(value: AnyValue) -> object:
    name = value.WhichOneof("value")
    return None if name is None else getattr(value, name)


def _points(metric: Metric) -> dict[tuple[tuple[str, object], ...], float]:
    match metric.WhichOneof("data"):
        case "sum":
            numbers: list[Any] = list(metric.sum.data_points)
        case "gauge":
            numbers = list(metric.gauge.data_points)
        case _:
            return {_key(point): float(point.count) for point in metric.histogram.data_points}
    return {_key(point): float(point.as_int or point.as_double) for point in numbers}


def _key(point: Any) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(attributes(point).items()))


@contextmanager
def running_receiver(manner: Manner = Manner.TAKES) -> Iterator[Received]:
    """Run a receiver on a free port until the block ends."""
    received = Received(port=0, manner=manner)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            if received.manner is Manner.HANGS:
                received.over.wait(20)
                return
            if received.manner is Manner.TAKES:
                _keep(
                    received, self.path, gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body
                )
            self.send_response(received.manner.value)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        @override
        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    received.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        received.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def _keep(received: Received, path: str, body: bytes) -> None:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    match path:
        case "/v1/traces":
            received.traces.append(ExportTraceServiceRequest.FromString(body))
        case "/v1/metrics":
            received.metrics_sent.append(ExportMetricsServiceRequest.FromString(body))
        case "/v1/logs":
            received.logs_sent.append(ExportLogsServiceRequest.FromString(body))
        case _:
            raise AssertionError(path)
