"""One wrapped tool and its calls under way: each leaves one row, however it ends, and recording never breaks it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groundtrace import outcomes
from groundtrace.classify import Classifier, classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace.shapes.asked import limit_of
from groundtrace.shapes.exceptions import failure_of
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.shape import Shape
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.active_recording import NO_SESSION, Recording, active_recording
from groundtrace_app.recorder import OpenCall, ToolInvocationRecorder
from groundtrace_app.stream import Stream

_log = CarefulLog("groundtrace.recorder")
_OUTCOMES = (outcomes.Success, outcomes.NoEvidence, outcomes.Deduped, outcomes.Failure)


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
    def shape(self) -> Shape | None:
        """Return the shape that was asked for."""
        if isinstance(self.classify, str):
            return (self.shapes or KNOWN_SHAPES).named(self.classify)
        return self.classify if isinstance(self.classify, Shape) else None

    @property
    def classifier(self) -> Classifier | None:
        """Return the user's own function."""
        return None if isinstance(self.classify, str | Shape) else self.classify


class Watch:
    """How the calls of one tool are recorded, and where; of its calls it remembers only whether it has warned."""

    __slots__ = ("_classifier", "_fixed", "_how", "_is_method", "_shape", "_signature", "_warned", "tool_name")

    def __init__(
        self, how: HowRecorded, /, *, tool_name: str, signature: inspect.Signature | None, is_method: bool
    ) -> None:
        """Watch a tool of that name and signature; the first argument of a method is its object, and is left out."""
        self.tool_name = how.tool_name or tool_name
        self._how, self._signature, self._is_method = how, signature, is_method
        self._shape, self._classifier = how.shape, how.classifier
        self._fixed = _fixed(how)
        self._warned = False

    def open(self, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> "WatchedCall":
        """Begin a call; its parameters are kept as they are now. Where nothing is recorded it leaves no row."""
        into = self._recording()
        if into is None:
            return WatchedCall(self, None, None, None)
        params = self._parameters(args, kwargs)
        call = into.recorder.open(
            self.tool_name,
            params,
            session_id=into.session_id,
            turn_id=into.turn_id,
            topic_domain=self._how.topic_domain,
        )
        return WatchedCall(self, into, call, limit_of(params))

    def outcome_of(self, value: object, into: Recording, limit: int | None, /) -> outcomes.Outcome:
        """Return what a returned value amounts to: by the tool's own classifier, else by shapes and published rules."""
        own: object = None
        try:
            own = self._classifier(value) if self._classifier is not None else None
        except Exception as fault:  # noqa: BLE001 - a caller's classifier never breaks the call
            _log.error("the classifier of %s raised %s and is passed over", self.tool_name, type(fault).__name__)
        if isinstance(own, _OUTCOMES):
            return own
        if own is not None:
            _log.error("the classifier of %s gave no outcome and is passed over", self.tool_name)
        return classify_output(value, shapes=self.shapes(into), shape=self._shape, limit=limit)

    def shapes(self, into: Recording, /) -> Shapes:
        """Return the shapes that the tool's values are read by."""
        return self._how.shapes or into.shapes

    def reads(self, value: object, into: Recording, /) -> bool:
        """Tell whether an object that could be consumed is read without that, by a shape of its class."""
        return self._shape is not None or self.shapes(into).of_object(value) is not None

    def _recording(self) -> Recording | None:
        """Return where this call goes: as the user of `recorded` said, else the recording around it."""
        if self._fixed is not None:
            return self._fixed
        how = self._how
        if how.recorder is not None and how.session_id is not None:
            return self._within(None)
        around = active_recording()
        if around is None and how.recorder is None:
            self._warn("%s is called and not recorded: no `recording` is open around the call")
            return None
        into = self._within(around)
        if into is not None and into.session_id == NO_SESSION:
            self._warn("%s is called by a thread of no recording, and kept by itself: see `Recording.bound`")
        return into

    def _within(self, around: Recording | None) -> Recording | None:
        how = self._how
        if how.recorder is None and how.session_id is None and how.turn_id is None:
            return around
        recorder = how.recorder or (around.recorder if around else None)
        if recorder is None:
            return None
        session_id = self._session(how.session_id) if how.session_id is not None else NO_SESSION
        return Recording(
            recorder=recorder,
            session_id=session_id or (around.session_id if around else NO_SESSION),
            turn_id=how.turn_id or (around.turn_id if around else None),
            shapes=around.shapes if around else KNOWN_SHAPES,
        )

    def _warn(self, words: str) -> None:
        if not self._warned:
            self._warned = True
            _log.warning(words, self.tool_name)

    def _session(self, session_id: str | Callable[[], str]) -> str:
        if not callable(session_id):
            return session_id
        try:
            return session_id()
        except Exception as fault:  # noqa: BLE001 - a caller's session function never breaks the call
            _log.error("the session of a call of %s is unknown: %s", self.tool_name, type(fault).__name__)
            return NO_SESSION

    def _parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        try:
            bound = None if self._signature is None else self._signature.bind(*args, **kwargs)
        except TypeError:
            bound = None
        return (
            {"args": list(args), "kwargs": kwargs} if bound is None else _by_name(bound, without_first=self._is_method)
        )


def _fixed(how: HowRecorded, /) -> Recording | None:
    """Return where all calls go that name both the recorder and the session."""
    if how.recorder is None or not isinstance(how.session_id, str):
        return None
    shapes = how.shapes or KNOWN_SHAPES
    return Recording(recorder=how.recorder, session_id=how.session_id, turn_id=how.turn_id, shapes=shapes)


def _by_name(bound: inspect.BoundArguments, /, *, without_first: bool) -> object:
    """Return arguments by name; `**rest` is spread. A tool that takes one mapping is asked with that mapping."""
    given = dict(bound.arguments)
    kinds = {name: parameter.kind for name, parameter in bound.signature.parameters.items()}
    if without_first:
        first = next(iter(kinds))
        del kinds[first], given[first]
    (sole,) = given.values() if len(kinds) == len(given) == 1 else (None,)
    if issubclass(type(sole), Mapping):
        return sole
    for name in given.keys() & {name for name, kind in kinds.items() if kind is inspect.Parameter.VAR_KEYWORD}:
        given.update(given.pop(name))
    return given


class WatchedCall:
    """A call under way; the first of its ends that is told is recorded, the others are dropped."""

    __slots__ = ("__weakref__", "_call", "_into", "_limit", "_watch")

    def __init__(self, watch: Watch, into: Recording | None, call: OpenCall | None, limit: int | None, /) -> None:
        """Watch a call that was opened; None: it is not recorded."""
        self._watch = watch
        self._into = into
        self._call = call
        self._limit = limit

    def returned(self, value: object, /) -> None:
        """Record what the tool returned."""
        self._record(lambda into: self._watch.outcome_of(value, into, self._limit))

    def raised(self, error: BaseException, /, *, so_far: Stream | None = None) -> None:
        """Record what the tool raised, with what its stream had given by then."""
        self._record(lambda into: failure_of(error, output=so_far.output() if so_far is not None else None))

    def ended(self, stream: Stream, /, *, left: bool) -> None:
        """Record a stream that gave its last item, or that its reader `left` before."""
        unseen = (f"the reader left the stream after {stream.count} items",) if left else ()
        self._record(lambda into: self._outcome_of_stream(stream, (*unseen, *stream.left_out()), into))

    def unread(self, what: str, /) -> None:
        """Record a call that gave something which is read later, out of our sight, or never."""
        self._record(lambda into: outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(what,)))

    def handed_on(self, value: object, what: str, /) -> None:
        """Record a lazy object by the shape of its class, which reads without consuming; else as `unread`."""
        into = self._into
        if into is not None and self._watch.reads(value, into):
            self.returned(value)
        else:
            self.unread(what)

    def _outcome_of_stream(self, stream: Stream, unseen: tuple[str, ...], into: Recording) -> outcomes.Outcome:
        if not unseen:
            return self._watch.outcome_of(stream.value(), into, self._limit)
        output = stream.output()
        if output is None:
            return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=unseen)
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=unseen)

    def _record(self, outcome: Callable[[Recording], outcomes.Outcome]) -> None:
        (call, self._call), into = (self._call, None), self._into
        if call is None or into is None:
            return
        try:
            known = outcome(into)
        except Exception as fault:  # noqa: BLE001 - whatever a value does when it is read, its call leaves a row
            why = f"the output could not be read: {type(fault).__name__}"
            known = outcomes.failure_because(FailureKind.BAD_OUTPUT, why)
        into.recorder.record(call, known)
