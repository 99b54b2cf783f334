"""Runs the evaluations on recorded data that lies outside the project, and prints what each of them found."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DATA = ROOT.parent / "shared" / "data"
NAMES = ("changed", "json_suite", "runbooks", "nezha", "transcripts", "import_outcomes", "outcomes")
WITHOUT_DATA = {"changed"}
"""Evaluations over the incident that ships with the project."""

BAD_INPUT = 2


def main() -> int:
    """Return 0, 1 if an evaluation broke or found a wrong PASS, 2 if the data is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the data sets [%(default)s]")
    parser.add_argument("--only", metavar="NAME", choices=NAMES, action="append", help=f"one of {', '.join(NAMES)}")
    given = parser.parse_args()
    data: Path = given.data
    names: list[str] = given.only or list(NAMES)
    if not data.is_dir() and not WITHOUT_DATA.issuperset(names):
        print(f"{data}: no such folder, so nothing was evaluated; name the data with --data DIR", file=sys.stderr)
        return BAD_INPUT
    broken = [name for name in names if _run(name, data) != 0]
    for name in broken:
        print(f"{name}: broke or found a fault; run: python evaluation/run.py --only {name}", file=sys.stderr)
    return 1 if broken else 0


def _run(name: str, data: Path) -> int:
    print(f"\n{name}", flush=True)
    rooms = [str(ROOT / room) for room in ("core", "adapters", "app")]
    options = [] if name in WITHOUT_DATA else ["--data", str(data)]
    command = [sys.executable, str(HERE / f"{name}.py"), *options]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(rooms)}, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
