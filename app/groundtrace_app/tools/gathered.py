"""How both query tools turn what a source gave into an outcome: bounded text, partial told, empty told apart."""

from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Never

from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.material import note_line, time_text
from groundtrace.outcomes import NoEvidenceReason, Support, failure_because
from groundtrace.sources import Description, SourceError
from groundtrace_app.tools.answer import ToolAnswer

OUTPUT_BYTES = 1024 * 1024
"""The most that one call gives to the agent, in bytes of UTF-8."""

_NOTE_ROOM = 512
_NO_PROOF = "this is no proof that there is nothing: not all was seen"


def found(lines: Sequence[str], unseen: Sequence[str], /) -> ToolAnswer:
    """Return evidence: DIRECT if nothing was left unseen, else INDIRECT and partial.

    Lines are whole or not there: what does not fit is counted and told.
    """
    kept, told = _fitting(lines, unseen)
    text = "\n".join([*kept, *(note_line(words) for words in told)])
    support = Support.INDIRECT if told else Support.DIRECT
    return ToolAnswer(outcome=outcomes.Success(support=support, output=text, partial=tuple(told)), text=text)


def nothing(reason: NoEvidenceReason, words: str, unseen: Sequence[str], /, *, held: str = "") -> ToolAnswer:
    """Return an empty answer; what was not seen makes it `partial_empty` where it could have held the missing.

    `held` is what `reach` tells of the source, in a note of its own.
    """
    told = [words, *([held] if held else []), *unseen, *([_NO_PROOF] if unseen else [])]
    text = "\n".join(note_line(line) for line in told)
    reason = NoEvidenceReason.PARTIAL_EMPTY if unseen and reason is NoEvidenceReason.NO_MATCH else reason
    return ToolAnswer(outcome=outcomes.NoEvidence(reason=reason, output=text, partial=tuple(unseen)), text=text)


def failed(error: SourceError, /) -> Result[ToolAnswer, Never]:
    """Return a source's error as a Failure of its kind."""
    failure = failure_because(error.kind, error.message, retryable=error.retryable)
    return result.Success(_refused(failure))


def refusing(failure: outcomes.Failure, /) -> Result[Coroutine[None, None, ToolAnswer], Never]:
    """Return what gives a Failure without asking the source."""

    async def refuse() -> ToolAnswer:
        return _refused(failure)

    return result.Success(refuse())


def described(description: Result[Description, SourceError], /, *, name: str) -> Description:
    """Return a source's description; of one that cannot give it, an empty one that says why under `unseen`."""
    return description.lash(
        lambda error: result.Success(Description(name=name, unseen=(f"the source cannot be read: {error.message}",)))
    ).unwrap()


def reach(description: Result[Description, SourceError], /) -> str:
    """Return in words from when to when a source's data reach: an empty window outside of it proves nothing."""
    return description.map(_reach).value_or("")


def window(start: datetime | None, end: datetime | None, /) -> str:
    """Return a window in words, blank if it is open at both ends."""
    since = f" from {time_text(start)}" if start else ""
    until = f" to {time_text(end)}" if end else ""
    return f"{since}{until}"


def _reach(description: Description) -> str:
    if description.earliest is None or description.latest is None:
        return ""
    return f"what is held reaches from {time_text(description.earliest)} to {time_text(description.latest)}"


def _refused(failure: outcomes.Failure) -> ToolAnswer:
    return ToolAnswer(outcome=failure, text=note_line(f"the call failed: {failure.message}"))


def _fitting(lines: Sequence[str], unseen: Sequence[str]) -> tuple[list[str], list[str]]:
    told = list(unseen)
    room = OUTPUT_BYTES - sum(len(note_line(words).encode(errors="replace")) + 1 for words in told) - _NOTE_ROOM
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode(errors="replace")) + 1
        if room < 0:
            told.append(
                f"{len(lines) - len(kept):,} of {len(lines):,} found do not fit in {OUTPUT_BYTES:,} bytes: narrow it"
            )
            break
        kept.append(line)
    return kept, told
