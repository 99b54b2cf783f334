"""Calls that a model asked for and that never reached a tool: a limit, a person or other middleware refused them."""

import threading
from collections import OrderedDict
from collections.abc import Collection

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from groundtrace.outcomes import FailureKind, failure_because
from groundtrace_app.frameworks.grounding import Grounding, Place
from groundtrace_app.frameworks.langchain.place import messages_in

TURNS_KEPT = 1_000


class Refusals:
    """Knows which calls of a turn were made; what was refused beside them is recorded as denied.

    Knows turns that began in this process only: of another one nobody can say here what was made.
    """

    def __init__(self, grounding: Grounding, /) -> None:
        """Know no turn yet."""
        self._grounding = grounding
        self._lock = threading.Lock()
        self._known: OrderedDict[str, set[str]] = OrderedDict()

    def begin(self, turn_id: str, /) -> None:
        """Know a turn from its beginning."""
        with self._lock:
            self._known[turn_id] = set()
            if len(self._known) > TURNS_KEPT:
                self._known.popitem(last=False)

    def made(self, turn_id: str, call_id: str | None, /) -> None:
        """Note that a call reached its tool, and leaves its own row."""
        with self._lock:
            self._known.get(turn_id, set()).add(call_id or "")

    def record(self, place: Place, state: object, tools: Collection[str] | None = None, /) -> None:
        """Record what was refused of the last calls in a state; with `tools`, of calls of these."""
        messages = _since_question(state)
        asking = next((one for one in reversed(messages) if isinstance(one, AIMessage) and one.tool_calls), None)
        if not isinstance(asking, AIMessage):
            return
        told = {one.tool_call_id: one for one in messages if isinstance(one, ToolMessage)}
        for call in asking.tool_calls:
            refused = told.get(call["id"] or "")
            known = tools is None or call["name"] in tools
            if known and refused is not None and refused.status == "error" and self._is_new(place, call["id"]):
                begun = self._grounding.begin(call["name"], call["args"], session_id=place[0], turn_id=place[1])
                begun.returned(failure_because(FailureKind.DENIED, refused.text))

    def _is_new(self, place: Place, call_id: str | None) -> bool:
        with self._lock:
            made = self._known.get(place.turn_id)
            if made is None or (call_id or "") in made:
                return False
            made.add(call_id or "")
            return True


def _since_question(state: object) -> list[BaseMessage]:
    """Return the messages of the turn that is under way."""
    messages = messages_in(state)
    asked = (number for number in reversed(range(len(messages))) if isinstance(messages[number], HumanMessage))
    return messages[next(asked, 0) :]
