"""Searching a log of 100 MB as it lies, against `grep -E` in the same run; and memory on a log of 1 GB.

Times are CPU seconds of the process, user and system, so that a busy machine does not blur the ratios. The first search
of a file also counts its lines up to the last hit that it gives, which grep does with -n alone; later ones know them.
"""

import asyncio
import gzip
import json
import multiprocessing
import os
import random
import resource
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from groundtrace.sources import LogAnswer, LogQuery
from groundtrace_adapters.sources.file_blocks import BLOCK_BYTES
from groundtrace_adapters.sources.log_files.source import FileLogSource

LOG_BYTES = 100_000_000
ROUNDS = 5
_WORDS = "payment order retry timeout connection closed user cart stock shipped cache miss upstream served".split()
_START = datetime(2026, 11, 30, tzinfo=UTC)
_MEGABYTE = 1024 * 1024

RARE = (
    ("literal", LogQuery(pattern="card refused by issuer")),
    ("literal, 163 hits", LogQuery(pattern="ERROR", limit=1_000)),
    ("expression, text first", LogQuery(pattern="ERROR.*timeout", regex=True)),
    ("expression, two texts", LogQuery(pattern="card (refused|declined)", regex=True)),
    ("expression, digits", LogQuery(pattern=r"took=99\.9[0-9]ms", regex=True, limit=1_000)),
    ("expression, anchored", LogQuery(pattern="^2026.*ERROR", regex=True, limit=1_000)),
    ("expression, any case", LogQuery(pattern="(?i)card refused", regex=True)),
    ("expression, no match", LogQuery(pattern="[xyz]{4}[0-9]+q", regex=True)),
)
OTHERS = (
    ("window of five minutes", LogQuery(start=_START.replace(hour=10), end=_START.replace(hour=10, minute=5))),
    ("window and literal", LogQuery(pattern="ERROR", start=_START.replace(hour=10), end=_START.replace(hour=11))),
    ("field", LogQuery(fields={"pod": "checkout-3"})),
    ("literal in every line", LogQuery(pattern="app=checkout")),
    ("every entry, newest", LogQuery(newest_first=True)),
)


def main() -> None:
    """Print a ratio to grep for each kind of search, other modes and formats, and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "app.log")
        _write(path)
        print(f"log of {path.stat().st_size / 1e6:.0f} MB, no window, CPU time, best of {ROUNDS}:")
        for name, query in RARE:
            first, again, grep, numbered, hits = _compared(path, query)
            print(
                f"  {name} ({hits} hits): grep -E {grep * 1000:.0f} ms, first search {first * 1000:.0f} ms, ratio"
                f" {first / grep:.2f} ({first / numbered:.2f} to grep -nE); later ones {again * 1000:.0f} ms, ratio"
                f" {again / grep:.2f}"
            )
        _floor(path)
        grep = min(_timed(lambda: _grep(path, RARE[0][1])) for _ in range(ROUNDS))
        print("other modes, against grep -E of the literal:")
        for name, query in OTHERS:
            ours = _seconds(path, query)
            print(f"  {name}: {ours:.2f} s, ratio {ours / grep:.0f}")
        _formats(path, grep)
        _memory(path)


def _compared(path: Path, query: LogQuery) -> tuple[float, float, float, float, int]:
    """Return the best times of a new source's first search, of a used one's, of grep -E and -nE, and how many hits."""
    used = FileLogSource([path])
    expected = _grep(path, query)
    assert len(_search(used, query).entries) == expected, "both must find the same entries"
    first, again, grep, numbered = [], [], [], []
    for _ in range(ROUNDS):
        grep.append(_timed(lambda: _grep(path, query)))
        numbered.append(_timed(lambda: _grep(path, query, numbered=True)))
        first.append(_timed(lambda: _search(FileLogSource([path]), query)))
        again.append(_timed(lambda: _search(used, query)))
    return min(first), min(again), min(grep), min(numbered), expected


def _floor(path: Path) -> None:
    """Print what a first search cannot do without: reading, and counting the lines before the last hit."""

    def read(*, count: bool) -> None:
        with path.open("rb", buffering=0) as file:
            while block := file.read(BLOCK_BYTES):
                if count:
                    block.count(b"\n")

    reading = min(_timed(lambda: read(count=False)) for _ in range(ROUNDS))
    counting = min(_timed(lambda: read(count=True)) for _ in range(ROUNDS)) - reading
    print(f"of these, reading takes {reading * 1000:.0f} ms and counting every line {counting * 1000:.0f} ms")


def _formats(path: Path, grep: float) -> None:
    packed, records = path.with_suffix(".log.gz"), path.with_suffix(".jsonl")
    with path.open("rb") as source:
        packed.write_bytes(gzip.compress(source.read(), compresslevel=1))
    with path.open() as source, records.open("w") as out:
        for line in source:
            time, level, text = line.rstrip("\n").split(" ", 2) if line[:1] == "2" else ("", "", line.strip())
            out.write(json.dumps({"time": time, "level": level, "msg": text}) + "\n")
    for name, file in (("gzip", packed), ("JSON lines", records)):
        took = _seconds(file, RARE[0][1])
        print(f"  literal in {name}: {took:.2f} s, ratio {took / grep:.1f}")


def _memory(path: Path) -> None:
    large = path.with_name("large.log")
    with large.open("wb") as out:
        for _ in range(10):
            out.write(path.read_bytes())
    for name, query in (("literal", RARE[0][1]), ("expression", RARE[2][1])):
        small_peak, _ = _apart(path, query)
        peak, took = _apart(large, query)
        print(
            f"1 GB, {name}: {took:.1f} s, peak memory {peak / _MEGABYTE:.0f} MiB,"
            f" {(peak - small_peak) / _MEGABYTE:+.1f} MiB against 100 MB"
        )


def _apart(path: Path, query: LogQuery) -> tuple[int, float]:
    """Search in a process of its own, and return its peak memory in bytes and the seconds."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (path, query))


