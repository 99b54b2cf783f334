"""What every `MetricSource` owes its callers: the same facts give the same answers, however they are kept."""

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.ports import MetricSource
from groundtrace.sources import Series
from groundtrace_adapters.conformance.metric_source import (
    COUNTER,
    CPU,
    GAUGE,
    PODS,
    REQUESTS,
    ROWS,
    MetricSourceSuite,
    escaped,
    moment,
)
from groundtrace_adapters.sources.metric_files import FileMetricSource
from groundtrace_adapters.sources.metric_files.formats import MetricFormat, MetricKind
from groundtrace_adapters.sources.metric_memory import MemoryMetricSource


def open_metrics() -> str:
    lines = ["# TYPE http_requests counter", "# HELP http_requests Requests served."]
    for name, pod, at, value in ROWS:
        series = f'{{"{name}",pod="{escaped(pod)}"}}' if name == GAUGE else f'{name}{{pod="{escaped(pod)}"}}'
        exemplar = ' # {trace_id="7f"} 0.67' if name == COUNTER else ""
        lines.append(f"{series} {value} {moment(at).timestamp():.3f}{exemplar}")
    return "\n".join([*lines, "# EOF", ""])


def prometheus_text() -> str:
    lines = ["# HELP http_requests_total Requests served.", "# TYPE http_requests_total counter"]
    for name, pod, at, value in ROWS:
        series = (
            f'{{"{name}", PodName="{escaped(pod)}",}}' if name == GAUGE else f'{name}{{ pod_name = "{escaped(pod)}" }}'
        )
        lines.append(f"{series} {value:g} {int(moment(at).timestamp() * 1000)}")
    return "\n".join([*lines, ""])


def table() -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Time", "TimeStamp", "PodName", COUNTER, GAUGE])
    for pod in PODS:
        for at in range(4):
            text = f"{moment(at):%Y-%m-%d %H:%M:%S}.000000001 +0000 UTC m=+{at}.5"
            writer.writerow([text, int(moment(at).timestamp()), pod, REQUESTS[pod][at], CPU[pod][at]])
    return out.getvalue()


def file_of(write: Callable[[], str], name: str) -> Callable[[Path], MetricSource]:
    def make(folder: Path) -> MetricSource:
        (folder / name).write_text(write())
        return FileMetricSource([folder])

    return make


def archive(folder: Path) -> MetricSource:
    (folder / "metrics.om.gz").write_bytes(gzip.compress(open_metrics().encode()))
    return FileMetricSource([folder / "metrics.om.gz"])


def given_format(folder: Path) -> MetricSource:
    (folder / "points").write_text(table().replace(",", ";"))
    how = MetricFormat(kind=MetricKind.CSV, time_field="TimeStamp", delimiter=";")
    # The other column of times is then one of labels: it would tear every series apart.
    (folder / "points").write_text("\n".join(line.partition(";")[2] for line in table().replace(",", ";").splitlines()))
    return FileMetricSource([folder], metric_format=how)


def overlapping_files(folder: Path) -> MetricSource:
    """One series in two files, one point in both."""
    head, *rows = table().splitlines()
    (folder / "a.csv").write_text("\n".join([head, *rows[:2], *rows[4:6]]))
    (folder / "b.csv").write_text("\n".join([head, *rows[1:4], *rows[5:]]))
    return FileMetricSource([folder])


def memory(folder: Path) -> MetricSource:
    del folder
    values = ((COUNTER, REQUESTS), (GAUGE, CPU))
    return MemoryMetricSource(
        Series(
            name=name,
            labels={"kubernetes.pod_name": pod},
            points=tuple((moment(at), value) for at, value in enumerate(numbers[pod])),
        )
        for name, numbers in values
        for pod in PODS
    )


SOURCES: dict[str, Callable[[Path], MetricSource]] = {
    "openmetrics": file_of(open_metrics, "metrics.om"),
    "openmetrics-gzip": archive,
    "prometheus-text": file_of(prometheus_text, "metrics.prom"),
    "csv": file_of(table, "pods.csv"),
    "csv-by-setting": given_format,
    "overlapping-files": overlapping_files,
    "memory": memory,
}


class TestMetricSources(MetricSourceSuite):
    @pytest.fixture(params=list(SOURCES.values()), ids=list(SOURCES))
    def source(self, request: pytest.FixtureRequest, tmp_path: Path) -> MetricSource:
        make: Callable[[Path], MetricSource] = request.param
        return make(tmp_path)
