"""Metric files as they are found: every dialect, broken and cut off ones; what is not seen is always told."""

import asyncio
import gzip
import math
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from returns.pipeline import is_successful

from groundtrace.outcomes import FailureKind
from groundtrace.sources import Aggregate, MetricAnswer, MetricQuery
from groundtrace_adapters.sources.metric_files import FileMetricSource
from groundtrace_adapters.sources.metric_files.answer import MetricBounds
from groundtrace_adapters.sources.metric_files.formats import MetricFormat, MetricKind

AT = datetime(2026, 11, 30, 16, 50, 1, tzinfo=UTC)
EPOCH = 1796057401


def written(folder: Path, content: str | bytes, name: str = "metrics.txt") -> FileMetricSource:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return FileMetricSource([folder])


def ask(source: FileMetricSource, selector: str = '{__name__=~".+"}', step: float | None = 0.5) -> MetricAnswer:
    return asyncio.run(source.query(MetricQuery(selector=selector, step_seconds=step))).unwrap()


def points(answer: MetricAnswer) -> list[tuple[str, list[tuple[datetime, float]]]]:
    return [(series.name, list(series.points)) for series in answer.series]


@pytest.mark.parametrize(
    "content",
    [
        f"# TYPE up gauge\nup 1 {EPOCH}\n# EOF\n",
        f"# TYPE up gauge\nup 1 {EPOCH}.000\n# EOF",
        f"up 1 {EPOCH}000\n",
        f"# HELP up Is it up?\n# TYPE up gauge\n  up  1.0  {EPOCH}000  \n",
        f"up{{}} +1 {EPOCH}000\r\n",
        f"up 1e0 {EPOCH}\n",
        f'\ufeff{{"up"}} 1 {EPOCH}000\n',
        f'up 1 {EPOCH} # {{trace_id="7"}} 1.0 {EPOCH}.5\n# EOF\n',
        f"Time,up\n{EPOCH},1\n",
    ],
)
def test_the_same_sample_is_read_from_every_dialect(tmp_path: Path, content: str) -> None:
    name = "points.csv" if "," in content and "#" not in content else "metrics.txt"
    answer = ask(written(tmp_path, content, name))
    assert points(answer) == [("up", [(AT, 1.0)])]
    assert answer.unseen == ()


def test_escapes_in_label_values_are_read(tmp_path: Path) -> None:
    content = f'up{{path="C:\\\\x",quote="\\"",line="a\\nb",odd="a\\d",brace="}} 2"}} 1 {EPOCH}000\n'
    (series,) = ask(written(tmp_path, content)).series
    assert series.labels == {"path": "C:\\x", "quote": '"', "line": "a\nb", "odd": "a\\d", "brace": "} 2"}


def test_histograms_are_series_and_infinity_is_a_value(tmp_path: Path) -> None:
    content = f'h_bucket{{le="+Inf"}} 7 {EPOCH}000\nh_sum +Inf {EPOCH}000\nh_count NaN {EPOCH}000\n'
    found = dict(points(ask(written(tmp_path, content))))
    assert found["h_bucket"] == [(AT, 7.0)]
    assert found["h_sum"] == [(AT, math.inf)]
    assert math.isnan(found["h_count"][0][1])


def test_a_unit_is_that_of_the_family(tmp_path: Path) -> None:
    content = (
        "# TYPE disk_bytes gauge\n# UNIT disk_bytes bytes\n"
        f"disk_bytes 1 {EPOCH}\n# UNIT busy_seconds seconds\nbusy_seconds_total 1 {EPOCH}\n# EOF\n"
    )
    assert {one.name: one.unit for one in ask(written(tmp_path, content)).series} == {
        "disk_bytes": "bytes",
        "busy_seconds_total": "seconds",
    }


def test_open_metrics_without_its_end_may_be_cut_off(tmp_path: Path) -> None:
    answer = ask(written(tmp_path, f"# UNIT disk_bytes bytes\ndisk_bytes 1 {EPOCH}\n"))
    assert points(answer) == [("disk_bytes", [(AT, 1.0)])]
    assert answer.unseen == ("metrics.txt has no # EOF at its end: it may be cut off",)


def test_a_name_says_that_an_end_is_missing(tmp_path: Path) -> None:
    answer = ask(written(tmp_path, f"up 1 {EPOCH}\n", "db.om"))
    assert answer.unseen == ("db.om has no # EOF at its end: it may be cut off",)


def test_a_setting_decides_what_timestamps_are(tmp_path: Path) -> None:
    written(tmp_path, "up 1 86400\n")
    seconds = FileMetricSource([tmp_path], metric_format=MetricFormat(kind=MetricKind.OPEN_METRICS))
    assert ask(seconds).series[0].points[0][0] == datetime(1970, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "line", ["up", "up one 1", "up{a} 1 1", 'up{a="b} 1 1', 'up{a="b"c="d"} 1 1', "{} 1 1", "up 1 1 1"]
)
def test_lines_that_are_no_samples_are_counted_and_the_first_is_named(tmp_path: Path, line: str) -> None:
    answer = ask(written(tmp_path, f"up 1 {EPOCH}000\n{line}\n\nup 2 {EPOCH + 1}000\n"))
    assert points(answer) == [("up", [(AT, 1.0), (AT + timedelta(seconds=1), 2.0)])]
    assert answer.unseen == ("1 lines of metrics.txt are no samples and were not read, the first is line 2",)


def test_samples_without_a_time_are_told(tmp_path: Path) -> None:
    answer = ask(written(tmp_path, f"# TYPE up gauge\nup 1\nup 2\nup 3 {EPOCH}000\n"))
    assert points(answer) == [("up", [(AT, 3.0)])]
    assert answer.unseen == ("2 samples of metrics.txt show no time and were not read",)


