"""The capability for an `Agent`: records each tool call, and lets no answer out that was not checked."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapToolValidateHandler
from pydantic_ai.exceptions import ModelRetry, ToolRetryError
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset
from typing_extensions import override

from groundtrace.classify import Classifier
from groundtrace.outcomes import FailureKind, failure_because
from groundtrace_app.frameworks.grounding import Grounding, Heard, Place, nobody
from groundtrace_app.frameworks.pydantic_ai.gated_model import GatedModel, run_that_asked
from groundtrace_app.frameworks.pydantic_ai.recording import RecordedToolset, denied_in
from groundtrace_app.gate import Gate


@dataclass(init=False)
class Groundtrace(AbstractCapability[Any]):
    """Records and gates an agent: `Agent(model, tools=..., capabilities=[Groundtrace(gate)])`.

    Put it first, so that it is around what other capabilities do. The session is `session_id`, else the run's
    `conversation_id`; the turn is the run. With `gated=False` it records only. A structured output that is not
    confirmed raises AnswerWithheldError.
    """

    _grounding: Grounding
    _gated: bool
    _place: Place | None = field(default=None)

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
        self._place = None

    @override
    async def for_run(self, ctx: RunContext[Any]) -> "Groundtrace":
        """Return this capability in the place of one run."""
        own = object.__new__(type(self))
        vars(own).update(vars(self))
        # A run without a prompt goes on with the turn of an earlier one, which waited for a person.
        begun = run_that_asked(ctx.messages) if ctx.prompt is None else None
        own._place = self._place_of(ctx.conversation_id, begun or ctx.run_id)
        return own

    @override
    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Return the agent's tools, recorded."""
        return RecordedToolset(toolset, self._grounding, self._where())

    @override
    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Record what a person denied: it never reached its tool."""
        place = self._where()
        for call, why in denied_in(request_context.messages):
            begun = self._grounding.begin(call.tool_name, call.args, session_id=place.session_id, turn_id=place.turn_id)
            begun.returned(failure_because(FailureKind.DENIED, why))
        return request_context

    @override
    def get_wrapper_model(self, model: Model) -> Model | None:
        """Return the agent's model, whose answers are checked."""
        return GatedModel(model, self._grounding, self._where()) if self._gated else None

    @override
    async def wrap_tool_validate(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        handler: WrapToolValidateHandler,
    ) -> dict[str, Any]:
        """Record a call whose arguments are refused: it never reaches its tool."""
        try:
            return await handler(args)
        except (ValidationError, ModelRetry, ToolRetryError) as refused:
            place = self._where()
            begun = self._grounding.begin(call.tool_name, call.args, session_id=place.session_id, turn_id=place.turn_id)
            begun.raised(refused)
            raise

    def _where(self) -> Place:
        return self._place or self._place_of(None, None)

    def _place_of(self, conversation: str | None, run: str | None) -> Place:
        return self._grounding.place(conversation, run)
