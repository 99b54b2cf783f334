"""What a test asks of a framework, whichever it is: run an agent with a scripted model, and tell all that was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from groundtrace.classify import Classifier
from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.grounding import Heard, nobody
from groundtrace_app.gate import Gate

Tool = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a model says: an answer in chunks, or calls of tools with words beside them; `fails` in the middle of it."""

    chunks: tuple[str, ...] = ()
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    fails: bool = False

    @property
    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.chunks)


def say(*chunks: str) -> Step:
    """Return an answer."""
    return Step(chunks=chunks)


def call(*calls: tuple[str, dict[str, Any]], beside: str = "") -> Step:
    """Return calls of tools, all at once."""
    return Step(calls=calls, chunks=(beside,) if beside else ())


class ModelBrokeError(Exception):
    """What a scripted model raises in the middle of an answer."""


@dataclass(slots=True, kw_only=True)
class Ran:
    """What came of a run: its last text, all that a listener was told, and what the model was shown of its tools."""

    text: str = ""
    frames: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def tell(self, *values: object) -> None:
        """Add what somebody outside could see."""
        self.frames += [repr(value) for value in values]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One run of an agent: its model's steps, its tools, how it is recorded and gated (None: not at all), its `Ran`."""

    gate: Gate | None
    steps: Sequence[Step]
    tools: Sequence[Tool] = ()
    question: str = "did the primary fail over at 03:12?"
    session_id: str = "s-1"
    gated: bool = True
    cite: bool = False
    classify: Classifier | None = None
    heard: Heard = nobody
    ran: Ran = field(default_factory=Ran)

    @property
    def options(self) -> dict[str, Any]:
        """Return what every framework's door takes."""
        return {"gated": self.gated, "cite": self.cite, "classify": self.classify, "heard": self.heard}


class Driver(Protocol):
    """One framework."""

    hidden: type[Exception]
    """An exception that the framework turns into words for the model."""

    def language_model(self, *steps: Step) -> LanguageModel:
        """Return a model of the framework that plays these steps, in the port."""

    async def ask(self, asked: Asked, /) -> Ran:
        """Run an agent to its end."""

    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        """Run an agent through each way in which the framework streams, each with an `Asked` of its own."""


_MODULES = {
    "langchain": "langchain_driver",
    "langchain_sync": "langchain_driver",
    "langgraph": "langgraph_driver",
    "openai_agents": "openai_agents_driver",
    "pydantic_ai": "pydantic_ai_driver",
}

# A library of LangChain's tries a socket as it is loaded: before any test, since tests have no network.
import_module("urllib3.util.connection")

FRAMEWORKS = tuple(_MODULES)
IN_TASKS = tuple(name for name in FRAMEWORKS if not name.endswith("_sync"))
"""Those whose runs can be cancelled: what runs in a thread cannot."""


def driver_of(name: str, /) -> Driver:
    """Return a framework's driver; the framework is loaded now, and no other one."""
    driver: Driver = import_module(f"groundtrace_testing.frameworks.{_MODULES[name]}").DRIVERS[name]
    return driver
