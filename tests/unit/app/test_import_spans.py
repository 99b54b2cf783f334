"""Spans, observations and logs from files into a trace: found by themselves, and added once however often imported."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.ports import Receipt
from groundtrace_adapters.transcripts.folders import files_at
from groundtrace_app.importing import FileReport, TranscriptImport, Wishes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace
from groundtrace_testing.otlp import exported, span, written
from groundtrace_testing.transcripts import as_lines

RUN: dict[str, JsonValue] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "query_logs"}
SPANS: list[JsonValue] = [
    exported(span("a", "execute_tool query_logs", {**RUN, "gen_ai.tool.call.result": "3 lines"}, parent="r")),
    exported(span("b", "execute_tool query_logs", RUN, parent="r", status={"code": 2, "message": "boom"})),
    exported(
        span("r", "run", {"openinference.span.kind": "CHAIN", "input.value": "why?", "output.value": "so"}, end=9)
    ),
]
CALLS: JsonValue = [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}]
SAMPLE: JsonValue = {
    "id": 1,
    "epoch": 1,
    "uuid": "u-1",
    "target": "",
    "messages": [
        {"role": "assistant", "content": "", "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c1", "content": "a b"},
    ],
    "output": {"completion": "two files"},
}
OBSERVED: JsonValue = {
    "trace": {"id": "t-1", "timestamp": "2026-03-08T12:00:00Z", "output": "so"},
    "observations": [
        {"id": "o", "type": "TOOL", "name": "get", "startTime": "2026-03-08T12:00:00Z", "input": {}, "output": "2 pods"}
    ],
}


@pytest.fixture
def trace() -> Iterator[Trace]:
    """A trace in memory."""
    opened = open_trace(Settings(store="memory:")).unwrap()
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of each kind."""
    (tmp_path / "spans.jsonl").write_bytes(as_lines(SPANS) + b'{"resourceSpans": [{"torn')
    (tmp_path / "trace.json").write_text(json.dumps(OBSERVED, indent=1))
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", written({"version": 2, "eval": {"run_id": "r"}, "plan": {}}))
        archive.writestr("samples/1_epoch_1.json", written(SAMPLE))
        archive.writestr("summaries.json", written([{"id": 1, "epoch": 1, "input": "x", "target": ""}]))
    return tmp_path


def take(trace: Trace, folder: Path) -> list[FileReport]:
    receipts: list[Receipt] = []
    importing = TranscriptImport(trace, Wishes(), recorded=receipts.append)
    reports = [importing.take(file) for file in files_at(folder)]
    importing.end()
    assert all(receipt.wait(deadline=10) is not None for receipt in receipts)
    return reports


def test_each_file_is_read_as_what_it_is_and_adds_nothing_the_second_time(trace: Trace, folder: Path) -> None:
    found = {Path(report.file).name: report.format for report in take(trace, folder)}
    assert found == {
        "log.eval:header.json": "inspect",
        "1_epoch_1.json": "inspect",
        "log.eval:summaries.json": "inspect",
        "spans.jsonl": "openinference",
        "trace.json": "langfuse",
    }
    for _ in range(2):
        stats = trace.store.upkeep().stats(exact=True).unwrap()
        assert (stats.sessions.number, stats.rows.number, stats.evaluations.number) == (3, 4, 3)
        take(trace, folder)


def test_a_torn_line_is_told_and_costs_no_call(trace: Trace, folder: Path) -> None:
    (spans,) = (one for one in take(trace, folder) if one.format == "openinference")
    assert (spans.records, [one.line for one in spans.told]) == (3, [4])
    assert spans.findings.calls == {"success": 1, "failure": 1}