def _measured(path: Path, query: LogQuery) -> tuple[int, float]:
    took = _timed(lambda: _search(FileLogSource([path]), query))
    # The high-water mark of this process; getrusage would tell that of the parent which started it.
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024, took


def _search(source: FileLogSource, query: LogQuery) -> LogAnswer:
    return asyncio.run(source.search(query)).unwrap()


def _grep(path: Path, query: LogQuery, *, numbered: bool = False) -> int:
    """Return how many lines match; `numbered` has grep print each with its number instead of counting them."""
    pattern = query.pattern or ""
    flags = ["-n" if numbered else "-c", *(["-i"] if pattern.startswith("(?i)") else [])]
    command = ["grep", *flags, "-E", pattern.removeprefix("(?i)"), str(path)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    out = subprocess.run(command, env=environment, capture_output=True, check=False).stdout
    return out.count(b"\n") if numbered else int(out)


def _seconds(path: Path, query: LogQuery) -> float:
    return _timed(lambda: _search(FileLogSource([path]), query))


def _timed(run: Callable[[], object]) -> float:
    started = _cpu()
    run()
    return _cpu() - started


def _cpu() -> float:
    """Return the CPU seconds of this process and of the finished ones that it started."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _write(path: Path) -> None:
    """Write a log of a day: ten lines a second, some errors, now and then a stack trace."""
    chance = random.Random(1)
    written = number = 0
    with path.open("w") as out:
        while written < LOG_BYTES:
            at = _START + timedelta(seconds=number / 10)
            level = "ERROR" if number % 5_000 == 0 else "INFO"
            text = " ".join(chance.choices(_WORDS, k=6))
            tail = " card refused by issuer" if number % 50_000 == 7 else ""
            trace = "\n\tat shop.Pay.charge(Pay.java:17)" if number % 977 == 0 else ""
            line = (
                f"{at:%Y-%m-%dT%H:%M:%S}.{number % 10}00Z {level} app=checkout pod=checkout-{number % 7} {text}"
                f" id={number} took={chance.random() * 100:.2f}ms{tail}{trace}\n"
            )
            written += out.write(line)
            number += 1


if __name__ == "__main__":
    main()
