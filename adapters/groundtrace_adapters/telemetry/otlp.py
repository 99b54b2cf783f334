"""Providers that send to an OTLP receiver over HTTP, set by the standard `OTEL_...` variables (extra `otel`).

They are made beside the program's own and never put in their place.
"""

import re
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urlsplit

from opentelemetry._logs import LoggerProvider, NoOpLoggerProvider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.sdk._logs import LoggerProvider as SdkLoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import NoOpTracerProvider, TracerProvider
from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_adapters.telemetry.otel import Providers

SIGNALS = ("TRACES", "METRICS", "LOGS")
SPOKEN = "http/protobuf"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", *(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT" for signal in SIGNALS))
HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", *(f"OTEL_EXPORTER_OTLP_{signal}_HEADERS" for signal in SIGNALS))

_SCHEMES = ("http", "https")
_HEADER = re.compile(r"[!#-'*+.0-9A-Z^-z|~-]+[ \t]*=[ \t]*[ !#-+\--:<-\[\]-~]*")
"""A name as HTTP has them, and a value without quotes, semicolons and backslashes: what the SDK takes."""

_SERVICE = {"service.name": "groundtrace"}
_UNNAMED = "unknown_service"
"""What the SDK calls a service that nothing names, before the name of its program."""


def otlp_providers(environment: Mapping[str, str], /) -> Result[Providers, Problem]:
    """Return providers that send to where the environment says; a variable that cannot be obeyed is a Problem.

    Each signal goes out unless `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER` or `OTEL_LOGS_EXPORTER` is `none`, or
    `OTEL_SDK_DISABLED` is true. The SDK reads the other variables from the process itself.
    """
    refused = _refused(environment)
    if refused is not None:
        return result.Failure(refused)
    try:
        return result.Success(_providers(_wanted(environment)))
    except ValueError as fault:
        what = f"OpenTelemetry refuses its settings: {fault}"
        return result.Failure(Problem(what=what, where="telemetry", mend="correct that OTEL_ variable"))


def _wanted(environment: Mapping[str, str]) -> frozenset[str]:
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return frozenset()
    return frozenset(signal for signal in SIGNALS if _said(environment, f"OTEL_{signal}_EXPORTER") != "none")


def _refused(environment: Mapping[str, str]) -> Problem | None:
    exporters = {f"OTEL_{signal}_EXPORTER": {"", "otlp", "none"} for signal in SIGNALS}
    protocols = {f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL": {"", SPOKEN} for signal in SIGNALS}
    known = {**exporters, "OTEL_EXPORTER_OTLP_PROTOCOL": {"", SPOKEN}, **protocols}
    for name, words in known.items():
        if _said(environment, name) not in words:
            mend = f"write {' or '.join(sorted(words - {''}))}"
            return Problem(what=f"{name} asks for what is not spoken here", where="the environment", mend=mend)
    # The SDK would write an address or a header that it cannot read, with the secrets in it, into the log.
    for name in ENDPOINTS:
        if not _is_address(_said(environment, name)):
            mend = "write http://HOST:PORT or https://HOST:PORT"
            return Problem(what=f"{name} is no address", where="the environment", mend=mend)
    for name in HEADERS:
        if not all(map(_is_header, environment.get(name, "").split(","))):
            mend = "write NAME=VALUE, several with commas between"
            return Problem(what=f"{name} is no list of headers", where="the environment", mend=mend)
    return None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return not text or (parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        return False


def _is_header(text: str) -> bool:
    """Tell whether a text is `name=value`, or blank; what is written as %0A would be a line of its own."""
    return not text.strip() or (_HEADER.fullmatch(text.strip()) is not None and unquote(text).isprintable())


def _said(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip().lower()


def _resource() -> Resource:
    """Return what the environment says of the program; a service that it does not name is ours."""
    told = Resource.create()
    named = not str(told.attributes.get("service.name", _UNNAMED)).startswith(_UNNAMED)
    return told if named else told.merge(Resource(_SERVICE))


def _providers(wanted: frozenset[str]) -> Providers:
    resource = _resource()
    ends: list[Callable[[], object]] = []
    flushes: list[Callable[[], object]] = []
    traces: TracerProvider = NoOpTracerProvider()
    metrics: MeterProvider = NoOpMeterProvider()
    logs: LoggerProvider = NoOpLoggerProvider()
    if "TRACES" in wanted:
        traces = spans = SdkTracerProvider(resource=resource, shutdown_on_exit=False)
        spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        ends.append(spans.shutdown)
        flushes.append(spans.force_flush)
    if "METRICS" in wanted:
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        metrics = figures = SdkMeterProvider([reader], resource=resource, shutdown_on_exit=False)
        ends.append(figures.shutdown)
        flushes.append(figures.force_flush)
    if "LOGS" in wanted:
        logs = events = SdkLoggerProvider(resource=resource, shutdown_on_exit=False)
        events.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
        ends.append(events.shutdown)
        flushes.append(events.force_flush)
    return Providers(traces=traces, metrics=metrics, logs=logs, flush=flushes, shutdown=ends)
