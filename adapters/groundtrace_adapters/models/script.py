"""A model that replays given replies, role by role and in order: for contract tests, fallback tests and demos.

It plays every way in which a model can behave: a text, an odd finish reason, an error, a delay, a hang, an exception.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Self, assert_never

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.ports import LanguageModel
from groundtrace.problem import Problem
from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest, PlanRequest, VerifyRequest

HANG_SECONDS = 24 * 3600.0
"""How long a hang lasts where nobody cancels it, in seconds."""


class Role(StrEnum):
    """The three roles of the port."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    VERIFIER = "verifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scripted behaviour: wait `delay_seconds`, then raise, or fail, or answer.

    `raises` is an exception that comes out of `reply` (a misbehaving adapter); `error` a ModelError; else the reply is
    `text` (None: the model sent nothing) with `finish_reason`.
    """

    text: str | None = None
    finish_reason: str | None = "stop"
    by_tool_call: bool = False
    error: ModelError | None = None
    raises: BaseException | None = None
    delay_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What each role answers, in order; a role that is absent is not scripted at all."""

    lines: Mapping[Role, Sequence[Line]] = field(default_factory=dict)
    name: str = "script"


class ScriptModel:
    """Replays a Script. Unlike any other model it counts its requests: the n-th request of a role gets its n-th line.

    A role that the script does not mention goes to `otherwise`; without one, and behind a role's last line, the reply
    is a ModelError of kind `unavailable`.
    """

    def __init__(self, script: Script, /, *, otherwise: LanguageModel | None = None) -> None:
        self._script = script
        self._otherwise = otherwise
        self._turns = {role: count() for role in Role}

    @property
    def name(self) -> str:
        """Return the script's name."""
        return self._script.name

    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        """Play the next line of the request's role."""
        role = role_of(request)
        if role not in self._script.lines and self._otherwise is not None:
            return await self._otherwise.reply(request)
        lines = self._script.lines.get(role, ())
        turn = next(self._turns[role])
        if turn >= len(lines):
            message = f"the script {self.name} has {len(lines)} lines for the {role}, and this is request {turn + 1}"
            return result.Failure(ModelError(kind=FailureKind.UNAVAILABLE, message=message))
        return await self._play(lines[turn])

    async def _play(self, line: Line) -> Result[ModelReply, ModelError]:
        await asyncio.sleep(line.delay_seconds)
        if line.raises is not None:
            raise line.raises
        if line.error is not None:
            return result.Failure(line.error)
        reply = ModelReply(
            text=line.text, model=self.name, finish_reason=line.finish_reason, by_tool_call=line.by_tool_call
        )
        return result.Success(reply)


def role_of(request: ModelRequest, /) -> Role:
    """Return the role that a request speaks to."""
    match request:
        case PlanRequest():
            return Role.PLANNER
        case DraftRequest():
            return Role.EXECUTOR
        case VerifyRequest():
            return Role.VERIFIER
        case _:
            assert_never(request)


class _Error(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: FailureKind
    message: str = Field(min_length=1, max_length=2_000)


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    text: str | None = None
    finish_reason: str | None = "stop"
    by_tool_call: bool = False
    error: _Error | None = None
    raises: str | None = None
    hang: bool = False
    delay_seconds: float = Field(default=0.0, ge=0.0, le=HANG_SECONDS, allow_inf_nan=False)

    @model_validator(mode="after")
    def _has_one_behaviour(self) -> Self:
        behaviours = [self.text is not None, self.error is not None, self.raises is not None, self.hang]
        if sum(behaviours) > 1:
            raise ValueError("give one of text, error, raises and hang")
        return self

    def line(self) -> Line:
        error = None if self.error is None else ModelError(kind=self.error.kind, message=self.error.message)
        return Line(
            text=self.text,
            finish_reason=self.finish_reason,
            by_tool_call=self.by_tool_call,
            error=error,
            raises=None if self.raises is None else RuntimeError(self.raises),
            delay_seconds=HANG_SECONDS if self.hang else self.delay_seconds,
        )


class _Script(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str = Field(default="script", min_length=1, max_length=200)
    planner: list[_Line | str] | None = None
    executor: list[_Line | str] | None = None
    verifier: list[_Line | str] | None = None


def parse_script(text: str, /, *, where: str = "script") -> Result[Script, Problem]:
    """Return the Script in JSON text: `{"name"?, "planner"?, "executor"?, "verifier"?}`, each role a list of lines.

    A line is a text, or an object with one of `text`, `error` {kind, message}, `raises` (words), `hang`, and besides
    `finish_reason`, `by_tool_call`, `delay_seconds`. Unknown keys are refused by name.
    """
    try:
        parsed = _Script.model_validate_json(text)
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        mend = "a script maps planner, executor and verifier to lists of lines"
        return result.Failure(
            Problem(what=f"{place}: {first['msg']}" if place else first["msg"], where=where, mend=mend)
        )
    given = {role: getattr(parsed, role.value) for role in Role}
    lines = {role: tuple(map(_line, found)) for role, found in given.items() if found is not None}
    return result.Success(Script(lines=lines, name=parsed.name))


def read_script(path: Path, /) -> Result[Script, Problem]:
    """Return the Script in a JSON file, read as UTF-8."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        return result.Failure(Problem(what=f"cannot be read: {reason}", where=str(path), mend="give a JSON file"))
    return parse_script(text, where=str(path))


def _line(given: _Line | str) -> Line:
    return Line(text=given) if isinstance(given, str) else given.line()
