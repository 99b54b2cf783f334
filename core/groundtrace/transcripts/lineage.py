"""Which step of a trace stands above which: spans name their parents, in any order."""

from collections.abc import Iterator

from groundtrace.transcripts.steps import Step

_GENERATIONS = 100


class Lineage:
    """The steps of a session by their ids."""

    def __init__(self) -> None:
        """Begin with none."""
        self._parents: dict[str, str | None] = {}
        self._agents: set[str] = set()
        self._tools: set[str] = set()

    def add(self, step: Step, /) -> None:
        """Add a step."""
        if step.id is None:
            return
        self._parents[step.id] = step.parent
        if step.agent:
            self._agents.add(step.id)
        if step.tool is not None and step.tool.sure:
            self._tools.add(step.id)

    def absorb(self, other: "Lineage", /) -> None:
        """Add all that another one knows."""
        self._parents.update(other._parents)
        self._agents |= other._agents
        self._tools |= other._tools

    def above(self, step: str | None, /) -> Iterator[str]:
        """Yield a step's parent, its parent's parent and so on, as far as they are known."""
        seen = {step}
        for _ in range(_GENERATIONS):
            step = self._parents.get(step) if step is not None else None
            if step is None or step in seen:
                return
            seen.add(step)
            yield step

    def agent(self, step: str, /) -> bool:
        """Tell whether a step is an agent's run."""
        return step in self._agents

    def depth(self, step: str | None, /) -> int:
        """Return how many stand above a step."""
        return sum(1 for _ in self.above(step))

    def nested(self, step: str | None, /) -> bool:
        """Tell whether a step belongs to an agent that another one called: below a tool's run, or two agents down."""
        above = list(self.above(step))
        agents = sum(one in self._agents for one in (step, *above))
        return agents > 1 or any(one in self._tools for one in above)
