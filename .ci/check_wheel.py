"""Compares a built wheel with the source tree: every file of the three packages and of the incident, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

PLACES = {
    "core/groundtrace": "groundtrace",
    "adapters/groundtrace_adapters": "groundtrace_adapters",
    "app/groundtrace_app": "groundtrace_app",
    "examples/incident": "groundtrace_app/example_incident",
}
IGNORED = {".pyc", ".pyo"}


def expected(root: Path) -> set[str]:
    """The names that the wheel should hold; the incident travels without the scripts that recorded it."""
    return {
        f"{to}/{path.relative_to(root / place).as_posix()}"
        for place, to in PLACES.items()
        for path in (root / place).rglob("*")
        if path.is_file() and path.suffix not in IGNORED
        if not (place == "examples/incident" and path.suffix == ".py")
    }


def main(wheel: Path) -> int:
    """Print each difference; 0 if there is none."""
    found = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = expected(Path(__file__).parents[1])
    for name in sorted(wanted - found):
        print(f"the wheel lacks {name}")
    for name in sorted(found - wanted):
        print(f"the wheel has {name}, which the source tree does not")
    print(f"{wheel.name}: {len(found)} files, {wheel.stat().st_size / 1e6:.2f} MB")
    return int(found != wanted)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
