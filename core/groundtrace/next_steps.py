"""What to check next: each source that failed, was empty or was never asked, with the very command that asks it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from groundtrace.coverage import Covered, CoverState, ExpectedSource, source_words
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.wording import empty_words, one_line, why_failed

STEPS_SHOWN = 10
"""The most next steps of one reply: failures first, then sources never asked, then empty answers."""

COMMAND_CHARACTERS = 2_000

Options: TypeAlias = Mapping[str, Sequence[str]]
"""By tool name the words that follow in its command (`--logs`, `app.log`), as typed, not quoted."""

NO_OPTIONS: Options = MappingProxyType({})

_SAFE_WORD = re.compile(r"[A-Za-z0-9_.:/=,+@%-]+")
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """One thing to do: the source, why it is worth asking, and the command that asks it (POSIX shell, one line)."""

    source: str
    why: str
    command: str

    @property
    def line(self) -> str:
        """Return the step as one line."""
        return f"{self.source}: {self.why}. Run: {self.command}"


def suggest_steps(
    rows: Sequence[Invocation],
    covered: Sequence[Covered],
    expected: Sequence[ExpectedSource],
    /,
    *,
    options: Options = NO_OPTIONS,
) -> tuple[NextStep, ...]:
    """Return at most ten steps, the same command once; `rows` and `expected` are those that `covered` was made of.

    `options` are by tool what its command needs to reach the same source.
    """
    names = {one.tool_name: one.name for one in covered}
    never = {(one.tool_name, one.source_name) for one in covered if one.state is CoverState.NEVER_ASKED}
    failed = [_again(row, names, why_failed(row), options) for row in rows if row.outcome is OutcomeKind.FAILURE]
    first = [_first(source, options) for source in expected if (source.tool_name, source.source_name) in never]
    empty = [_again(row, names, empty_words(row), options) for row in rows if row.outcome is OutcomeKind.NO_EVIDENCE]
    distinct: dict[str, NextStep] = {}
    for step in (*failed, *first, *empty):
        distinct.setdefault(step.command, step)
    return tuple(distinct.values())[:STEPS_SHOWN]


def call_command(tool_name: str, params: str, /, *, options: Sequence[str] = ()) -> str:
    """Return `groundtrace call TOOL PARAMS` for parameters that are JSON text, quoted for a POSIX shell.

    `options` are words that follow.
    """
    if len(params) > COMMAND_CHARACTERS:
        return f"groundtrace call {_quoted(tool_name)} PARAMS (too long to print: see the recorded call)"
    words = ("groundtrace", "call", _quoted(tool_name), _quoted(_printable(params)), *map(_quoted, options))
    return " ".join(words)


def _again(row: Invocation, names: dict[str, str], why: str, options: Options) -> NextStep:
    source = names.get(row.tool_name, one_line(row.tool_name, 120))
    command = call_command(row.tool_name, row.input_params, options=options.get(row.tool_name, ()))
    return NextStep(source=source, why=why, command=command)


def _first(source: ExpectedSource, options: Options) -> NextStep:
    params = json.dumps(dict(source.first_look), ensure_ascii=False, default=str)
    return NextStep(
        source=source_words(source.tool_name, source.source_name),
        why="it was never asked",
        command=call_command(source.tool_name, params, options=options.get(source.tool_name, ())),
    )


def _printable(params: str) -> str:
    """Write characters that a terminal would act on as JSON escapes, which mean the same inside JSON strings."""
    one_line = re.sub(r"[\t\r\n]", " ", params)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", one_line)


def _quoted(word: str) -> str:
    if _SAFE_WORD.fullmatch(word):
        return word
    return "'" + _HIDDEN.sub(" ", word).replace("'", "'\"'\"'") + "'"
