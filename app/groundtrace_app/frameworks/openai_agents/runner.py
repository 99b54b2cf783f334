"""Stands in for the SDK's `Runner`: runs an agent with its tool calls recorded and its answers checked."""

from dataclasses import replace
from typing import Any

from agents import Agent, Model, RunConfig, Runner, RunResult, RunResultStreaming

from groundtrace.classify import Classifier
from groundtrace_app.frameworks.grounding import Grounding, Heard, Place, nobody
from groundtrace_app.frameworks.openai_agents.gated_model import gated
from groundtrace_app.frameworks.openai_agents.grounded import Copies
from groundtrace_app.frameworks.openai_agents.hosted_model import watched
from groundtrace_app.frameworks.openai_agents.place import within_run
from groundtrace_app.frameworks.openai_agents.provider import WrappedProvider
from groundtrace_app.gate import Gate


class GroundtraceRunner:
    """Runs agents as `Runner` does, with the same options: `await GroundtraceRunner(gate).run(agent, "...")`.

    Function tools, those of MCP servers and those that the provider runs are recorded, also of agents that are handed
    over to. The session is `session_id`, else the
    run's `session`, `conversation_id` or `group_id`; the turn is the run. With `gated=False` it records only. A
    structured output that is not confirmed raises AnswerWithheldError.
    """

    def __init__(
        self,
        gate: Gate,
        /,
        *,
        session_id: str | None = None,
        gated: bool = True,
        cite: bool = False,
        classify: Classifier | None = None,
        heard: Heard = nobody,
    ) -> None:
        """Record and check through `gate`; `heard` is told each checked turn."""
        self._grounding = Grounding(gate=gate, session_id=session_id, cite=cite, classify=classify, heard=heard)
        self._gated = gated

    async def run(self, agent: Agent[Any], question: Any, /, **options: Any) -> RunResult:
        """Run an agent to its end; `options` are those of `Runner.run`."""
        own, config, place = self._prepared(agent, options)
        with within_run(place):
            return await Runner.run(own, question, **{**options, "run_config": config})

    def run_sync(self, agent: Agent[Any], question: Any, /, **options: Any) -> RunResult:
        """Run an agent from synchronous code; `options` are those of `Runner.run_sync`."""
        own, config, place = self._prepared(agent, options)
        with within_run(place):
            return Runner.run_sync(own, question, **{**options, "run_config": config})

    def run_streamed(self, agent: Agent[Any], question: Any, /, **options: Any) -> RunResultStreaming:
        """Start an agent whose events are streamed, the text of an answer once it is decided."""
        own, config, place = self._prepared(agent, options)
        with within_run(place):
            return Runner.run_streamed(own, question, **{**options, "run_config": config})

    def _prepared(self, agent: Agent[Any], options: dict[str, Any]) -> tuple[Agent[Any], RunConfig, Place]:
        given = options.get("run_config")
        config = RunConfig(**given) if isinstance(given, dict) else given or RunConfig()
        own = Copies(grounding=self._grounding, hold=self._gated).of(agent)
        place = self._grounding.place(_session_in(options, config), None)
        return own, self._held(config), place

    def _held(self, config: RunConfig) -> RunConfig:
        """Return a configuration whose models are gated; without a gate, with their provider's tools recorded."""
        wrapped = gated if self._gated else watched
        model = wrapped(config.model, self._grounding) if isinstance(config.model, Model) else config.model
        provider = WrappedProvider(config.model_provider, lambda found: wrapped(found, self._grounding))
        return replace(config, model=model, model_provider=provider)


def _session_in(options: dict[str, Any], config: RunConfig) -> str | None:
    """Return the first word that a run has for its session."""
    session = getattr(options.get("session"), "session_id", None)
    named = (session, options.get("conversation_id"), config.group_id)
    return next((one for one in named if isinstance(one, str) and one), None)
