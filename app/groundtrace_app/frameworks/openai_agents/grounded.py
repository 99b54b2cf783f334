"""An agent with everything that it can hand over to, recorded and gated; the agent that was given stays as it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agents import Agent, Model
from agents.handoffs import Handoff

from groundtrace_app.frameworks.grounding import Grounding
from groundtrace_app.frameworks.openai_agents.gated_model import gated
from groundtrace_app.frameworks.openai_agents.hosted_model import watched
from groundtrace_app.frameworks.openai_agents.mcp_tools import recorded_servers
from groundtrace_app.frameworks.openai_agents.recording import recorded


@dataclass(slots=True, kw_only=True)
class Copies:
    """The agents of one run: copies whose tools are recorded and, with `hold`, whose answers are checked."""

    grounding: Grounding
    hold: bool
    _made: dict[int, tuple[Agent[Any], Agent[Any]]] = field(default_factory=dict)

    def of(self, agent: Agent[Any], /) -> Agent[Any]:
        """Return an agent's copy. Agents may hand over to each other in a circle: each is copied once."""
        if id(agent) in self._made:
            return self._made[id(agent)][1]
        own = agent.clone(
            tools=[recorded(tool, self.grounding) for tool in agent.tools],
            mcp_servers=recorded_servers(agent.mcp_servers, self.grounding),
            model=self._model(agent.model) if isinstance(agent.model, Model) else agent.model,
        )
        # The first of a pair keeps its id from being given to another agent.
        self._made[id(agent)] = self._made[id(own)] = agent, own
        own.handoffs = [
            self.of(one) if isinstance(one, Agent) else replace(one, on_invoke_handoff=self._handing(one))
            for one in agent.handoffs
        ]
        return own

    def _model(self, model: Model) -> Model:
        """Return a model whose provider's tools are recorded before its answer is checked."""
        return gated(model, self.grounding) if self.hold else watched(model, self.grounding)

    def _handing(self, handoff: Handoff[Any, Any]) -> Callable[[Any, str], Awaitable[Any]]:
        async def hand(context: Any, arguments: str) -> Any:
            agent = await handoff.on_invoke_handoff(context, arguments)
            return self.of(agent) if isinstance(agent, Agent) else agent

        return hand
