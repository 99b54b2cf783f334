"""What `gemini --output-format stream-json` prints: calls and results a line, and answers in pieces."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from groundtrace.transcripts.events import Answered, Asked, Called, Event, Returned, Skipped
from groundtrace.transcripts.fields import Body, body_of, moment_of, prose_of, text_of, word_of

PIECES_CHARACTERS = 4 * 1024 * 1024
"""So much of one answer is put together; what comes beyond is left out."""

_KINDS = frozenset({"init", "message", "tool_use", "tool_result", "result"})


def is_stream(body: Body, /) -> bool:
    """Tell whether a record alone shows this form."""
    kind = word_of(body.get("type"))
    if kind == "init":
        return "session_id" in body and "model" in body
    return kind in ("tool_use", "tool_result") and "tool_id" in body


def is_stream_kind(body: Body, /) -> bool:
    """Tell whether a record has a type of this form."""
    return word_of(body.get("type")) in _KINDS


@dataclass(slots=True)
class GeminiStream:
    """A stream under way: its session, and the answer of which pieces came."""

    session: str | None = None
    at: datetime | None = None
    place: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0

    def take(self, body: Body, place: str, /) -> Iterator[Event]:
        """Yield what a record tells; a piece of an answer tells it when the answer ends."""
        kind, at = word_of(body.get("type")), moment_of(body.get("timestamp"))
        if kind == "message" and word_of(body.get("role")) == "assistant":
            yield from self._said(body, place, at)
            return
        yield from self.ended()
        match kind:
            case "init":
                self.session = text_of(body.get("session_id")) or self.session
                yield Skipped(place=place, what="init", known=True)
            case "message" if word_of(body.get("role")) == "user":
                yield Asked(place=place, text=prose_of(body.get("content")), session=self.session, at=at)
            case "tool_use":
                yield self._called(body, place, at)
            case "tool_result":
                yield self._returned(body, place, at)
            case _:
                yield Skipped(place=place, what=f"type {kind!r}", known=kind == "result")

    def ended(self) -> Iterator[Event]:
        """Yield the answer whose pieces came, if there is one."""
        if self.pieces:
            yield Answered(place=self.place, text="".join(self.pieces), session=self.session, at=self.at)
        self.pieces, self.size = [], 0

    def _said(self, body: Body, place: str, at: datetime | None) -> Iterator[Event]:
        if body.get("delta") is not True:
            yield from self.ended()
        text = prose_of(body.get("content"))[: PIECES_CHARACTERS - self.size]
        self.place, self.at = place, at
        if text:
            self.pieces.append(text)
            self.size += len(text)

    def _called(self, body: Body, place: str, at: datetime | None) -> Called:
        return Called(
            place=place,
            call_id=text_of(body.get("tool_id")),
            tool_name=text_of(body.get("tool_name")) or "unnamed",
            arguments=body.get("parameters"),
            session=self.session,
            at=at,
        )

    def _returned(self, body: Body, place: str, at: datetime | None) -> Returned:
        status = word_of(body.get("status"))
        return Returned(
            place=place,
            call_id=text_of(body.get("tool_id")),
            output=body.get("output"),
            failed=None if status is None else status != "success",
            error=text_of(body_of(body.get("error")).get("message")),
            session=self.session,
            at=at,
        )
