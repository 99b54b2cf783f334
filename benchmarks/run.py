"""Runs the benchmarks one after another, each in a process of its own, and prints one table of their figures."""

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = tuple(sorted(path.stem for path in HERE.glob("*.py") if path.name != Path(__file__).name))


def main() -> int:
    """Print the machine's kind and one line a figure; 1 if a benchmark broke, the others still run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", choices=NAMES, action="append", help=f"one of {', '.join(NAMES)}")
    names: list[str] = parser.parse_args().only or list(NAMES)
    print(f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}")
    width = max(map(len, names))
    broken = [name for name in names if _run(name, width) != 0]
    for name in broken:
        print(f"{name}: broke; run: python benchmarks/run.py --only {name}", file=sys.stderr)
    return 1 if broken else 0


def _run(name: str, width: int) -> int:
    """Print each line of a benchmark behind its name as it comes."""
    command = [sys.executable, "-u", str(HERE / f"{name}.py")]
    with subprocess.Popen(command, env=_environment(), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(f"{name:{width}}  {line.rstrip()}", flush=True)
    return running.returncode


def _environment() -> dict[str, str]:
    """The source tree before whatever is installed, and the tests' own PostgreSQL."""
    rooms = [str(ROOT / room) for room in ("core", "adapters", "app", "tests/support")]
    others = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*rooms, *others])}


if __name__ == "__main__":
    raise SystemExit(main())
