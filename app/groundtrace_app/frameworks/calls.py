"""One tool call of an agent: the first of its ends that is told is recorded, and recording never breaks it.

What a `recorded` tool beneath saw of its own body counts before what came out of the framework.
"""

from groundtrace import outcomes
from groundtrace.classify import Classifier, classify_output
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.exceptions import failure_of
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.recorder import OpenCall, ToolInvocationRecorder
from groundtrace_app.under_way import UnderWay

_log = CarefulLog("groundtrace.recorder")


class BegunCall:
    """A call under way."""

    __slots__ = ("_call", "_classify", "_limit", "_recorder", "_under_way")

    def __init__(
        self,
        recorder: ToolInvocationRecorder,
        call: OpenCall,
        classify: Classifier | None,
        /,
        *,
        limit: int | None = None,
    ) -> None:
        """Record the end of `call`; `classify` reads what the tool returned before shapes and published rules do.

        `limit` is how many items the call itself asked for.
        """
        self._recorder = recorder
        self._limit = limit
        self._call: OpenCall | None = call
        self._classify = classify
        self._under_way = UnderWay(call.begun.tool_name)

    def returned(self, value: object, /) -> None:
        """Record what the tool returned, or an outcome that is known already."""
        try:
            outcome = self._own(value) or self._under_way.outcome or classify_output(value, limit=self._limit)
        except Exception as fault:  # noqa: BLE001 - whatever a value does when it is read, its call leaves a row
            why = f"the output could not be read: {type(fault).__name__}"
            outcome = outcomes.failure_because(FailureKind.BAD_OUTPUT, why)
        self._end(outcome)

    def raised(self, error: BaseException, /) -> None:
        """Record what the tool raised; a cancellation of its body is what made the framework raise."""
        seen = self._under_way.outcome
        told = isinstance(seen, outcomes.Failure) and seen.kind is not FailureKind.CANCELLED
        self._end(seen if told and seen is not None else failure_of(error))

    def _own(self, value: object) -> outcomes.Outcome | None:
        if self._classify is None:
            return None
        try:
            own: object = self._classify(value)
        except Exception as fault:  # noqa: BLE001 - a caller's classifier never breaks the call
            _log.error("a classifier raised %s and is passed over", type(fault).__name__)
            return None
        return own if isinstance(own, outcomes.Outcome) else None

    def _end(self, outcome: outcomes.Outcome) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        self._under_way.end()
        topic = self._under_way.topic_domain
        if topic is not None:
            call = call._replace(begun=call.begun._replace(topic_domain=topic))
        self._recorder.record(call, outcome)
