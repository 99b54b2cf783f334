"""What `doctor` says of a spool: what waits in it, and what a person must look at (DESIGN section 8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from returns import result

from groundtrace_app.cli.checks import Check, checks_of
from groundtrace_app.settings import Settings


def spool_check(tmp_path: Path, /) -> Check:
    settings = Settings(store=str(tmp_path / "trace.db"), spool=str(tmp_path / "spool"))
    return next(one for one in checks_of(result.Success(settings)) if one.name == "spool")


@pytest.mark.parametrize("name", ["set-aside.jsonl", "groundtrace_2/set-aside.jsonl", "evaluation-1.json.set-aside"])
def test_what_was_set_aside_in_a_spool_is_shown(tmp_path: Path, name: str) -> None:
    aside = tmp_path / "spool" / name
    aside.parent.mkdir(parents=True)
    aside.write_text("{}\n", encoding="utf-8")
    found = spool_check(tmp_path)
    assert not found.good
    assert str(aside) in found.mend


def test_a_spool_in_which_nothing_waits_is_in_order(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    assert spool_check(tmp_path).good


def test_evaluations_that_wait_are_counted(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "evaluation-1.json").write_text("{}\n", encoding="utf-8")
    assert "1 evaluation" in spool_check(tmp_path).found
