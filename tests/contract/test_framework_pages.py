"""The lines that README and docs show for a framework run as they stand, over models that are scripted."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.chat_bench import verdict
from groundtrace_testing.frameworks.agents import Step, call, say

pytestmark = pytest.mark.frameworks

ROOT = Path(__file__).parents[2]
STEPS = (call(("list_pods", {"namespace": "shop"})), say("cart-0 runs in shop."))
SECOND = (say(verdict("PASS", "e1")),)

_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FRAMEWORK = re.compile(r"groundtrace_app\.frameworks\.(langchain|openai_agents|pydantic_ai)\b")


def _chat(steps: tuple[Step, ...]) -> Any:
    return import_module("groundtrace_testing.frameworks.scripted_chat").ScriptedChat.of(steps)


def _sdk(steps: tuple[Step, ...]) -> Any:
    return import_module("groundtrace_testing.frameworks.openai_agents_driver").ScriptedModel(steps)


def _ai(steps: tuple[Step, ...]) -> Any:
    agents = import_module("groundtrace_testing.frameworks.agents")
    driver = import_module("groundtrace_testing.frameworks.pydantic_ai_driver")
    return driver.Script(agents.Asked(gate=None, steps=steps)).model()


SHARED_IMPORTS = """
from groundtrace_app.gate import Gate
from groundtrace_app.settings import Settings
from groundtrace_app.trace import trace_or_raise
"""

MODELS: dict[str, Callable[[tuple[Step, ...]], Any]] = {"langchain": _chat, "openai_agents": _sdk, "pydantic_ai": _ai}


@pytest.fixture(autouse=True)
def _a_loop_of_its_own() -> Iterator[None]:
    """The synchronous doors of two frameworks leave their event loop to the thread, one of them half closed."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


def list_pods(namespace: str) -> list[str]:
    """List the pods of a namespace."""
    return ["cart-0"] if namespace == "shop" else []


def _shown(page: str) -> list[tuple[str, str, str]]:
    """Each block of a page that uses a framework: its section, the framework, the lines."""
    text = (ROOT / page).read_text("utf-8")
    blocks = [(title, block) for title, body in _SECTION.findall(text) for block in _BLOCK.findall(body)]
    return [(title, found[1], block) for title, block in blocks if (found := _FRAMEWORK.search(block))]


PAGES = [(page, *shown) for page in ("README.md", "docs/frameworks.md") for shown in _shown(page)]


@pytest.mark.parametrize(
    ("page", "title", "framework", "lines"), PAGES, ids=[f"{page}-{name}" for page, _, name, _ in PAGES]
)
def test_the_lines_of_a_framework_record_and_answer(
    page: str, title: str, framework: str, lines: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = MODELS[framework]
    names: dict[str, Any] = {"model": model(STEPS), "second_model": model(SECOND), "list_pods": list_pods}
    exec(SHARED_IMPORTS, names)
    with contextlib.chdir(tmp_path):
        exec(compile(lines, f"{page}, {title}", "exec"), names)
    assert capsys.readouterr().out.strip() == "cart-0 runs in shop."
    trace = names.get("trace")
    if trace is not None:
        trace.close()
    store = SqliteStore(tmp_path / "trace.db")
    (row,) = store.rows("inc-42").unwrap()
    (kept,) = store.evaluations("inc-42").unwrap()
    store.close()
    assert (row.tool_name, row.outcome) == ("list_pods", "success")
    assert (kept.decision, kept.cited, kept.question) == ("PASS", (row.id,), "Which pods run in shop?")


def test_the_pages_show_every_framework() -> None:
    shown = {(page, framework) for page, _, framework, _ in PAGES}
    assert {framework for page, framework in shown if page == "docs/frameworks.md"} == set(MODELS)
    assert {framework for page, framework in shown if page == "README.md"} == set(MODELS)


def test_no_more_than_five_lines_are_needed_besides_imports() -> None:
    long = [
        title
        for page, title, _, lines in PAGES
        if title != "LangGraph" and len([one for one in lines.splitlines() if one and "import" not in one]) > 5
    ]
    assert long == []


def test_the_lines_for_a_loop_of_ones_own_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate = import_module("groundtrace_app.gate")
    opened = import_module("groundtrace_app.trace")
    settings = import_module("groundtrace_app.settings")
    trace = opened.open_trace(settings.Settings(store=str(tmp_path / "trace.db"))).unwrap()
    own = [block for block in _BLOCK.findall((ROOT / "docs/frameworks.md").read_text("utf-8")) if "check_now" in block]
    exec(own[0], {"gate": gate.Gate.of(trace)})
    trace.close()
    assert capsys.readouterr().out.startswith("Not confirmed")
