"""The tool calls in the traffic between an MCP client and its server: messages in, calls opened and ended out.

Reads copies of JSON-RPC messages and holds what is open between them, no more: no pipes, no clock, no store. Answers
may come in any order; an id is a number or a text; requests of the server share the space of ids and are not mistaken
for answers. A call that waits as a task, or for more input of the user, stays open until its own result comes.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.json_text import JsonValue, fingerprint
from groundtrace.mcp_traffic_answers import Body, cancellation, outcome_of_error, outcome_of_result
from groundtrace.outcomes import FailureKind
from groundtrace.text import is_blank

MOST_OPEN = 1_000
"""So many calls may be open at once; the oldest beyond them ends as one whose result nobody kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOpened:
    """A client asked for a tool; `call` is its number in this traffic, from 1 on.

    `unseen` says in words what of the request was left out when it was read.
    """

    call: int
    tool: str
    params: JsonValue
    request_id: JsonValue
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """What the call of that number amounted to; told once a call."""

    call: int
    outcome: outcomes.Outcome


Event: TypeAlias = CallOpened | CallEnded
_Key: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class _Open:
    name: str
    keys: list[_Key] = field(default_factory=list)


class McpTraffic:
    """One client and one server; a builder that is fed in the order in which messages passed."""

    def __init__(self, *, most_open: int = MOST_OPEN) -> None:
        """Begin with nothing open."""
        self._most_open = most_open
        self._calls = 0
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._waiting: dict[_Key, deque[int]] = {}

    def __len__(self) -> int:
        """Return how many calls are open."""
        return len(self._open)

    def client_sent(self, message: JsonValue, /, *, marks: tuple[str, ...] = ()) -> tuple[Event, ...]:
        """Read what the client wrote: one message, or a batch of them; anything else opens and ends nothing.

        `marks` say what of a request was not seen.
        """
        return tuple(event for one in _messages(message) for event in self._from_client(one, marks))

    def server_sent(self, message: JsonValue, /, *, marks: tuple[str, ...] = ()) -> tuple[CallEnded, ...]:
        """Read what the server wrote; `marks` say what of an answer was not seen."""
        return tuple(event for one in _messages(message) for event in self._from_server(one, marks))

    def ended(self, outcome: outcomes.Outcome, /) -> tuple[CallEnded, ...]:
        """End all that is open, oldest first: no answer can come any more."""
        return tuple(self._end(call, outcome) for call in list(self._open))

    def request_ended(self, request_id: JsonValue, outcome: outcomes.Outcome, /) -> tuple[CallEnded, ...]:
        """End the call that waits for the answer to one request, if one does."""
        call = self._take(_request(request_id))
        return () if call is None else (self._end(call, outcome),)

    def _from_client(self, message: Body, marks: tuple[str, ...]) -> Iterator[Event]:
        params, id = _body(message.get("params")), message.get("id")
        match message.get("method"):
            case "tools/call" if _is_id(id):
                yield from self._called(id, params, marks)
            case "tasks/result" if _is_id(id) and (call := self._peek(_task(params.get("taskId")))):
                self._wait(call, _request(id))
            case "notifications/cancelled":
                yield from self.request_ended(params.get("requestId"), cancellation(params.get("reason")))
            case _:
                pass

    def _from_server(self, message: Body, marks: tuple[str, ...]) -> Iterator[CallEnded]:
        if "method" in message:
            yield from self._task_told(_body(message.get("params")))
            return
        result, error = message.get("result"), message.get("error")
        broken = isinstance(error, dict) or (error is not None and "result" not in message)
        if "result" not in message and not broken:
            return
        call = self._take(_request(message.get("id")))
        if call is None:
            yield from self._task_told(_body(result))
        elif broken:
            yield self._end(call, outcome_of_error(error))
        elif not self._goes_on(call, _body(result)):
            yield self._end(call, outcome_of_result(result, marks=marks))

    def _called(self, id: JsonValue, params: Body, marks: tuple[str, ...]) -> Iterator[Event]:
        name = params.get("name")
        tool = name if isinstance(name, str) and not is_blank(name) else "unnamed"
        again = self._take(_resumed(tool, params)) if _resumes(params) else None
        if again is not None:
            self._wait(again, _request(id))
            return
        self._calls += 1
        self._open[self._calls] = _Open(name=tool)
        self._wait(self._calls, _request(id))
        given = params.get("arguments") or {}
        yield CallOpened(call=self._calls, tool=tool, params=given, request_id=id, unseen=marks)
        if len(self._open) > self._most_open:
            why = f"more than {self._most_open:,} calls were open at once, and this was the oldest"
            yield self._end(next(iter(self._open)), outcomes.failure_because(FailureKind.NOT_RECORDED, why))

    def _goes_on(self, call: int, result: Body) -> bool:
        """Tell whether a result is none yet: a task that was begun, or a question to the user."""
        task = _body(result.get("task")).get("taskId")
        if isinstance(task, str):
            self._wait(call, _task(task))
            return True
        if result.get("resultType") == "input_required":
            self._wait(call, _resumed(self._open[call].name, result))
            return True
        return False

    def _task_told(self, told: Body) -> Iterator[CallEnded]:
        status, task = told.get("status"), told.get("taskId")
        kind = {"failed": FailureKind.ERROR, "cancelled": FailureKind.CANCELLED}.get(str(status))
        call = None if kind is None else self._take(_task(task))
        if kind is not None and call is not None:
            words = told.get("statusMessage")
            told_words = f": {words}" if isinstance(words, str) and not is_blank(words) else ""
            yield self._end(call, outcomes.failure_because(kind, f"the task {status}{told_words}"))

    def _wait(self, call: int, key: _Key) -> None:
        self._waiting.setdefault(key, deque()).append(call)
        self._open[call].keys.append(key)

    def _peek(self, key: _Key) -> int | None:
        waiting = self._waiting.get(key)
        return waiting[0] if waiting else None

    def _take(self, key: _Key) -> int | None:
        """Return the oldest call that waits under a key, and let it wait there no more."""
        call = self._peek(key)
        if call is not None:
            self._forget(call, key)
        return call

    def _forget(self, call: int, key: _Key) -> None:
        self._open[call].keys.remove(key)
        waiting = self._waiting[key]
        waiting.remove(call)
        if not waiting:
            del self._waiting[key]

    def _end(self, call: int, outcome: outcomes.Outcome) -> CallEnded:
        for key in list(self._open[call].keys):
            self._forget(call, key)
        del self._open[call]
        return CallEnded(call=call, outcome=outcome)


def _messages(value: JsonValue) -> list[Body]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _body(value: JsonValue) -> Body:
    return value if isinstance(value, dict) else {}


def _is_id(id: JsonValue) -> bool:
    return isinstance(id, str | int | float) and not isinstance(id, bool)


def _request(id: JsonValue) -> _Key:
    """Return the key of a request; 1 and 1.0 are one number, and the text "1" is another id."""
    if isinstance(id, float) and id.is_integer():
        id = int(id)
    return "request", f"{type(id).__name__} {id}"


def _task(id: JsonValue) -> _Key:
    return "task", str(id)


def _resumes(params: Body) -> bool:
    return "inputResponses" in params or "requestState" in params


def _resumed(tool: str, told: Body) -> _Key:
    """Return the key of a call that asked for input: what the server gave to be repeated, else the tool."""
    state = told.get("requestState")
    return "input", f"{tool} {fingerprint(state) if state is not None else ''}"
