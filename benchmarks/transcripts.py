"""Importing transcripts: calls a second into a file, beside parsing alone, and memory as a file grows to 1 GB.

Run: python benchmarks/transcripts.py [--megabytes 1000]. The files are made here: trajectories in the form of tau-bench
in one array, and lines in the form of Claude Code's session files, 1,000 calls of which wait for their results at any
time. Each file is imported in a process of its own, whose peak memory the system tells.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from groundtrace_adapters.transcripts.files import file_at, pieces_of
from groundtrace_app.cli.tally import Tally
from groundtrace_app.importing import TranscriptImport, Wishes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace

CALLS = 4_380
SESSIONS = 504
IN_FLIGHT, OPEN_SESSIONS = 1_000, 10
SMALL_OUTPUT, LARGE_OUTPUT = 900, 20_000
SMALL_MEGABYTES = 200
REACH = 1.25
_LINE = "2026-03-08T12:00:01Z level=info msg=served path=/cart/items status=200 took={}ms\n"


def main() -> None:
    """Print both, or, as a process of its own, import one file and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--import-one", type=Path)
    given = parser.parse_args()
    if given.import_one is not None:
        print(json.dumps(_import(given.import_one)))
        return
    with tempfile.TemporaryDirectory() as folder:
        _speed(Path(folder))
        _memory(Path(folder), given.megabytes)


def _speed(folder: Path) -> None:
    """Import as many calls and sessions as tau-bench and tau2-bench together have."""
    lines, trajectories = folder / "calls.jsonl", folder / "trajectories.json"
    _write(lines, CALLS, SMALL_OUTPUT, in_flight=1)
    trajectories.write_text(json.dumps(list(_trajectories())))
    for name, place in (("Claude Code, lines", lines), ("tau-bench, one array", trajectories)):
        began = process_time()
        records = sum(1 for _ in pieces_of(file_at(place)))
        parsing = process_time() - began
        took = _in_a_process(place)
        print(
            f"{name}: {CALLS:,} calls in {SESSIONS} sessions ({records:,} records) into a file:"
            f" {CALLS / took['seconds']:,.0f} calls/s, {CALLS / took['cpu']:,.0f} a second of processor time,"
            f" {took['cpu'] / parsing:.1f}x that of parsing alone, peak {took['megabytes']:,.0f} MB"
        )


def _memory(folder: Path, megabytes: int) -> None:
    peaks = []
    for size in (SMALL_MEGABYTES, megabytes):
        place = folder / f"{size}.jsonl"
        calls = size * 1_000_000 // LARGE_OUTPUT
        _write(place, calls, LARGE_OUTPUT, in_flight=IN_FLIGHT)
        took = _in_a_process(place)
        peaks.append(took["megabytes"])
        read = place.stat().st_size / 1e6
        print(
            f"{read:,.0f} MB of lines, {calls:,} calls, {IN_FLIGHT:,} in flight: peak {peaks[-1]:,.0f} MB,"
            f" {read / took['seconds']:,.0f} MB/s"
        )
        place.unlink()
    print(
        f"memory at {megabytes:,} MB over memory at {SMALL_MEGABYTES} MB: {peaks[1] / peaks[0]:.2f}x (reach: {REACH}x)"
    )


def _write(place: Path, calls: int, size: int, *, in_flight: int) -> None:
    with place.open("w") as file:
        for line in _lines(calls, size, in_flight):
            file.write(line)


def _lines(calls: int, size: int, in_flight: int) -> Iterator[str]:
    """Yield calls whose results stand `in_flight` calls behind them, over `OPEN_SESSIONS` sessions at a time."""
    for number in range(calls + in_flight - 1):
        if number < calls:
            given: dict[str, object] = {"pattern": f"status={number}"}
            use: dict[str, object] = {"type": "tool_use", "id": _call(number), "name": "query_logs", "input": given}
            yield _line("assistant", _session(number, in_flight), number, use)
        if (done := number - in_flight + 1) >= 0:
            session = _session(done, in_flight)
            result: dict[str, object] = {
                "type": "tool_result",
                "tool_use_id": _call(done),
                "content": _output(done, size),
            }
            yield _line("user", session, done, result)
            if session != _session(done + IN_FLIGHT if in_flight > 1 else done + 1, in_flight):
                yield _line("assistant", session, done, {"type": "text", "text": "Nothing stands out."})


def _call(number: int) -> str:
    return f"toolu_{number:09}"


def _session(number: int, in_flight: int) -> str:
    """Return the session of a call: one after the other, or several side by side where many calls are in flight."""
    if in_flight == 1:
        return f"session-{number * SESSIONS // CALLS}"
    return f"session-{number // (1_000 * OPEN_SESSIONS)}-{number % OPEN_SESSIONS}"


def _output(number: int, size: int) -> str:
    return (_LINE.format(number) * (size // len(_LINE) + 1))[:size]


def _trajectories() -> Iterator[dict[str, object]]:
    for task in range(SESSIONS):
        talk: list[dict[str, object]] = [{"role": "system", "content": "Help."}, {"role": "user", "content": "Why?"}]
        for number in range(task, CALLS, SESSIONS):
            function = {"name": "query_logs", "arguments": json.dumps({"pattern": f"status={number}"})}
            call = {"id": _call(number), "type": "function", "function": function}
            talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            talk.append({"role": "tool", "tool_call_id": _call(number), "content": _output(number, SMALL_OUTPUT)})
        talk.append({"role": "assistant", "content": "Nothing stands out."})
        yield {"task_id": task, "trial": 0, "reward": 1.0, "traj": talk}


def _line(kind: str, session: str, number: int, block: dict[str, object]) -> str:
    minute, second = divmod(number % 3_600, 60)
    return (
        json.dumps(
            {
                "type": kind,
                "uuid": f"{kind}-{number}",
                "sessionId": session,
                "timestamp": f"2026-03-08T12:{minute:02}:{second:02}Z",
                "message": {"role": kind, "content": [block]},
            }
        )
        + "\n"
    )


def _in_a_process(place: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--import-one", str(place)], check=True, capture_output=True, text=True
    )
    took: dict[str, float] = json.loads(done.stdout)
    return took


def _import(place: Path) -> dict[str, float]:
    """Import a file into a store beside it, to the last row stored."""
    store = place.with_suffix(".db")
    trace = open_trace(Settings(store=str(store))).unwrap()
    began = perf_counter()
    tally = Tally(trace.sink, trace.store)
    importing = TranscriptImport(trace, Wishes(), recorded=tally.recorded)
    report = importing.take(file_at(place))
    importing.end()
    fate = tally.settle()
    seconds = perf_counter() - began
    trace.close()
    if fate.stored != report.findings.calls.total() or report.unread:
        raise SystemExit(f"{fate.stored} of {report.findings.calls.total()} calls are stored")
    store.unlink()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1_024}


if __name__ == "__main__":
    main()
