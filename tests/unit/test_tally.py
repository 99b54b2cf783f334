"""The check behind every fault test can fail: a row that was said to be safe, and is not, is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_testing.durability.calls import row_of
from groundtrace_testing.durability.places import store_at
from groundtrace_testing.durability.tally import settled

SESSION = "durable/tally"


@pytest.fixture
def address(tmp_path: Path) -> str:
    address = str(tmp_path / "trace.db")
    migrate(address).unwrap()
    return address


@pytest.mark.parametrize(("place", "harm"), [("spooled", (0, 0, 0)), ("stored", (1, 0, 0))])
def test_a_row_that_is_only_spooled_was_not_stored(
    address: str, tmp_path: Path, place: str, harm: tuple[int, int, int]
) -> None:
    spool = Spool(tmp_path / "spool")
    spool.append([row_of(SESSION, "t0-1")]).unwrap()
    spool.close(seconds=5)
    told = settled(address, tmp_path / "spool", [(place, SESSION, "t0-1", "")])
    assert told.harm == harm


def test_a_row_that_nobody_has_is_lost(address: str, tmp_path: Path) -> None:
    assert settled(address, tmp_path / "spool", [("spooled", SESSION, "t0-1", "")]).harm == (1, 0, 0)


def test_a_row_that_is_not_as_it_was_put_is_changed(address: str, tmp_path: Path) -> None:
    store = store_at(address)
    store.append([replace(row_of(SESSION, "t0-1"), output_preview="another one")]).unwrap()
    store.close()
    assert settled(address, tmp_path / "spool", [("stored", SESSION, "t0-1", "")]).harm == (0, 0, 1)
