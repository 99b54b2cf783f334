"""ToolBench: search trees whose nodes are thoughts, actions and their inputs; each node's call is read once.

The branches and messages that the file repeats beside its tree are the same calls again, and are left alone. `Finish`
is no tool: it gives the answer, or gives a branch up.
"""

import json
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.text import is_blank
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, number_of, text_of, word_of

_ACTION, _INPUT, _THOUGHT = "Action", "Action Input", "Thought"
_FINISH = "Finish"

_FINE, _DOUBTED = 0, 11
_CUT = "..."
_KINDS = MappingProxyType(
    {
        1: FailureKind.ERROR,
        2: FailureKind.ERROR,
        5: FailureKind.TIMEOUT,
        6: FailureKind.UNAVAILABLE,
        7: FailureKind.DENIED,
        8: FailureKind.DENIED,
        9: FailureKind.RATE_LIMITED,
        10: FailureKind.RATE_LIMITED,
        12: FailureKind.ERROR,
    }
)
"""What an observation's code declares: no such function, bad input, timeout, 404, and so on. 11 says no more than that
the answer has a word for an error in it, which titles and texts have too: the answer decides."""


CUT = "its recorder cut it"
DOUBTED = "its recorder found a word for an error in it"


class _Node(NamedTuple):
    body: Body
    action: str | None


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    if not isinstance(body.get("answer_generation"), dict):
        return False
    return "node_type" in body_of(body_of(body.get("tree")).get("tree")) or "trys" in body


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body, session = body_of(record.value), record.place or None
        if "tree" not in body and "trys" not in body:
            yield Skipped(place=record.place, what="no search tree", known=False)
            continue
        made = body_of(body.get("answer_generation"))
        yield Asked(place=record.place, text=text_of(made.get("query")) or "", session=session)
        for number, node in enumerate(_nodes(body), start=1):
            yield from _node(node, f"{record.place} node {number}".strip(), session)
        if text := _answer(made.get("final_answer")):
            yield Answered(place=record.place, text=text, session=session)
        yield Ended(session=session)


def _nodes(body: Body) -> Iterator[_Node]:
    """Yield the nodes of a tree, each before its children, or of chains that were tried one after the other."""
    waiting = [_Node(body_of(body_of(body.get("tree")).get("tree")), None)]
    while waiting:
        node = waiting.pop()
        yield node
        action = _named(node)
        waiting.extend(reversed([_Node(child, action) for child in bodies_of(node.body.get("children"))]))
    for chain in bodies_of(body.get("trys")):
        action = None
        for step in bodies_of(chain.get("chain")):
            node = _Node(step, action)
            yield node
            action = _named(node)


def _named(node: _Node) -> str | None:
    """Return the action that an input below a node belongs to."""
    return text_of(node.body.get("description")) if word_of(node.body.get("node_type")) == _ACTION else None


def _node(node: _Node, place: str, session: str | None) -> Iterator[Event]:
    body, kind = node.body, word_of(node.body.get("node_type"))
    if kind != _INPUT or (node.action is None and "observation" not in body):
        if body:
            yield Skipped(place=place, what=f"node {kind!r}", known=kind in (_ACTION, _THOUGHT, _INPUT))
        return
    if node.action == _FINISH:
        text = _answer(body.get("description"))
        yield Answered(place=place, text=text, session=session)
        return
    name = node.action or "unnamed"
    yield Called(place=place, call_id=place, tool_name=name, arguments=body.get("description"), session=session)
    if "observation" in body:
        yield _returned(body, place, session)


def _returned(body: Body, place: str, session: str | None) -> Returned:
    output, code = body["observation"], number_of(body.get("observation_code"))
    whole = _object(output)
    error = text_of(whole.get("error"))
    nothing = "response" not in whole or is_blank(str(whole["response"]))
    failed = code in _KINDS or (error is not None and nothing) or (False if code == _FINE and error is None else None)
    return Returned(
        place=place,
        call_id=place,
        output=output,
        failed=failed,
        error=error if failed else None,
        kind=_KINDS.get(code) if code is not None else None,
        partial=tuple(_marks(output, code)) if not whole else (),
        session=session,
    )


def _marks(output: JsonValue, code: int | None) -> Iterator[str]:
    """Yield what an answer that is not whole does not show: its end, and the flag beside it."""
    if isinstance(output, str) and output.startswith("{") and output.endswith(_CUT):
        yield CUT
    if code == _DOUBTED:
        yield DOUBTED


def _answer(given: JsonValue) -> str:
    """Return the text that `Finish` gives; a branch that was given up has none."""
    text = text_of(given)
    if text is None:
        return ""
    whole = _object(text)
    if "return_type" not in whole:
        return text
    return text_of(whole.get("final_answer")) or ""


def _object(value: JsonValue) -> Body:
    """Return the object that a text writes, an empty one for anything else."""
    if isinstance(value, str):
        try:
            return body_of(json.loads(value))
        except (ValueError, RecursionError):
            return {}
    return body_of(value)


TOOLBENCH = Format(
    name="toolbench",
    title="ToolBench search trees",
    fits=_fits,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"tree", "win", "answer_generation", "compare_candidates", "node_type", "observation"}),
)
