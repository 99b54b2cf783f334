"""What `import groundtrace` adds to its two libraries, and how soon `groundtrace --help` speaks; alternating runs."""

import statistics
import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

ROUNDS = 15

BASELINE = "import returns.result, pydantic"
CORE = "import groundtrace"
RECORDING = "from groundtrace import record"
DECIDING = "from groundtrace import decide, evaluate, label_rows, parse_verdict, shape"


def main() -> None:
    """Print each median as a ratio to the median of its baseline, both taken in turn."""
    base, core, recording, deciding = _medians([_python(text) for text in (BASELINE, CORE, RECORDING, DECIDING)])
    print(f"`{BASELINE}`: {base * 1e3:.0f} ms, the baseline of the next three")
    print(f"`{CORE}`: {core * 1e3:.0f} ms, {core / base:.2f}x (reach: at most 1.3x)")
    print(f"`{RECORDING}`: {recording * 1e3:.0f} ms, {recording / base:.2f}x")
    print(f"`{DECIDING}`: {deciding * 1e3:.0f} ms, {deciding / base:.2f}x")
    bare, help_ = _medians([_python("pass"), [sys.executable, "-m", "groundtrace_app", "--help"]])
    print(f"`groundtrace --help`: {help_ * 1e3:.0f} ms, {help_ / bare:.1f}x `python -c pass` (reach: at most 15x)")


def _python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def _medians(commands: Sequence[Sequence[str]]) -> list[float]:
    """Return a median of seconds a command; the commands take turns, after one round that is not counted."""
    times: list[list[float]] = [[_seconds(command) for command in commands] for _ in range(ROUNDS + 1)]
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def _seconds(command: Sequence[str]) -> float:
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - began


if __name__ == "__main__":
    main()
