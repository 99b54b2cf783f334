"""The tool `lookup_knowledge`: a thin shell over a `KnowledgeSource` that gives a session nothing twice."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import assert_never

from returns.result import Result

from groundtrace import outcomes
from groundtrace.dedup import DocumentKey, EarlierCall, dedup_key, document_key, split_seen
from groundtrace.invocation import Invocation
from groundtrace.outcomes import DedupReason, OutcomeKind
from groundtrace.ports import KnowledgeSource
from groundtrace.relevance import FLOOR, deliver, deliver_fetched, recount, retrieval_outcome
from groundtrace.retrieval import Mode, Retrieval
from groundtrace.roles import ToolSpec
from groundtrace.sources import Description, KnowledgeAnswer, Passage, SourceError
from groundtrace.text import is_blank
from groundtrace_app.deadline import within
from groundtrace_app.loop import in_own_thread
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_app.tools.gathered import described, failed, refusing
from groundtrace_app.tools.lookup_history import held_from
from groundtrace_app.tools.lookup_params import PARAMETERS, LookupParams, read_lookup
from groundtrace_app.tools.lookup_words import empty_text, given_text, repeat_text, seen_text
from groundtrace_app.tools.repeats import Follow, Held, Known, Lead, Repeats

WAIT_SECONDS = 10.0
"""How long a call waits for another one that asks the same, and for a store's earlier rows."""

TEXT_CHARACTERS = 150_000
"""The longest text of one passage; a longer one is cut, and the answer is partial."""

