"""Stores that cannot be written: locked, read-only, of a newer release, on a full disk. No row is lost by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace_testing.durability import full_disk
from groundtrace_testing.durability.file_faults import locked_file, newer_schema, read_only_file
from groundtrace_testing.durability.grounds import GROUNDS, Ground, ground_of
from groundtrace_testing.durability.tally import Tally

pytestmark = pytest.mark.server

HELD_AT_MOST = 0.25
FORMS = [
    "limit",
    # Only who may mount can make a small disk; a limit on files, and the answer of a server, stand in elsewhere.
    *(
        ["small-disk", pytest.param("small-disk-of-a-server", marks=pytest.mark.server)]
        if full_disk.can_mount()
        else []
    ),
]


def unharmed(told: Tally, slowest: float, /) -> bool:
    """Tell whether each row came to a place, is stored once as it was put, and held nobody."""
    assert told.harm == (0, 0, 0), told.line()
    assert (told.refused, told.unplaced) == (0, 0), told.line()
    assert slowest < HELD_AT_MOST
    return told.found == told.acknowledged


@pytest.fixture(params=GROUNDS)
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    return ground_of(request, tmp_path)


def test_a_file_that_another_program_locks_costs_no_row(tmp_path: Path) -> None:
    told, slowest = locked_file(tmp_path / "trace.db", tmp_path / "spool", seconds=0.3)
    assert unharmed(told, slowest)
    assert told.spooled


def test_rows_for_a_file_that_may_only_be_read_are_stored_once_it_may_be_written(tmp_path: Path) -> None:
    told, slowest = read_only_file(tmp_path / "trace.db", tmp_path / "spool")
    assert unharmed(told, slowest)
    assert told.stored == 0


def test_rows_for_a_store_of_a_newer_release_wait_for_that_release(ground: Ground) -> None:
    told, slowest = newer_schema(ground.address, ground.spool)
    assert unharmed(told, slowest)
    assert told.stored == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_disk_that_is_full_for_store_and_spool_costs_no_row(form: str) -> None:
    told, slowest = full_disk.figures(form)
    assert unharmed(told, slowest)
    assert told.stored
