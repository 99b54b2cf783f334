"""What every `LogSource` owes its callers: the same facts give the same answers, however they are kept."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from groundtrace.ports import LogSource
from groundtrace.sources import LogEntry
from groundtrace_adapters.conformance.log_source import FACTS, Fact, LogSourceSuite
from groundtrace_adapters.sources.log_files.formats import LogFormat, LogKind
from groundtrace_adapters.sources.log_files.source import FileLogSource
from groundtrace_adapters.sources.log_memory import MemoryLogSource


def plain(facts: tuple[Fact, ...]) -> str:
    return "".join(f"{time} pod={pod} level={level} {text}\n" for time, pod, level, text in facts)


def json_lines(facts: tuple[Fact, ...]) -> str:
    records = ({"ts": time, "level": lv, "kubernetes": {"pod_name": pod}, "msg": text} for time, pod, lv, text in facts)
    return "".join(f"{json.dumps(record)}\n" for record in records)


def table(facts: tuple[Fact, ...]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Timestamp", "PodName", "severity", "Message"])
    writer.writerows(facts)
    return out.getvalue()


def objects_in_a_column(facts: tuple[Fact, ...]) -> str:
    """A container runtime's JSON in one column; its own clock is eight hours ahead and does not count."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Timestamp", "PodName", "Log"])
    for time, pod, level, text in facts:
        inner = {"log": f"{text}\n", "level": level, "time": "2026-12-01T00:50:01+00:00"}
        writer.writerow([time, pod, json.dumps(inner)])
    return out.getvalue()


def file_of(write: Callable[[tuple[Fact, ...]], str], name: str) -> Callable[[Path], LogSource]:
    def make(folder: Path) -> LogSource:
        (folder / name).write_text(write(FACTS))
        return FileLogSource([folder])

    return make


def archive_of(write: Callable[[tuple[Fact, ...]], str], name: str) -> Callable[[Path], LogSource]:
    def make(folder: Path) -> LogSource:
        (folder / name).write_bytes(gzip.compress(write(FACTS).encode()))
        return FileLogSource([folder / name])

    return make


def several_files(folder: Path) -> LogSource:
    (folder / "later").mkdir()
    (folder / "later" / "b.log").write_text(plain(FACTS[2:]))
    (folder / "a.json").write_text(json_lines(FACTS[:2]))
    return FileLogSource([folder / "later", folder / "a.json"])


def given_format(folder: Path) -> LogSource:
    (folder / "events").write_text(table(FACTS).replace(",", ";"))
    how = LogFormat(kind=LogKind.CSV, time_field="Timestamp", text_field="Message", delimiter=";")
    return FileLogSource([folder], log_format=how)


def memory(folder: Path) -> LogSource:
    del folder
    return MemoryLogSource(
        LogEntry(
            at=datetime.fromisoformat(time),
            text=text,
            origin=f"memory:{number}",
            fields={"pod_name": pod, "level": level},
        )
        for number, (time, pod, level, text) in enumerate(FACTS)
    )


SOURCES: dict[str, Callable[[Path], LogSource]] = {
    "plain": file_of(plain, "app.log"),
    "plain-gzip": archive_of(plain, "app.log.gz"),
    "json-lines": file_of(json_lines, "app.jsonl"),
    "json-lines-gzip": archive_of(json_lines, "app.log.1.gz"),
    "csv": file_of(table, "app.csv"),
    "csv-gzip": archive_of(table, "app.csv.gz"),
    "csv-with-json": file_of(objects_in_a_column, "pods.csv"),
    "csv-by-setting": given_format,
    "several-files": several_files,
    "memory": memory,
}


class TestLogSources(LogSourceSuite):
    @pytest.fixture(params=list(SOURCES.values()), ids=list(SOURCES))
    def source(self, request: pytest.FixtureRequest, tmp_path: Path) -> LogSource:
        make: Callable[[Path], LogSource] = request.param
        return make(tmp_path)
