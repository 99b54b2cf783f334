"""The day of faults as its files hold it, and a reading of answers that shares no code with the verifier.

Checks each line of an answer against the raw CSV files: the quoted text, the count, the value, the time, the pod.
"""

import csv
import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_SERIES = re.compile(r'^(?P<metric>[^\s{]+)\{\w+="(?P<thing>[^"]+)"\} was (?P<value>-?[\d.]+) at (?P<at>[\d:]+)Z')
_USUAL = re.compile(
    r"\(median (?P<median>-?[\d.]+) and maximum (?P<max>-?[\d.]+) between (?P<a>[\d:]+)Z and (?P<b>[\d:]+)Z\)"
)
_BEFORE = re.compile(r", (?P<value>-?[\d.]+) at (?P<at>[\d:]+)Z")
_LOG = re.compile(
    r"^(?P<thing>\S+) logged `(?P<quote>[^`]+)` (?:(?P<errors>in )?(?P<count>\d+) (?:times|errors) )?"
    r"(?:between (?P<a>[\d:]+)Z and (?P<b>[\d:]+)Z|at (?P<at>[\d:]+)Z)"
)
_ERROR = re.compile(r"\b(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b")
_BLAME = re.compile(
    r"\b(?:fault|caused?|because|due to|culprit|broke|broken|crashed|unhealthy|went wrong|anomal\w+|abnormal\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One injected fault; `at` is UTC."""

    at: datetime
    pod: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """All that was recorded: log texts by pod, values by (thing, metric), both by time."""

    faults: tuple[Fault, ...]
    logs: dict[str, list[tuple[datetime, str]]]
    values: dict[tuple[str, str], dict[datetime, float]]

    @property
    def pods(self) -> tuple[str, ...]:
        return tuple(sorted({thing for thing, _ in self.values if thing.startswith("ts-")}))


def read_day(folder: Path, /) -> Day:
    """Return the day in a folder with `log`, `metric` and a fault list."""
    listed = json.loads(next(folder.glob("*fault_list.json")).read_text("utf-8"))
    faults = [
        Fault(
            at=datetime.fromtimestamp(int(one["inject_timestamp"]), UTC), pod=one["inject_pod"], kind=one["inject_type"]
        )
        for ones in listed.values()
        for one in ones
    ]
    logs: dict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for file in sorted((folder / "log").glob("*.csv")):
        for row in _rows(file):
            text = " ".join(json.loads(row["Log"])["log"].split())
            logs[row["PodName"]].append((datetime.fromtimestamp(int(row["TimeUnixNano"]) / 1e9, UTC), text))
    values: dict[tuple[str, str], dict[datetime, float]] = defaultdict(dict)
    for file in sorted((folder / "metric").glob("*.csv")):
        for row in _rows(file):
            thing = row.get("PodName") or row.get("ServiceName") or ""
            at = datetime.fromtimestamp(int(row["TimeStamp"]), UTC)
            for metric, text in row.items():
                if metric not in ("Time", "TimeStamp", "PodName", "ServiceName") and text:
                    values[thing, metric][at] = float(text)
    return Day(faults=tuple(sorted(faults, key=lambda one: one.at)), logs=logs, values=values)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def named_pods(answer: str, day: Day, /) -> tuple[str, ...]:
    """Return the pods that an answer names, in the order in which it names them first."""
    places = {pod: answer.find(pod) for pod in day.pods if pod in answer}
    return tuple(sorted(places, key=places.__getitem__))


def faults_of(answer: str, day: Day, /, *, asked: datetime, pod: str | None, healthy: bool) -> list[str]:
    """Return what is wrong with an answer that passed: not in the data, of another pod or time, or blaming."""
    wrong: list[str] = []
    for line in answer.splitlines():
        text = re.sub(r"^On \d{4}-\d\d-\d\d, ", "", re.sub(r"\s*\[e\d+\]", "", line.removeprefix("- ").strip()))
        wrong += [f"{fault}: {line}" for fault in _line_faults(text, day, asked, pod)]
        if healthy and _BLAME.search(re.sub(r"`[^`]*`|\u201c[^\u201d]*\u201d", "", text)):
            wrong.append(f"blames a pod without a fault: {line}")
    return wrong


def _line_faults(text: str, day: Day, asked: datetime, pod: str | None) -> Iterator[str]:
    if text.startswith("The runbook "):
        return
    series, log = _SERIES.match(text), _LOG.match(text)
    found = series or log
    if found is None:
        yield "not read"
        return
    if pod is not None and found["thing"] != pod:
        yield "another pod"
    at = _moment(found["at"] or found["a"], asked)
    last = _moment(found["b"], asked) if log is not None and log["b"] else at
    if not (at < asked + timedelta(minutes=2) and last >= asked - timedelta(minutes=1)):
        yield "another time"
    yield from _value_faults(series, text, day, asked) if series else _log_faults(found, day, asked)


def _value_faults(found: re.Match[str], text: str, day: Day, asked: datetime) -> Iterator[str]:
    points = day.values.get((found["thing"], found["metric"]), {})
    if not _same(points.get(_moment(found["at"], asked)), found["value"]):
        yield "another value"
    rest = text[found.end() :]
    usual, before = _USUAL.search(rest), _BEFORE.match(rest)
    if usual:
        start, end = _moment(usual["a"], asked), _moment(usual["b"], asked)
        inside = [value for at, value in points.items() if start <= at <= end and value == value]
        if not inside or not _same(statistics.median(inside), usual["median"]) or not _same(max(inside), usual["max"]):
            yield "another usual value"
    if before and not _same(points.get(_moment(before["at"], asked)), before["value"]):
        yield "another earlier value"


def _log_faults(found: re.Match[str], day: Day, asked: datetime) -> Iterator[str]:
    start = _moment(found["at"] or found["a"], asked)
    end = _moment(found["b"] or found["at"], asked) + timedelta(seconds=1)
    parts = r".*".join(re.escape(part) for part in re.split(r"\s*\.\.\.\s*", found["quote"]))
    timely = [text for at, text in day.logs.get(found["thing"], []) if start <= at < end]
    held = [text for text in timely if re.search(parts, text) and (not found["errors"] or _ERROR.search(text))]
    if not held:
        yield "no such entry"
    elif found["count"] and int(found["count"]) != len(held):
        yield f"another count ({len(held)})"


def _moment(clock: str, asked: datetime) -> datetime:
    return datetime.fromisoformat(f"{asked:%Y-%m-%d}T{clock}+00:00")


def _same(value: float | None, written: str) -> bool:
    return value is not None and abs(value - float(written)) <= 1e-5 * max(1e-9, abs(value), abs(float(written)))
