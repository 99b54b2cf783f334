"""The guided session of `groundtrace demo`: six questions to the shipped incident, through the real parts.

Two scenes are given a draft, a true and a false one, in the executor's place; planner and verifier are the rules, and
no verdict is scripted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.decision import is_evidence
from groundtrace.invocation import Invocation
from groundtrace.next_steps import NO_OPTIONS, Options
from groundtrace.ports import LanguageModel
from groundtrace.problem import Problem
from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest
from groundtrace_adapters.models.rules import RulesModel
from groundtrace_app.chat import Turn
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.tools.opening import tools_of
from groundtrace_app.trace import Trace
from groundtrace_app.wiring import open_chat

SESSION = "demo"
SOURCES = {"knowledge": ("runbooks",), "logs": ("server.log", "apps.jsonl"), "metrics": ("metrics.om",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One question of the demo and what it shows.

    `draft` takes the executor's place; `[TOOL]` in it stands for the labels of that tool's rows. `sources` changes
    which of the incident's files are asked, by setting.
    """

    title: str
    shows: str
    question: str
    draft: str | None = None
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


SCENES = (
    Scene(
        title="An answer that the evidence carries",
        shows="Each statement stands in a call that it cites, about the app and the minute asked for: PASS.",
        question="Why were checkout's connections refused at 16:55?",
        draft="At 16:55:06 UTC a connection of checkout failed: `FATAL:  sorry, too many clients already` "
        "[query_logs].",
    ),
    Scene(
        title="No evidence",
        shows="The tools worked and found nothing. That is no evidence, not a success, and it passes nothing.",
        question="Were connections of checkout refused between 15:10 and 15:20?",
        sources={"knowledge": ()},
    ),
    Scene(
        title="A source that fails",
        shows="The logs are gone. A failure is recorded as one, and the reply says what could not be looked at.",
        question="Which errors did fulfilment log at 16:58?",
        sources={"knowledge": (), "logs": ("unmounted/",)},
    ),
    Scene(
        title="A runbook",
        shows="A runbook shows how to proceed; what happened would need a log or a metric.",
        question="How do I free connection slots when they are exhausted?",
    ),
    Scene(
        title="The same question again",
        shows="The lookup brings nothing new and is recorded as a repeat: it carries nothing, the first call does.",
        question="How do I free connection slots when they are exhausted?",
    ),
    Scene(
        title="A draft with a wrong number",
        shows="The draft gives a value, and the metric that it cites gives another: REJECT, not a word of it is shown.",
        question="How many connections did billing-report hold at 16:55:30?",
        draft='At 16:55:30 UTC pg_stat_activity_connections{app="billing-report"} was 7 [query_metrics].',
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scene as it went: the turn, and the rows that it left."""

    scene: Scene
    turn: Turn
    rows: tuple[Invocation, ...]


def _none(_: Settings) -> Options:
    return NO_OPTIONS


class Demo:
    """Plays scenes over an incident folder, all in one session of `trace`."""

    def __init__(self, folder: Path, trace: Trace, /, *, options: Callable[[Settings], Options] = _none) -> None:
        """Read the incident in `folder`: `runbooks/`, `server.log`, `apps.jsonl`, `metrics.om`.

        `options` gives, for the sources of a scene, what the commands that a reply names need besides.
        """
        self._options = options
        self._folder = folder
        self._trace = trace
        self._settings = self._asking({})
        self._tools = tools_of(self._settings)

    def play(self, scenes: Sequence[Scene] = SCENES, /) -> Iterator[Result[Played, Problem]]:
        """Yield each scene when it has been played."""
        for scene in scenes:
            yield self._play(scene)

    def _play(self, scene: Scene) -> Result[Played, Problem]:
        settings, tools = self._sources(scene)
        model = _Drafting(scene.draft) if scene.draft else RulesModel()
        chat = open_chat(settings, self._trace, tools, model, options=self._options(settings))
        return chat.answer_now(scene.question, session_id=SESSION).map(
            lambda turn: Played(scene=scene, turn=turn, rows=self._rows(turn))
        )

    def _sources(self, scene: Scene) -> tuple[Settings, Sequence[EvidenceTool]]:
        """Return the sources of a scene; the same tools serve all that ask everything, so that a repeat is seen."""
        if not scene.sources:
            return self._settings, self._tools
        settings = self._asking(scene.sources)
        return settings, tools_of(settings)

    def _asking(self, changed: Mapping[str, tuple[str, ...]]) -> Settings:
        files = {name: tuple(self._place(file) for file in found) for name, found in {**SOURCES, **changed}.items()}
        return Settings(knowledge=next(iter(files["knowledge"]), None), logs=files["logs"], metrics=files["metrics"])

    def _place(self, file: str) -> str:
        place, here = self._folder / file, Path.cwd()
        return str(place.relative_to(here) if place.is_relative_to(here) else place)

    def _rows(self, turn: Turn) -> tuple[Invocation, ...]:
        rows = self._trace.store.rows(turn.session_id).value_or(())
        return tuple(row for row in rows if row.turn_id == turn.turn_id)


class _Drafting(LanguageModel):
    """The rules, but for one draft: `[TOOL]` in it becomes the labels of that tool's successful rows."""

    def __init__(self, draft: str) -> None:
        self._draft = draft
        self._rules = RulesModel()

    @property
    @override
    def name(self) -> str:
        return "demo"

    @override
    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        if not isinstance(request, DraftRequest):
            return await self._rules.reply(request)
        text = self._draft
        for tool in {one.row.tool_name for one in request.shown}:
            labels = [one.label for one in request.shown if one.row.tool_name == tool and is_evidence(one)]
            text = text.replace(f"[{tool}]", "".join(f"[{label}]" for label in labels))
        return result.Success(ModelReply(text=text, model=self.name))
