"""One wrapped tool and its calls under way: each leaves one row, however it ends, and recording never breaks it."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace.shapes.asked import limit_of
from groundtrace.shapes.exceptions import failure_of
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.active_recording import active_recording
from groundtrace_app.placing import HowRecorded, Place
from groundtrace_app.stream import Stream
from groundtrace_app.under_way import call_around

Tell: TypeAlias = Callable[[outcomes.Outcome], object]

_log = CarefulLog("groundtrace.recorder")
_OUTCOMES = (outcomes.Success, outcomes.NoEvidence, outcomes.Deduped, outcomes.Failure)


class Watch:
    """How the calls of one tool are recorded; holds nothing between them."""

    __slots__ = ("_classifier", "_how", "_is_method", "_place", "_shape", "_signature", "tool_name")

    def __init__(
        self, how: HowRecorded, /, *, tool_name: str, signature: inspect.Signature | None, is_method: bool
    ) -> None:
        """Watch a tool of that name and signature; the first argument of a method is its object, and is left out."""
        self.tool_name = how.tool_name or tool_name
        self._how, self._signature, self._is_method = how, signature, is_method
        self._shape, self._classifier = how.shape, how.classifier
        self._place = Place(how)

    def open(self, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> "WatchedCall":
        """Begin a call; its parameters are kept as they are now. Where nothing is recorded it leaves no row.

        Within a call that a framework records of the same tool it leaves none either, and tells that one its outcome.
        """
        around = None if self._how.names_its_place else call_around(self.tool_name)
        if around is not None:
            around.topic_domain = self._how.topic_domain
            return WatchedCall(self, _shapes_around(), around.tell, limit_of(self._parameters(args, kwargs)))
        into = self._place.recording(self.tool_name)
        if into is None:
            return WatchedCall(self, KNOWN_SHAPES, None, None)
        params = self._parameters(args, kwargs)
        call = into.recorder.open(
            self.tool_name,
            params,
            session_id=into.session_id,
            turn_id=into.turn_id,
            topic_domain=self._how.topic_domain,
        )
        recorder = into.recorder

        def record(outcome: outcomes.Outcome) -> None:
            recorder.record(call, outcome)

        return WatchedCall(self, into.shapes, record, limit_of(params))

    def outcome_of(self, value: object, shapes: Shapes, limit: int | None, /) -> outcomes.Outcome:
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
        return classify_output(value, shapes=self.shapes(shapes), shape=self._shape, limit=limit)

    def shapes(self, around: Shapes, /) -> Shapes:
        """Return the shapes that the tool's values are read by: its own, else those of the recording."""
        return self._how.shapes or around

    def reads(self, value: object, around: Shapes, /) -> bool:
        """Tell whether an object that could be consumed is read without that, by a shape of its class."""
        return self._shape is not None or self.shapes(around).of_object(value) is not None

    def _parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        try:
            bound = None if self._signature is None else self._signature.bind(*args, **kwargs)
        except TypeError:
            bound = None
        return (
            {"args": list(args), "kwargs": kwargs} if bound is None else _by_name(bound, without_first=self._is_method)
        )


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


def _shapes_around() -> Shapes:
    around = active_recording()
    return KNOWN_SHAPES if around is None else around.shapes


class WatchedCall:
    """A call under way; the first of its ends that is told is recorded, the others are dropped."""

    __slots__ = ("__weakref__", "_limit", "_shapes", "_tell", "_watch")

    def __init__(self, watch: Watch, shapes: Shapes, tell: Tell | None, limit: int | None, /) -> None:
        """Watch a call whose outcome `tell` is told; None: it is not recorded."""
        self._watch = watch
        self._shapes = shapes
        self._tell = tell
        self._limit = limit

    def returned(self, value: object, /) -> None:
        """Record what the tool returned."""
        self._record(lambda: self._watch.outcome_of(value, self._shapes, self._limit))

    def raised(self, error: BaseException, /, *, so_far: Stream | None = None) -> None:
        """Record what the tool raised, with what its stream had given by then."""
        self._record(lambda: failure_of(error, output=so_far.output() if so_far is not None else None))

    def ended(self, stream: Stream, /, *, left: bool) -> None:
        """Record a stream that gave its last item, or that its reader `left` before."""
        unseen = (f"the reader left the stream after {stream.count} items",) if left else ()
        self._record(lambda: self._outcome_of_stream(stream, (*unseen, *stream.left_out())))

    def unread(self, what: str, /) -> None:
        """Record a call that gave something which is read later, out of our sight, or never."""
        self._record(lambda: outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(what,)))

    def handed_on(self, value: object, what: str, /) -> None:
        """Record a lazy object by the shape of its class, which reads without consuming; else as `unread`."""
        if self._watch.reads(value, self._shapes):
            self.returned(value)
        else:
            self.unread(what)

    def _outcome_of_stream(self, stream: Stream, unseen: tuple[str, ...]) -> outcomes.Outcome:
        if not unseen:
            return self._watch.outcome_of(stream.value(), self._shapes, self._limit)
        output = stream.output()
        if output is None:
            return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=unseen)
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=unseen)

    def _record(self, outcome: Callable[[], outcomes.Outcome]) -> None:
        tell, self._tell = self._tell, None
        if tell is None:
            return
        try:
            known = outcome()
        except Exception as fault:  # noqa: BLE001 - whatever a value does when it is read, its call leaves a row
            why = f"the output could not be read: {type(fault).__name__}"
            known = outcomes.failure_because(FailureKind.BAD_OUTPUT, why)
        tell(known)
