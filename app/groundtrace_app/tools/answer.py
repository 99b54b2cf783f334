"""What every evidence tool of ours is and gives: the shape that ChatService and the recorder rely on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from groundtrace import outcomes
from groundtrace.retrieval import Retrieval
from groundtrace.roles import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What one run amounted to.

    `text` is what the agent reads: the material, or one line that says why there is none. `retrieval` is set by
    `lookup_knowledge` alone (None there too when it failed before the search).
    """

    outcome: outcomes.Outcome
    text: str
    retrieval: Retrieval | None = None


class EvidenceTool(Protocol):
    """A tool whose calls are recorded. It never raises for an expected failure: that is an outcome."""

    @property
    def name(self) -> str:
        """Return the tool's name as recorded."""

    @property
    def retrieves(self) -> bool:
        """Tell whether its rows carry retrieval columns (`lookup_knowledge` alone)."""

    async def describe(self) -> ToolSpec:
        """Return what the planner may know: purpose, parameters, and what the source holds."""

    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Run one call with untrusted parameters; bad ones are a Failure whose message says how to mend them.

        Sets no deadline of its own beyond the source's bounds: the caller cancels.
        """
