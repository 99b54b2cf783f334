"""OpenTelemetry out: what arrives at a real OTLP receiver, and what becomes of the record where there is none."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace.verdict import Verdict
from groundtrace_adapters.models.script import Line, Role, Script, ScriptModel
from groundtrace_app.gate import Gate
from groundtrace_app.recorded import recorded, recording
from groundtrace_app.settings import Settings, TelemetryTo
from groundtrace_app.trace import TELEMETRY_SECONDS, Trace, open_trace
from groundtrace_testing.chat_bench import CANARY, verdict
from groundtrace_testing.command import environment, line_of, lines_of, ran, variable
from groundtrace_testing.otlp_receiver import Manner, Received, attributes, running_receiver

pytestmark = pytest.mark.server

SESSION = "acme/inc-42"
SECRET = "password=hunter2-and-more"


@contextmanager
def told(
    receiver: Received, folder: Path, more: Mapping[str, str] | None = None, *, content: bool = False
) -> Iterator[Trace]:
    """A trace that tells the receiver, set by the standard variables; closed, and so told, in the end."""
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT": "2", **(more or {})}
    with ExitStack() as stack:
        for name, value in named.items():
            stack.enter_context(variable(name, value))
        settings = Settings(store=str(folder / "trace.db"), telemetry=TelemetryTo.OTLP, telemetry_content=content)
        trace = open_trace(settings).unwrap()
    try:
        yield trace
    finally:
        trace.close()


def record(trace: Trace, *given: outcomes.Outcome, tool: str = "query_logs") -> None:
    for number, outcome in enumerate(given):
        call = trace.recorder.open(tool, {"pattern": f"refused {number}"}, session_id=SESSION, turn_id="t-1")
        trace.recorder.record(call, outcome)


FOUND = outcomes.Success(support=Support.DIRECT, output=f"connection refused {SECRET}")
NOTHING = outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)
BROKEN = outcomes.Failure(kind=FailureKind.TIMEOUT, message=f"no answer within 5 s {SECRET}")


def test_each_call_arrives_as_a_span_and_only_a_failure_is_an_error(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path, {"OTEL_SERVICE_NAME": "oncall"}) as trace:
            record(trace, FOUND, NOTHING, BROKEN)
            trace.sink.flush(SESSION, deadline=5)
            rows = trace.store.rows(SESSION).unwrap()
            repeat = outcomes.Deduped(reason=outcomes.DedupReason.SAME_QUERY, of=(rows[0].id,))
            record(trace, repeat, tool="lookup_knowledge")
        spans = receiver.spans
        assert [span.name for span in spans] == ["execute_tool query_logs"] * 3 + ["execute_tool lookup_knowledge"]
        told_of = [attributes(span) for span in spans]
        assert [one["groundtrace.outcome"] for one in told_of] == ["success", "no_evidence", "failure", "deduped"]
        assert [one.get("error.type") for one in told_of] == [None, None, "timeout", None]
        assert [span.status.code for span in spans] == [0, 0, 2, 0]
        assert {one["gen_ai.operation.name"] for one in told_of} == {"execute_tool"}
        assert {path for path, _ in receiver.asked} == {"/v1/traces", "/v1/metrics"}


def test_spans_have_the_times_of_their_rows(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path) as trace:
            call = trace.recorder.open("query_logs", {}, session_id=SESSION)
            time.sleep(0.02)
            trace.recorder.record(call, FOUND)
            trace.sink.flush(SESSION, deadline=5)
            (row,) = trace.store.rows(SESSION).unwrap()
        (span,) = receiver.spans
        assert span.start_time_unix_nano // 1_000 == round(row.started_at.timestamp() * 1_000_000)
        assert span.end_time_unix_nano - span.start_time_unix_nano == (row.duration_ms or 0) * 1_000_000
        assert row.duration_ms is not None
        assert row.duration_ms >= 20
        assert attributes(span)["groundtrace.invocation.id"] == row.id


def test_a_call_is_a_child_of_the_span_that_its_caller_has_open(tmp_path: Path) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("the program")

    @recorded
    def list_pods() -> list[str]:
        return ["cart-0"]

    with running_receiver() as receiver:
        with told(receiver, tmp_path) as trace, recording(trace, session_id=SESSION):
            with tracer.start_as_current_span("answer") as parent:
                list_pods()
            list_pods()
        child, orphan = receiver.spans
        context = parent.get_span_context()
        assert int.from_bytes(child.parent_span_id, "big") == context.span_id
        assert int.from_bytes(child.trace_id, "big") == context.trace_id
        assert orphan.parent_span_id == b""
        assert orphan.trace_id != child.trace_id


def test_nothing_of_parameters_and_outputs_arrives_unless_it_is_asked_for(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path) as trace:
            record(trace, FOUND, BROKEN)
        assert not any(words in receiver.everything for words in ("refused", "no answer within", "hunter2"))


def test_what_arrives_on_request_is_redacted(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path, content=True) as trace:
            record(trace, FOUND, BROKEN)
        found, broken = (attributes(span) for span in receiver.spans)
        assert str(found["gen_ai.tool.call.result"]).startswith("connection refused password=[redacted ")
        assert found["gen_ai.tool.call.arguments"] == '{"pattern":"refused 0"}'
        assert "[redacted " in str(broken["groundtrace.failure.message"])
        assert "hunter2" not in receiver.everything


def checked(trace: Trace, said: str) -> None:
    lines = {Role.VERIFIER: [Line(text=said)]}
    gate = Gate.of(trace, verifier=ScriptModel(Script(lines=lines)))
    call = gate.recorder.open("query_logs", {}, session_id=SESSION, turn_id="t-1")
    gate.recorder.record(call, FOUND)
    gate.check_now("did the primary fail over?", f"{CANARY} it did", session_id=SESSION, turn_id="t-1")


def test_a_decision_arrives_as_an_evaluation_result(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path) as trace:
            checked(trace, verdict("PASS", "e1"))
        (event,) = receiver.events
        assert event.event_name == "gen_ai.evaluation.result"
        told_of = attributes(event)
        assert told_of["gen_ai.evaluation.score.label"] == Verdict.PASS.value
        assert told_of["groundtrace.cause"] == "verified"
        assert receiver.metric("groundtrace.decisions") == {
            (("groundtrace.cause", "verified"), ("groundtrace.decision", "PASS")): 1
        }


@pytest.mark.parametrize("said", [verdict("REJECT", reasons=[f"{CANARY} no"]), f"{CANARY} is wrong, I think"])
def test_nothing_withheld_arrives(tmp_path: Path, said: str) -> None:
    """Field case E01: the answer, the reasons and the raw text of a REJECT or a fallback."""
    with running_receiver() as receiver:
        with told(receiver, tmp_path, content=True) as trace:
            checked(trace, said)
        (event,) = receiver.events
        assert attributes(event)["groundtrace.withheld"] is True
        assert CANARY not in receiver.everything


def test_metrics_tell_calls_failures_empty_answers_and_repeats_by_tool(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path) as trace:
            record(trace, FOUND, NOTHING, NOTHING, BROKEN)
            record(trace, FOUND)
            record(trace, NOTHING, tool="query_metrics")
        calls = {
            tuple(value for _, value in key): count for key, count in receiver.metric("groundtrace.tool.calls").items()
        }
        assert calls == {
            ("query_logs", "success"): 2,
            ("query_logs", "no_evidence", "no_match"): 2,
            ("query_logs", "failure", "timeout"): 1,
            ("query_metrics", "no_evidence", "no_match"): 1,
        }
        assert receiver.metric("groundtrace.tool.repeats") == {(("gen_ai.tool.name", "query_logs"),): 1}
        assert set(receiver.metric("groundtrace.tool.quiet")) == {
            (("gen_ai.tool.name", "query_logs"),),
            (("gen_ai.tool.name", "query_metrics"),),
        }
        assert sum(receiver.metric("gen_ai.execute_tool.duration").values()) == 6


@pytest.mark.parametrize("manner", [Manner.REFUSES, Manner.HANGS])
def test_a_receiver_that_takes_nothing_costs_the_record_nothing(
    tmp_path: Path, manner: Manner, caplog: pytest.LogCaptureFixture
) -> None:
    with running_receiver(manner) as receiver:
        with told(receiver, tmp_path, {"OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"}) as trace:
            began = time.monotonic()
            record(trace, FOUND, NOTHING, BROKEN)
            assert time.monotonic() - began < 0.25
            assert trace.sink.flush(SESSION, deadline=5).lost == {}
            assert len(trace.store.rows(SESSION).unwrap()) == 3
            closing = time.monotonic()
        assert time.monotonic() - closing < TELEMETRY_SECONDS + 1
        assert receiver.spans == []
    assert not any(record.exc_info for record in caplog.records)


def test_no_receiver_at_all_costs_the_record_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    nowhere = Received(port=9)
    with told(nowhere, tmp_path, {"OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"}) as trace:
        record(trace, FOUND)
        assert trace.sink.flush(SESSION, deadline=5).lost == {}
    assert "Failed to export" in caplog.text


def test_a_flush_hands_over_what_was_told(tmp_path: Path) -> None:
    with running_receiver() as receiver, told(receiver, tmp_path) as trace:
        record(trace, FOUND, NOTHING)
        assert trace.telemetry is not None
        assert trace.telemetry.flush(deadline=5) is True
        assert len(receiver.spans) == 2


@pytest.mark.parametrize(
    ("name", "value", "paths"),
    [
        ("OTEL_METRICS_EXPORTER", "none", {"/v1/traces", "/v1/logs"}),
        ("OTEL_TRACES_EXPORTER", "none", {"/v1/metrics", "/v1/logs"}),
        ("OTEL_SDK_DISABLED", "true", set()),
    ],
)
def test_a_signal_that_is_switched_off_does_not_go_out(tmp_path: Path, name: str, value: str, paths: set[str]) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path, {name: value}) as trace:
            checked(trace, verdict("PASS", "e1"))
        assert {path for path, _ in receiver.asked} == paths


def test_headers_of_the_environment_are_sent(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        with told(receiver, tmp_path, {"OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=acme"}) as trace:
            record(trace, FOUND)
        assert {headers["x-tenant"] for _, headers in receiver.asked} == {"acme"}


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "write http/protobuf"),
        ("OTEL_TRACES_EXPORTER", "zipkin", "write none or otlp"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "ann:hunter2@collector:4318", "write http://HOST:PORT or https://HOST:PORT"),
        (
            "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
            "http://ann:hunter2@[collector",
            "write http://HOST:PORT or https://HOST:PORT",
        ),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:hunter2", "write http://HOST:PORT or https://HOST:PORT"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Bearer hunter2", "write NAME=VALUE, several with commas between"),
        (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "tenant=a,authorization: hunter2",
            "write NAME=VALUE, several with commas between",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "authorization=hunter2%0A",
            "write NAME=VALUE, several with commas between",
        ),
    ],
)
def test_a_variable_that_cannot_be_obeyed_is_told_in_one_line(tmp_path: Path, name: str, value: str, mend: str) -> None:
    with variable(name, value):
        problem = open_trace(Settings(store="memory:", telemetry=TelemetryTo.OTLP)).failure()
    assert name in problem.what
    assert "hunter2" not in repr(problem)
    assert problem.mend == mend


def test_the_program_may_bring_providers_of_its_own(tmp_path: Path) -> None:
    from opentelemetry._logs import NoOpLoggerProvider
    from opentelemetry.metrics import NoOpMeterProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from groundtrace_adapters.telemetry.otel import OtelTelemetry, Providers

    kept = InMemorySpanExporter()
    own = TracerProvider(shutdown_on_exit=False)
    own.add_span_processor(SimpleSpanProcessor(kept))
    telemetry = OtelTelemetry(Providers(traces=own, metrics=NoOpMeterProvider(), logs=NoOpLoggerProvider()))
    trace = open_trace(Settings(store=str(tmp_path / "trace.db")), telemetry=telemetry).unwrap()
    record(trace, FOUND)
    trace.close()
    assert [span.name for span in kept.get_finished_spans()] == ["execute_tool query_logs"]


def test_a_command_tells_what_it_records(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        named = {"GROUNDTRACE_TELEMETRY": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoint}
        done = ran("record", "--store", "trace.db", folder=tmp_path, stdin=lines_of(line_of("c-1")), env=named)
        assert (done.code, done.err) == (0, "")
        assert [attributes(span)["groundtrace.invocation.id"] for span in receiver.spans] == ["c-1"]


def test_a_command_waits_two_seconds_for_a_receiver_that_is_away(tmp_path: Path) -> None:
    named = {"GROUNDTRACE_TELEMETRY": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": Received(port=9).endpoint}
    done = ran("record", "--store", "trace.db", folder=tmp_path, stdin=lines_of(line_of("c-1")), env=named)
    assert (done.code, done.out) == (0, "1 stored, 0 spooled, 0 refused\n")
    assert done.err == "groundtrace: telemetry was closed after 2 s before all of it was sent\n"


@pytest.mark.parametrize("command", ["record", "doctor"])
def test_a_command_that_cannot_tell_says_so_and_how_to_mend_it(tmp_path: Path, command: str) -> None:
    named = {"GROUNDTRACE_TELEMETRY": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    done = ran(command, "--store", "trace.db", folder=tmp_path, stdin=b"", env=named)
    assert done.code == {"record": 2, "doctor": 1}[command]
    assert "OTEL_EXPORTER_OTLP_PROTOCOL asks for what is not spoken here" in done.out + done.err
    assert "write http/protobuf" in done.out + done.err


@pytest.mark.parametrize(
    ("named", "service"),
    [
        ({}, "groundtrace"),
        ({"OTEL_SERVICE_NAME": "oncall"}, "oncall"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=oncall"}, "oncall"),
    ],
)
def test_a_service_that_nothing_names_is_ours(tmp_path: Path, named: dict[str, str], service: str) -> None:
    with running_receiver() as receiver:
        env = {"GROUNDTRACE_TELEMETRY": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoint, **named}
        ran("record", "--store", "trace.db", folder=tmp_path, stdin=lines_of(line_of("c-1")), env=env)
        told_of = receiver.traces[0].resource_spans[0].resource.attributes
        assert {one.key: one.value.string_value for one in told_of}["service.name"] == service


def test_doctor_says_that_telemetry_is_set_up(tmp_path: Path) -> None:
    done = ran("doctor", "--store", "trace.db", folder=tmp_path, stdin=b"", env={"GROUNDTRACE_TELEMETRY": "otlp"})
    assert "otlp: set up; its receiver is not asked" in done.out


def test_what_finds_no_room_is_told_in_the_log_and_stored_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from groundtrace_adapters.telemetry.otel import OtelTelemetry
    from groundtrace_adapters.telemetry.waiting import WaitingBounds

    telemetry = OtelTelemetry(bounds=WaitingBounds(items=2, weight=1))
    trace = open_trace(Settings(store=str(tmp_path / "trace.db")), telemetry=telemetry).unwrap()
    record(trace, FOUND, NOTHING, BROKEN)
    trace.sink.flush(SESSION, deadline=5)
    assert len(trace.store.rows(SESSION).unwrap()) == 3
    trace.close()
    assert "3 records found no room in telemetry" in caplog.text


FORKING = """
import os, sys
from pathlib import Path
from groundtrace import outcomes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace

trace = open_trace(Settings(store="trace.db", telemetry="otlp")).unwrap()

def record(session):
    call = trace.recorder.open("look", {}, session_id=session)
    trace.recorder.record(call, outcomes.Success(support=outcomes.Support.DIRECT, output="found"))

record("before")
child = os.fork()
record("child" if child == 0 else "parent")
trace.close()
if child:
    os.waitpid(child, 0)
"""


def test_a_forked_child_tells_what_it_recorded_and_nothing_of_its_parent(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        named = environment({"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoint})
        subprocess.run([sys.executable, "-c", FORKING], cwd=tmp_path, env=named, timeout=60, check=True)
        sessions = sorted(str(attributes(span)["gen_ai.conversation.id"]) for span in receiver.spans)
    assert sessions == ["before", "child", "parent"]
