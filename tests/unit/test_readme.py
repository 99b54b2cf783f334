"""What README and docs show is true: their Python runs, their commands exist, their links lead to files."""

from __future__ import annotations

import contextlib
import re
import shlex
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from groundtrace import Invocation, parse_record
from groundtrace_app.cli.commands import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BY_NAME = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
ARCHITECTURE = BY_NAME["docs/architecture.md"]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)


def _blocks(page: str, language: str) -> list[str]:
    return [body for tag, body in _BLOCK.findall(BY_NAME[page]) if tag == language]


def _commands(block: str) -> list[list[str]]:
    """Each command of a console block as words; a comment ends it, a backslash goes on, a pipe begins one."""
    lexer = shlex.shlex(_COMMENT.sub("", block).replace("\\\n", " "), posix=True, punctuation_chars="|;&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    commands: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set("|;&\n"):
            commands.append([])
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


COMMANDS = [words for page in BY_NAME for block in _blocks(page, "console") for words in _commands(block)]


@pytest.mark.parametrize("page", [page for page in BY_NAME if _blocks(page, "python")])
def test_the_python_of_a_page_runs_from_top_to_bottom(page: str, tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    with contextlib.chdir(tmp_path):
        for number, block in enumerate(_blocks(page, "python"), start=1):
            exec(compile(block, f"{page}, block {number}", "exec"), names)


def test_the_first_example_shows_an_answer_with_its_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    exec(_blocks("README.md", "python")[0], {})
    assert "[e1] DIRECT support: query_logs" in capsys.readouterr().out


def test_the_chat_that_a_page_assembles_answers_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat, core, *later = _blocks("docs/embedding.md", "python")
    with contextlib.chdir(tmp_path):
        names: dict[str, Any] = {}
        exec(chat, names)
        assert "[e1] DIRECT support: query_logs" in capsys.readouterr().out
        assert names["turn"].decision.verdict == "PASS"
        alone: dict[str, Any] = {}
        for block in (core, *later):
            exec(block, alone)


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words[0] == "groundtrace"], ids=lambda words: " ".join(words[:3])
)
def test_a_command_that_a_page_shows_exists_with_its_options(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    for word in words[1:]:
        if hasattr(command, "commands"):
            assert word in command.commands
            command = command.commands[word]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words[2:] if word.startswith("--")} <= known


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] == "make"], ids=" ".join)
def test_a_make_target_that_a_page_shows_exists(words: list[str]) -> None:
    assert words[1] in _TARGET.findall((ROOT / "Makefile").read_text("utf-8"))


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words[0] == "python"], ids=lambda words: " ".join(words[1:4])
)
def test_a_file_that_a_page_runs_exists(words: list[str]) -> None:
    files = [word for word in words if word.endswith(".py")]
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] == "echo"], ids=lambda words: words[0])
def test_a_line_that_a_page_records_is_a_call(words: list[str]) -> None:
    (line,) = words[1:]
    assert parse_record(line.replace("\n", ""), fallback_id="call-1").unwrap().call.session_id == "inc-42"


def test_a_page_shows_no_other_program() -> None:
    programs = {words[0] for words in COMMANDS}
    assert programs <= {"groundtrace", "make", "python", "pip", "echo", "tr"}


@pytest.mark.parametrize("page", BY_NAME)
def test_a_link_leads_to_a_file(page: str) -> None:
    folder = (ROOT / page).parent
    assert [link for link in _LINK.findall(BY_NAME[page]) if not (folder / link).exists()] == []


def test_each_column_of_a_row_is_explained() -> None:
    section = BY_NAME["README.md"].partition("## What a row means")[2].partition("\n## ")[0]
    assert [column.name for column in fields(Invocation) if f"`{column.name}`" not in section] == []


def test_each_module_of_the_core_has_its_line_in_the_architecture() -> None:
    modules = {path.stem for path in (ROOT / "core" / "groundtrace").glob("*.py")} - {"__init__"}
    named = set(re.findall(r"`([a-z_]+)`", ARCHITECTURE))
    assert modules - named == set()


def test_each_room_that_the_architecture_names_is_there() -> None:
    rows = [line for line in ARCHITECTURE.splitlines() if line.startswith("| `")]
    rooms = [name for line in rows for name in re.findall(r"`([\w.]+)`", line.split("|")[1])]
    assert [room for room in rooms if find_spec(room if "." in room else f"groundtrace.{room}") is None] == []


def test_each_benchmark_and_each_evaluation_is_told_of() -> None:
    subjects = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"run"}
    assert {name for name in subjects if f"`{name}`" not in BY_NAME["docs/benchmarks.md"]} == set()
    names = ("json_suite", "runbooks", "nezha")
    assert [name for name in names if f"`{name}`" not in BY_NAME["docs/evaluation.md"]] == []
