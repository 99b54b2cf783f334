"""Every session of the data sets whose formats are read, imported twice: what was found, and that nothing is lost.

The figures to reach are those that the data's own description states. Reads `--data`, writes to memory; exit code 1 if
a call or session is missing, or if the second import added something.
"""

import argparse
import logging
import resource
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from returns.result import Result

from groundtrace.ports import Receipt
from groundtrace.problem import Problem
from groundtrace.transcripts.joined import Finding
from groundtrace_adapters.transcripts.folders import files_at
from groundtrace_app.importing import FileReport, TranscriptImport, Wishes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace

_RUNS = "sregym-traces/tests/traces/fixtures/"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Folders of one set, and how many sessions and calls are known to be in it; None where nobody counted."""

    name: str
    folders: tuple[str, ...]
    sessions: int | None = None
    calls: int | None = None


SETS = (
    DataSet(
        name="sregym-traces",
        folders=tuple(
            _RUNS + name
            for name in (
                "claudecode_run",
                "codex_run",
                "copilot_run_real",
                "gemini_run",
                "opencode_run",
                "stratus_run",
            )
        ),
        sessions=8,
        calls=141,
    ),
    DataSet(name="sregym-traces, two made by hand", folders=(_RUNS + "copilot_run_flat", _RUNS + "stratus_run_ids")),
    DataSet(name="aiopslab-fork", folders=("aiopslab-fork",), sessions=4, calls=104),
    DataSet(name="tau-bench and tau2-bench", folders=("tau-bench", "tau2-bench"), sessions=504, calls=4_380),
    # Its trees hold 328 nodes with an input; 28 of them are `Finish`, which gives an answer or a branch up.
    DataSet(name="toolbench", folders=("toolbench/data_example",), sessions=15, calls=300),
    # 339 results in 68 cases; the conversations beside them hold 144 calls more.
    DataSet(name="holmesgpt", folders=("holmesgpt/head",), sessions=68 + 9, calls=339 + 144),
    DataSet(name="claude-code-log", folders=("format-samples/claude-code-log",)),
    DataSet(name="swe-agent", folders=("format-samples/swe-agent",)),
    DataSet(name="inspect_ai", folders=("format-samples/inspect_ai",), sessions=2, calls=9),
    DataSet(name="otel-open-agent-traces", folders=("format-samples/otel-open-agent-traces",), sessions=0, calls=0),
)


@dataclass(slots=True, kw_only=True)
class Found:
    """What one import of a set left in its store."""

    reports: list[FileReport]
    sessions: int
    calls: int
    answers: int
    seconds: float


def main() -> int:
    """Print a row a set; 1 if something is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    data: Path = parser.parse_args().data
    logging.disable()  # what is there already, told otherwise, is counted here
    faults = [fault for one in SETS for fault in _evaluate(one, data)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"peak memory of the whole run: {peak:,.0f} MB")
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


def _evaluate(one: DataSet, data: Path) -> Iterator[str]:
    folders = [data / folder for folder in one.folders]
    if not all(folder.exists() for folder in folders):
        yield f"{one.name}: its folder is not there"
        return
    trace = _memory().unwrap()
    try:
        first = _import(trace, folders)
        second = _import(trace, folders)
    finally:
        trace.close()
    _print(one, first)
    for what, found, known in (("sessions", first.sessions, one.sessions), ("calls", first.calls, one.calls)):
        if known is not None and found != known:
            yield f"{one.name}: {found:,} {what} found, {known:,} are there"
    if (second.calls, second.answers) != (first.calls, first.answers):
        yield f"{one.name}: importing it again added {second.calls - first.calls} calls"


def _memory() -> Result[Trace, Problem]:
    return open_trace(Settings(store="memory:"))


def _import(trace: Trace, folders: Sequence[Path]) -> Found:
    began = perf_counter()
    receipts: list[Receipt] = []
    importing = TranscriptImport(trace, Wishes(), recorded=receipts.append)
    reports = [importing.take(file) for folder in folders for file in files_at(folder)]
    importing.end()
    for receipt in receipts:
        receipt.wait(deadline=60)
    seconds = perf_counter() - began
    stats = trace.store.upkeep().stats(exact=True).unwrap()
    return Found(
        reports=[report for report in reports if report.format is not None],
        sessions=stats.sessions.number,
        calls=stats.rows.number,
        answers=stats.evaluations.number,
        seconds=seconds,
    )


def _print(one: DataSet, found: Found) -> None:
    findings: Counter[Finding] = Counter()
    outcomes: Counter[str] = Counter()
    for report in found.reports:
        findings.update(report.findings.found)
        outcomes.update(report.findings.calls)
    formats = ", ".join(sorted({report.format or "" for report in found.reports})) or "no known format"
    sessions, calls = (f" of {number:,}" if number else "" for number in (one.sessions, one.calls))
    print(f"{one.name} ({formats})")
    print(f"    {found.sessions:,}{sessions} sessions, {found.calls:,}{calls} calls, {found.answers:,} answers")
    beside = ", ".join(f"{kind.value} {number}" for kind, number in findings.items())
    print(f"    {', '.join(f'{word} {number}' for word, number in outcomes.items())}; {_speed(found)}")
    print(f"    {beside or 'nothing beside the calls'}")


def _speed(found: Found) -> str:
    read = sum(report.findings.calls.total() for report in found.reports)
    return f"{read / found.seconds:,.0f} calls/s"


if __name__ == "__main__":
    raise SystemExit(main())
