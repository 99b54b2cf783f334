"""One wrapped tool and its calls under way: each leaves one row, however it ends, and recording never breaks it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groundtrace import outcomes
from groundtrace.classify import Classifier, classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.recorder import OpenCall, ToolInvocationRecorder
from groundtrace_app.stream import Stream

_log = CarefulLog("groundtrace.recorder")
_OUTCOMES = (outcomes.Success, outcomes.NoEvidence, outcomes.Deduped, outcomes.Failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How the calls of one tool are recorded; holds nothing between them."""

    recorder: ToolInvocationRecorder
    session_id: Callable[[], str]
    turn_id: str | None
    tool_name: str
    topic_domain: str | None
    classify: Classifier | None
    signature: inspect.Signature | None
    is_method: bool

    def open(self, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> "WatchedCall":
        """Begin a call; its parameters are kept as they are now."""
        call = self.recorder.open(
            self.tool_name,
            self._parameters(args, kwargs),
            session_id=self._session(),
            turn_id=self.turn_id,
            topic_domain=self.topic_domain,
        )
        return WatchedCall(self, call)

    def outcome_of(self, value: object, /) -> outcomes.Outcome:
        """Return what a returned value amounts to: by the tool's own classifier, else by the published rules."""
        own: object = None
        try:
            own = self.classify(value) if self.classify is not None else None
        except Exception as fault:  # noqa: BLE001 - a caller's classifier never breaks the call
            _log.error("the classifier of %s raised %s and is passed over", self.tool_name, type(fault).__name__)
        if isinstance(own, _OUTCOMES):
            return own
        if own is not None:
            _log.error("the classifier of %s gave no outcome and is passed over", self.tool_name)
        return classify_output(value)

    def _session(self) -> str:
        try:
            return self.session_id()
        except Exception as fault:  # noqa: BLE001 - a caller's session function never breaks the call
            _log.error("the session of a call of %s is unknown: %s", self.tool_name, type(fault).__name__)
            return ""

    def _parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        try:
            bound = None if self.signature is None else self.signature.bind(*args, **kwargs)
        except TypeError:
            bound = None
        return (
            {"args": list(args), "kwargs": kwargs} if bound is None else _by_name(bound, without_first=self.is_method)
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


class WatchedCall:
    """A call under way; the first of its ends that is told is recorded, the others are dropped."""

    __slots__ = ("__weakref__", "_call", "_watch")

    def __init__(self, watch: Watch, call: OpenCall, /) -> None:
        """Watch a call that was opened."""
        self._watch = watch
        self._call: OpenCall | None = call

    def returned(self, value: object, /) -> None:
        """Record what the tool returned."""
        self._record(lambda: self._watch.outcome_of(value))

    def raised(self, error: BaseException, /, *, so_far: Stream | None = None) -> None:
        """Record what the tool raised, with what its stream had given by then."""
        self._record(lambda: outcomes.failure_from(error, output=so_far.output() if so_far is not None else None))

    def ended(self, stream: Stream, /, *, left: bool) -> None:
        """Record a stream that gave its last item, or that its reader `left` before."""
        unseen = (f"the reader left the stream after {stream.count} items",) if left else ()
        self._record(lambda: self._outcome_of_stream(stream, (*unseen, *stream.left_out())))

    def unread(self, what: str, /) -> None:
        """Record a call that gave something which is read later, out of our sight, or never."""
        self._record(lambda: outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(what,)))

    def _outcome_of_stream(self, stream: Stream, unseen: tuple[str, ...]) -> outcomes.Outcome:
        if not unseen:
            return self._watch.outcome_of(stream.value())
        output = stream.output()
        if output is None:
            return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=unseen)
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=unseen)

    def _record(self, outcome: Callable[[], outcomes.Outcome]) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        try:
            known = outcome()
        except Exception as fault:  # noqa: BLE001 - whatever a value does when it is read, its call leaves a row
            why = f"the output could not be read: {type(fault).__name__}"
            known = outcomes.failure_because(FailureKind.BAD_OUTPUT, why)
        self._watch.recorder.record(call, known)
