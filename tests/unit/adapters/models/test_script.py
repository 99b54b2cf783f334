"""The scripted model: what a script file may say, and what is refused in one line."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from returns.pipeline import is_successful

from groundtrace.outcomes import FailureKind
from groundtrace.roles import DraftRequest, PlanRequest
from groundtrace_adapters.models.script import HANG_SECONDS, Line, Role, Script, ScriptModel, parse_script, read_script

PLAN = PlanRequest(question="what broke?", now=datetime(2031, 5, 6, tzinfo=UTC), tools=())
DRAFT = DraftRequest(question="what broke?", shown=())


def test_lines_of_a_role_are_played_in_order() -> None:
    model = ScriptModel(Script(lines={Role.EXECUTOR: (Line(text="one"), Line(text="two"))}))
    texts = [asyncio.run(model.reply(DRAFT)).unwrap().text for _ in range(2)]
    assert texts == ["one", "two"]


def test_each_role_has_its_own_place_in_the_script() -> None:
    model = ScriptModel(Script(lines={Role.PLANNER: (Line(text="plan"),), Role.EXECUTOR: (Line(text="draft"),)}))
    assert asyncio.run(model.reply(DRAFT)).unwrap().text == "draft"
    assert asyncio.run(model.reply(PLAN)).unwrap().text == "plan"


def test_behind_the_last_line_the_model_is_unavailable() -> None:
    error = asyncio.run(ScriptModel(Script(lines={Role.PLANNER: ()})).reply(PLAN)).failure()
    assert error.kind is FailureKind.UNAVAILABLE
    assert "planner" in error.message


def test_a_role_that_is_not_scripted_goes_to_the_other_model() -> None:
    other = ScriptModel(Script(lines={Role.PLANNER: (Line(text="from the other"),)}))
    model = ScriptModel(Script(lines={Role.EXECUTOR: ()}), otherwise=other)
    assert asyncio.run(model.reply(PLAN)).unwrap().text == "from the other"
    assert not is_successful(asyncio.run(model.reply(DRAFT)))


def test_a_line_can_raise_what_a_misbehaving_adapter_would() -> None:
    model = ScriptModel(Script(lines={Role.PLANNER: (Line(raises=KeyError("lost")),)}))
    with pytest.raises(KeyError):
        asyncio.run(model.reply(PLAN))


def test_a_hang_ends_when_it_is_cancelled() -> None:
    model = ScriptModel(Script(lines={Role.PLANNER: (Line(delay_seconds=HANG_SECONDS),)}))

    async def impatient() -> None:
        await asyncio.wait_for(model.reply(PLAN), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())


def test_a_script_file_holds_every_behaviour(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        '{"name": "bad day", "planner": ["{}", {"error": {"kind": "timeout", "message": "slow"}}],'
        ' "executor": [{"raises": "boom"}, {"hang": true}],'
        ' "verifier": [{"text": null, "finish_reason": "length", "delay_seconds": 0.5}]}',
        "utf-8",
    )
    script = read_script(path).unwrap()
    assert script.name == "bad day"
    assert script.lines[Role.PLANNER][0].text == "{}"
    failed = script.lines[Role.PLANNER][1].error
    assert failed is not None
    assert failed.kind is FailureKind.TIMEOUT
    assert isinstance(script.lines[Role.EXECUTOR][0].raises, RuntimeError)
    assert script.lines[Role.EXECUTOR][1].delay_seconds == HANG_SECONDS
    assert script.lines[Role.VERIFIER] == (Line(text=None, finish_reason="length", delay_seconds=0.5),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"critic": []}',
        '{"planner": [{"txt": "x"}]}',
        '{"planner": [{"text": "x", "hang": true}]}',
        '{"planner": [{"delay_seconds": -1}]}',
        '{"planner": [{"delay_seconds": NaN}]}',
        '{"executor": "x"}',
        '{"executor": [{"error": {"kind": "tired", "message": "x"}}]}',
    ],
)
def test_a_broken_script_is_refused_in_one_line_that_names_the_place(text: str) -> None:
    line = parse_script(text, where="s.json").failure().line()
    assert line.startswith("s.json: ")
    assert "\n" not in line


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_an_unreadable_script_is_refused_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "script.json"
    if content is not None:
        path.write_bytes(content)
    assert str(path) in read_script(path).failure().line()
