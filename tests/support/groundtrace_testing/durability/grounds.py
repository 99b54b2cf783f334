"""Where a durability test takes place: an empty store of each kind that lasts, and a folder for its spool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from groundtrace_adapters.migrations import migrate

GROUNDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.server)]
"""The parameters of a fixture; `ground_of` makes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A migrated store's address, and a spool."""

    address: str
    spool: Path


def ground_of(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    """Make the ground that `request.param` names."""
    files = request.param == "sqlite"
    address = str(tmp_path / "trace.db") if files else str(request.getfixturevalue("postgres_dsn"))
    migrate(address).unwrap()
    return Ground(address=address, spool=tmp_path / "spool")