History = Callable[[str], Sequence[Invocation]]
"""Gives a session's earlier rows in their order; it blocks, and is called in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One call on its way: `key` is None where it is shared with nobody."""

    session_id: str
    id: str
    key: str | None
    params: LookupParams
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a source gave, once the floor was applied."""

    retrieval: Retrieval
    passages: tuple[Passage, ...]
    unseen: tuple[str, ...]


class LookupKnowledgeTool:
    """Looks knowledge up by words or by address.

    One instance serves all sessions of a process. `history` gives rows of earlier processes, of which those with a
    wholly stored text may be repeated too. `wait_seconds` bounds how long a call waits for its twin.
    """

    name = "lookup_knowledge"
    retrieves = True

    def __init__(
        self,
        source: KnowledgeSource,
        /,
        *,
        history: History | None = None,
        repeats: Repeats | None = None,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Look up in `source`; tools over one source may share their `repeats`."""
        self._source = source
        self._history = history
        self._repeats = repeats or Repeats()
        self._wait_seconds = wait_seconds

    async def describe(self) -> ToolSpec:
        """Return what the planner may know; a source that cannot describe itself says why under `unseen`."""
        return ToolSpec(
            name=self.name,
            purpose="find what runbooks and other documents say",
            parameters=PARAMETERS,
            source=described(await self._source.describe(), name=self.name),
        )

    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Look up once, unless the session asked the same before and can still read what it was given."""

        checked = read_lookup(params)
        return await checked.map(lambda one: self._asked(params, one, session_id, call_id)).lash(refusing).unwrap()

    async def _asked(
        self, given: Mapping[str, object], params: LookupParams, session_id: str, call_id: str
    ) -> ToolAnswer:
        def call(description: Description) -> _Call:
            revision = description.revision
            key = dedup_key(self.name, session_id, given, revision=revision)
            return _Call(session_id=session_id, id=call_id, key=key, params=params, revision=revision)

        ready = (await self._source.describe()).map(call).alt(_as_failure)
        return await ready.map(self._answer).lash(refusing).unwrap()

    async def _answer(self, call: _Call) -> ToolAnswer:
        if call.key is None:
            return await self._run(call)
        await self._recall(call.session_id)
        until = monotonic() + self._wait_seconds
        while (left := until - monotonic()) > 0:
            match step := self._repeats.begin(call.session_id, call.key):
                case Known():
                    return self._known(call, step)
                case Follow():
                    await asyncio.wait({asyncio.wrap_future(step.ended)}, timeout=left)
                case Lead():
                    try:
                        return await self._run(call)
                    finally:
                        self._repeats.end(call.session_id, call.key)
                case _:
                    assert_never(step)
        return await self._run(call)

    async def _recall(self, session_id: str) -> None:
        """Remember what earlier processes did in a session; a store that does not answer in time is gone without."""
        history = self._history
        if history is None or self._repeats.knows(session_id):
            return
        try:
            rows = await within(in_own_thread(lambda: history(session_id)), self._wait_seconds)
        except TimeoutError:
            return
        self._repeats.adopt(session_id, held_from(rows))

    async def _run(self, call: _Call) -> ToolAnswer:
        found = await self._found(call)
        return found.map(lambda one: self._settled(call, one)).lash(failed).unwrap()

    async def _found(self, call: _Call) -> Result[_Found, SourceError]:
        if call.params.uri is not None:
            fetched = await self._source.fetch(call.params.uri)
            return fetched.map(lambda passage: _fetched(passage, call.revision))
        query = call.params.asked()
        answer = await self._source.search(query)
        return answer.map(lambda one: _searched(one, query.filters))

    def _settled(self, call: _Call, found: _Found) -> ToolAnswer:
        def decide(given: dict[DocumentKey, str]) -> tuple[Held | None, ToolAnswer]:
            new, before = split_seen(found.passages, given=given)
            answer = _judged(found, new, before)
            return _held(call, answer, new), answer

        if is_blank(call.session_id or ""):
            return _judged(found, found.passages, ())
        return self._repeats.settle(call.session_id, decide)

    def _known(self, call: _Call, known: Known) -> ToolAnswer:
        repeat = known.repeat
        outcome = outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=repeat.of, inherited=repeat.inherited)
        earlier = EarlierCall(id=call.id, key=call.key, outcome=OutcomeKind.DEDUPED, of=(repeat.source,))
        self._repeats.settle(call.session_id, lambda _: (Held(call=earlier, text=""), None))
        retrieval = Retrieval(
            mode=Mode.SEARCH if call.params.uri is None else Mode.ADDRESS,
            floor=FLOOR,
            filters=call.params.asked().filters,
            index_revision=call.revision,
        )
        return ToolAnswer(outcome=outcome, text=repeat_text(repeat, known.text), retrieval=retrieval)


def _searched(answer: KnowledgeAnswer, filters: Mapping[str, str]) -> _Found:
    retrieval, passages = deliver(answer, filters=filters)
    return _bounded(_Found(retrieval=retrieval, passages=passages, unseen=answer.unseen))


def _fetched(passage: Passage | None, revision: str) -> _Found:
    retrieval, passages = deliver_fetched(passage, revision=revision)
    return _bounded(_Found(retrieval=retrieval, passages=passages, unseen=()))


def _bounded(found: _Found) -> _Found:
    beyond = {one.uri: len(one.text) - TEXT_CHARACTERS for one in found.passages if len(one.text) > TEXT_CHARACTERS}
    cut = tuple(replace(one, text=one.text[:TEXT_CHARACTERS]) for one in found.passages)
    told = (f"{uri}: {count:,} characters at the end are left out" for uri, count in beyond.items())
    return replace(found, passages=cut, unseen=(*found.unseen, *told))


def _judged(found: _Found, new: tuple[Passage, ...], before: tuple[str, ...]) -> ToolAnswer:
    """Return the answer of a run: nothing found, nothing new, or what is new alone."""
    retrieval = recount(found.retrieval, new)
    if not new and before:
        text = seen_text(found.passages, before=before, unseen=found.unseen)
        outcome = outcomes.Deduped(reason=DedupReason.SAME_DOCUMENTS, of=before, inherited=OutcomeKind.SUCCESS)
        return ToolAnswer(outcome=outcome, text=text, retrieval=retrieval)
    text = given_text(new, before=before, unseen=found.unseen) if new else empty_text(retrieval, unseen=found.unseen)
    return ToolAnswer(outcome=retrieval_outcome(retrieval, text, partial=found.unseen), text=text, retrieval=retrieval)


def _held(call: _Call, answer: ToolAnswer, new: tuple[Passage, ...]) -> Held:
    of = answer.outcome.of if isinstance(answer.outcome, outcomes.Deduped) else ()
    earlier = EarlierCall(id=call.id, key=call.key, outcome=outcomes.kind_of(answer.outcome), of=of)
    return Held(call=earlier, text=answer.text, gave=tuple(map(document_key, new)))


def _as_failure(error: SourceError) -> outcomes.Failure:
    return outcomes.failure_because(error.kind, error.message, retryable=error.retryable)
