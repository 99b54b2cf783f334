"""How well knowledge answers a query, what of it may be delivered, and what outcome that is (DESIGN section 6).

A source ranks and measures; only this module knows the floor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from groundtrace import outcomes
from groundtrace.retrieval import Hit, Layer, Mode, Relevance, Retrieval
from groundtrace.sources import KnowledgeAnswer, Passage

CUT_OFFS: tuple[tuple[Relevance, float], ...] = ((Relevance.HIGH, 0.70), (Relevance.MEDIUM, 0.45))
"""The lower edge of each level as a share of the query's IDF weight, the highest first; any share above 0 is low."""

FLOOR = dict(CUT_OFFS)[Relevance.MEDIUM]
"""The least share that is delivered: the lower edge of `medium`. Low relevance only explains a `below_relevance`."""

_DEPTH = (Layer.NONE, Layer.L0, Layer.L1, Layer.L2)
_FULL_TEXT_LAYERS = frozenset({Layer.L1, Layer.L2})


def relevance_of(share: float, /) -> Relevance:
    """Return the level of a share from 0 to 1; total: what is no number is none."""
    for level, edge in CUT_OFFS:
        if share >= edge:
            return level
    return Relevance.LOW if share > 0 else Relevance.NONE


def deliver(
    answer: KnowledgeAnswer, /, *, filters: Mapping[str, str] | None = None
) -> tuple[Retrieval, tuple[Passage, ...]]:
    """Return what a search amounts to and the passages that may be given to the agent: those on or above the floor.

    The level is that of the best passage: the best delivered one, or, where none is, the best that was held back.
    """
    passages = tuple(one for one in answer.passages if one.coverage >= FLOOR)
    best = max((one.coverage for one in answer.passages), default=0.0)
    considered = Retrieval(
        mode=Mode.SEARCH,
        l0_count=max(answer.candidates, len({one.entry for one in answer.passages})),
        relevance=relevance_of(best),
        floor=FLOOR,
        hits=_hits(answer.passages),
        filters=dict(filters or {}),
        index_revision=answer.revision,
    )
    return recount(considered, passages), passages


def deliver_fetched(passage: Passage | None, /, *, revision: str) -> tuple[Retrieval, tuple[Passage, ...]]:
    """Return the same for a fetch by address: what was asked for by its own name is of high relevance."""
    found = () if passage is None else (passage,)
    level = Relevance.HIGH if found else Relevance.NONE
    retrieval = Retrieval(mode=Mode.ADDRESS, relevance=level, hits=_hits(found), index_revision=revision)
    return recount(retrieval, found), found


def recount(retrieval: Retrieval, delivered: Iterable[Passage], /) -> Retrieval:
    """Return the retrieval with layer and counts of what was really given; hits that were not given stay listed."""
    given = tuple(delivered)
    return replace(
        retrieval,
        layer=max((one.layer for one in given), key=_DEPTH.index, default=Layer.NONE),
        l1_count=len({one.entry for one in given}),
        l2_count=len({one.entry for one in given if one.layer is Layer.L2}),
    )


def retrieval_outcome(
    retrieval: Retrieval, output: outcomes.Output, /, *, partial: tuple[str, ...] = ()
) -> outcomes.Success | outcomes.NoEvidence:
    """Return the outcome of a completed call, decided in the order of section 6.

    `output` is the whole text that the agent gets; `partial` says what could not be searched, and is never DIRECT.
    """
    if retrieval.l0_count == 0 and retrieval.l1_count == 0:
        return outcomes.NoEvidence(reason=outcomes.NoEvidenceReason.NO_MATCH, output=output, partial=partial)
    if retrieval.l1_count == 0:
        return outcomes.NoEvidence(reason=outcomes.NoEvidenceReason.BELOW_RELEVANCE, output=output, partial=partial)
    shown = retrieval.relevance is Relevance.HIGH and retrieval.layer in _FULL_TEXT_LAYERS and not partial
    support = outcomes.Support.DIRECT if shown else outcomes.Support.INDIRECT
    return outcomes.Success(support=support, output=output, partial=partial)


def _hits(passages: Iterable[Passage]) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            uri=one.uri,
            layer=one.layer,
            score=one.score,
            coverage=one.coverage,
            content_hash=one.content_hash,
        )
        for one in passages
    )
