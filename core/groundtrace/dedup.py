"""When a knowledge call only repeats an earlier one of its session, and of what it is a repeat (DESIGN section 6).

Decisions on values only: what is held and readable, and who waits for whom, is the caller's. No clock is asked, so
one that goes back changes nothing; a row that has expired is one that is no longer in the history.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias
from unicodedata import normalize

from groundtrace.outcomes import OutcomeKind
from groundtrace.sources import Passage
from groundtrace.text import is_blank

DEDUPED_TOOLS = frozenset({"lookup_knowledge"})
"""Tools whose calls may repeat; logs and metrics change with time and are always asked again."""

DocumentKey: TypeAlias = tuple[str, str]
"""What makes a delivered piece the same piece: its address and the hash of its content."""

_REPEATABLE = frozenset({OutcomeKind.SUCCESS, OutcomeKind.NO_EVIDENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCall:
    """One earlier call of the session. `of` are the calls that a Deduped repeats, the first one first.

    `key` is its `dedup_key`, None where it has none. `readable` tells whether its whole result can still be given:
    held in this process, or stored with `output_state` full.
    """

    id: str
    key: str | None
    outcome: OutcomeKind
    readable: bool = True
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The call has to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """The call is not run: it repeats `of`, real calls that completed, the first one first.

    `source` is the call whose stored text answers, `inherited` the outcome of the first of `of`, and `times` tells
    how many calls with this key there are now, this one included.
    """

    of: tuple[str, ...]
    source: str
    inherited: OutcomeKind
    times: int


def dedup_key(tool: str, session_id: str | None, params: object, /, *, revision: str) -> str | None:
    """Return what two calls must share to be one; None for a call that is never shared.

    Never shared are other tools than `DEDUPED_TOOLS`, a session without a name, and parameters that are no JSON.
    The query counts without outer white space and in one Unicode composition, every other parameter as typed; order
    of keys does not matter, null equals absent, and JSON text of an object equals the object.
    """
    if tool not in DEDUPED_TOOLS or session_id is None or is_blank(session_id):
        return None
    try:
        text = json.dumps([tool, session_id, revision, _normal(_decoded(params))], sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return None
    return sha256(text.encode("ascii")).hexdigest()


def decide_repeat(history: Sequence[EarlierCall], /, *, key: str | None) -> Run | Repeat:
    """Return whether a call under `key` repeats the latest one of its key; `history` is in order, oldest first.

    It does only if that call, or what it repeats, completed and can still be read. After a Failure it runs.
    """
    if key is None:
        return Run()
    same = [call for call in history if call.key == key]
    if not same:
        return Run()
    by_id = {call.id: call for call in history}
    source = _source(same[-1], by_id, key)
    real = _real_calls(source, by_id) if source is not None else ()
    if source is None or not real or not all(call.readable and call.outcome in _REPEATABLE for call in real):
        return Run()
    return Repeat(of=tuple(call.id for call in real), source=source.id, inherited=real[0].outcome, times=len(same) + 1)


def split_seen(
    passages: Iterable[Passage], /, *, given: Mapping[DocumentKey, str]
) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """Return the passages that are new, and the ids of the calls that gave the others, each once, in order.

    `given` maps what the session was given, and can still read, to the call that gave it first.
    """
    new: list[Passage] = []
    calls: dict[str, None] = {}
    for passage in passages:
        giver = given.get(document_key(passage))
        if giver is None:
            new.append(passage)
        else:
            calls[giver] = None
    return tuple(new), tuple(calls)


def document_key(passage: Passage, /) -> DocumentKey:
    """Return what makes a passage the same piece when it is found again."""
    return passage.uri, passage.content_hash


def _source(call: EarlierCall, by_id: Mapping[str, EarlierCall], key: str) -> EarlierCall | None:
    """Follow a chain of repeats under one key back to the call that ran; None where it is broken or turns round."""
    seen: set[str] = set()
    while call.outcome is OutcomeKind.DEDUPED:
        seen.add(call.id)
        before = by_id.get(call.of[0]) if call.of else None
        if before is None or before.id in seen:
            return None
        if before.key != key:
            return call if call.readable else None
        call = before
    return call


def _real_calls(source: EarlierCall, by_id: Mapping[str, EarlierCall]) -> tuple[EarlierCall, ...]:
    """Return the calls that `source` stands for: itself if it ran, else all that gave its documents before."""
    if source.outcome is not OutcomeKind.DEDUPED:
        return (source,)
    found = tuple(by_id[id] for id in source.of if id in by_id)
    return found if len(found) == len(source.of) else ()


def _decoded(params: object) -> object:
    if not isinstance(params, str):
        return params
    try:
        value: object = json.loads(params)
    except ValueError:
        return params
    return value if isinstance(value, dict) else params


def _normal(params: object) -> object:
    if not isinstance(params, Mapping):
        return params
    query = params.get("query")
    plain = {**params, "query": normalize("NFC", query.strip())} if isinstance(query, str) else params
    return _without_nulls(plain)


def _without_nulls(value: object) -> object:
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("the keys of a JSON object are text")
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return list(value) if isinstance(value, tuple) else value
