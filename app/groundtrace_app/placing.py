"""What the user of `recorded` asked for, and where a call is recorded: as they said, else the recording around it."""

from collections.abc import Callable
from dataclasses import dataclass

from groundtrace.classify import Classifier
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.shape import Shape
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.active_recording import NO_SESSION, Recording, active_recording
from groundtrace_app.recorder import ToolInvocationRecorder

_log = CarefulLog("groundtrace.recorder")


@dataclass(frozen=True, slots=True, kw_only=True)
class HowRecorded:
    """What the user of `recorded` asked for; ValueError where `classify` names no shape."""

    tool_name: str | None = None
    topic_domain: str | None = None
    classify: Classifier | Shape | str | None = None
    shapes: Shapes | None = None
    recorder: ToolInvocationRecorder | None = None
    session_id: str | Callable[[], str] | None = None
    turn_id: str | None = None

    def __post_init__(self) -> None:
        """Refuse the name of a shape that nobody knows."""
        known = self.shapes or KNOWN_SHAPES
        if isinstance(self.classify, str) and known.named(self.classify) is None:
            names = ", ".join(shape.name for shape in known)
            raise ValueError(f"no declared shape is named {self.classify!r}; there are {names}")

    @property
    def names_its_place(self) -> bool:
        """Tell whether a recorder or a session was named: then each call leaves its row there."""
        return self.recorder is not None or self.session_id is not None

    @property
    def shape(self) -> Shape | None:
        """Return the shape that was asked for."""
        if isinstance(self.classify, str):
            return (self.shapes or KNOWN_SHAPES).named(self.classify)
        return self.classify if isinstance(self.classify, Shape) else None

    @property
    def classifier(self) -> Classifier | None:
        """Return the user's own function."""
        return None if isinstance(self.classify, str | Shape) else self.classify


class Place:
    """Where the calls of one tool go; of them it remembers only whether it has warned."""

    __slots__ = ("_fixed", "_how", "_warned")

    def __init__(self, how: HowRecorded, /) -> None:
        """Hold what was asked for; what names both recorder and session is the same for every call."""
        self._how = how
        self._fixed = _fixed(how)
        self._warned = False

    def recording(self, tool_name: str, /) -> Recording | None:
        """Return where this call goes: as the user of `recorded` said, else the recording around it."""
        if self._fixed is not None:
            return self._fixed
        how = self._how
        if how.recorder is not None and how.session_id is not None:
            return self._within(None, tool_name)
        around = active_recording()
        if around is None and how.recorder is None:
            self._warn("%s is called and not recorded: no `recording` is open around the call", tool_name)
            return None
        into = self._within(around, tool_name)
        if into is not None and into.session_id == NO_SESSION:
            self._warn("%s is called by a thread of no recording, and kept by itself: see `Recording.bound`", tool_name)
        return into

    def _within(self, around: Recording | None, tool_name: str) -> Recording | None:
        how = self._how
        if how.recorder is None and how.session_id is None and how.turn_id is None:
            return around
        recorder = how.recorder or (around.recorder if around else None)
        if recorder is None:
            return None
        session_id = _asked(how.session_id, tool_name) if how.session_id is not None else NO_SESSION
        return Recording(
            recorder=recorder,
            session_id=session_id or (around.session_id if around else NO_SESSION),
            turn_id=how.turn_id or (around.turn_id if around else None),
            shapes=around.shapes if around else KNOWN_SHAPES,
        )

    def _warn(self, words: str, tool_name: str) -> None:
        if not self._warned:
            self._warned = True
            _log.warning(words, tool_name)


def _asked(session_id: str | Callable[[], str], tool_name: str) -> str:
    if not callable(session_id):
        return session_id
    try:
        return session_id()
    except Exception as fault:  # noqa: BLE001 - a caller's session function never breaks the call
        _log.error("the session of a call of %s is unknown: %s", tool_name, type(fault).__name__)
        return NO_SESSION


def _fixed(how: HowRecorded, /) -> Recording | None:
    """Return where all calls go that name both the recorder and the session."""
    if how.recorder is None or not isinstance(how.session_id, str):
        return None
    shapes = how.shapes or KNOWN_SHAPES
    return Recording(recorder=how.recorder, session_id=how.session_id, turn_id=how.turn_id, shapes=shapes)