def test_points_out_of_order_are_sorted_and_the_first_of_a_time_is_kept(tmp_path: Path) -> None:
    answer = ask(written(tmp_path, f"up 2 {EPOCH + 1}000\nup 1 {EPOCH}000\nup 9 {EPOCH}000\n"))
    assert points(answer) == [("up", [(AT, 1.0), (AT + timedelta(seconds=1), 2.0)])]


def test_a_table_has_one_metric_a_numeric_column_and_labels_of_the_others(tmp_path: Path) -> None:
    content = (
        "Time,TimeStamp,ServiceName,Zone,LatencyP99(s),Errors\n"
        f"2020-01-01 00:00:00.1 +0000 UTC m=+0.3,{EPOCH},shop,,0.5,\n"
        f"2020-01-01 00:01:00.1 +0000 UTC m=+60.3,{EPOCH + 60},shop,,nan,3\n"
    )
    errors, latency = ask(written(tmp_path, content, "services.csv")).series
    assert (latency.name, latency.unit, latency.labels) == ("LatencyP99(s)", "s", {"service": "shop"})
    assert [at for at, _ in latency.points] == [AT, AT + timedelta(seconds=60)]
    assert errors.points == ((AT + timedelta(seconds=60), 3.0),)


def test_rows_without_a_time_and_values_that_are_no_numbers_are_told(tmp_path: Path) -> None:
    rows = "".join(f"{EPOCH + at},{at}\n" for at in range(300))
    answer = ask(written(tmp_path, f"time,cpu\n{rows}{EPOCH + 300},broken\nsoon,1\n{EPOCH + 301}\n", "cpu.csv"))
    assert len(answer.series[0].points) == 300
    assert answer.unseen == (
        "1 values of cpu.csv are no numbers and were not read",
        "1 rows of cpu.csv show no time and were not read",
    )


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", b"pod,cpu\nx,1\n", "it has no column of times"),
        ("a.csv", b"time,pod\n1796057401,x\n", "it has no numeric column"),
        ("a.csv", b"time,cpu\n", "it has no column of times"),
        ("a.bin", bytes(64), "it is no text"),
        ("README.md", b"# Metrics\n\nHow to read them.\n", "it is neither OpenMetrics nor Prometheus text nor CSV"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_reason(
    tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    written(tmp_path, content, name)
    answer = ask(written(tmp_path, f"up 1 {EPOCH}000\n"))
    assert len(answer.series) == 1
    (told,) = answer.unseen
    assert told.startswith(f"1 of 2 files could not be read: {name} ({why}")


def test_a_source_of_broken_files_alone_is_an_error(tmp_path: Path) -> None:
    answer = asyncio.run(written(tmp_path, bytes(64)).query(MetricQuery(selector="up")))
    assert not is_successful(answer)
    assert answer.failure().kind is FailureKind.UNAVAILABLE


def test_an_empty_folder_or_file_is_an_empty_answer(tmp_path: Path) -> None:
    assert ask(FileMetricSource([tmp_path])).unseen == ("there are no metric files",)
    assert ask(written(tmp_path, b"")).series == ()


def test_a_truncated_archive_is_used_as_far_as_it_can_be_unpacked(tmp_path: Path) -> None:
    lines = "".join(f'up{{run="{os.urandom(8).hex()}"}} 1 {EPOCH + at}000\n' for at in range(2_000))
    answer = ask(written(tmp_path, gzip.compress(lines.encode())[:-500], "metrics.txt.gz"), step=None)
    assert answer.series
    assert any("metrics.txt.gz: the archive is cut off" in told for told in answer.unseen)


def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    source = written(tmp_path, f"up 1 {EPOCH}000\n")
    first, again = ask(source), ask(source)
    assert first == again
    before = asyncio.run(source.describe()).unwrap().revision
    written(tmp_path, f"up 1 {EPOCH}000\nup 2 {EPOCH + 1}000\n")
    assert len(ask(source).series[0].points) == 2
    assert asyncio.run(source.describe()).unwrap().revision != before


def test_a_counter_that_restarts_between_files_is_one_series(tmp_path: Path) -> None:
    written(tmp_path, f"c_total 10 {EPOCH}000\nc_total 20 {EPOCH + 30}000\n", "a.prom")
    source = written(tmp_path, f"c_total 5 {EPOCH + 60}000\n", "b.prom")
    query = MetricQuery(selector="c_total", aggregate=Aggregate.INCREASE)
    assert asyncio.run(source.query(query)).unwrap().series[0].points[0][1] == 15.0


def test_a_bound_on_time_is_told(tmp_path: Path) -> None:
    written(tmp_path, f"up 1 {EPOCH}000\n")
    source = FileMetricSource([tmp_path], bounds=MetricBounds(seconds=0.0))
    assert ask(source).unseen == ("reading stopped after 0 s: 0 of 1 files were read",)


@pytest.mark.parametrize(
    "line",
    [
        "a" * 300_000 + " b ! !",
        "a{" + 'b="c",' * 50_000 + " 1 1",
        "a{" + '"' * 300_001,
        "a" + "{" * 300_000,
        " " * 300_000 + "#",
    ],
)
def test_a_long_odd_line_is_refused_at_once(tmp_path: Path, line: str) -> None:
    started = datetime.now(UTC)
    ask(written(tmp_path, f"up 1 {EPOCH}000\n{line}\n"))
    assert datetime.now(UTC) - started < timedelta(seconds=5)
