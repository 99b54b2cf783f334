"""Relevance by the share of the query that is covered, the floor, and the outcome in the order of the contract."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.relevance import FLOOR, deliver, deliver_fetched, recount, relevance_of, retrieval_outcome
from groundtrace.retrieval import Layer, Mode, Relevance, Retrieval
from groundtrace.sources import KnowledgeAnswer, Passage


def passage(entry: str = "disk.md", coverage: float = 1.0, layer: Layer = Layer.L1) -> Passage:
    return Passage(
        uri=f"{entry}#diagnosis",
        entry=entry,
        title="Disk",
        abstract="",
        heading="Diagnosis",
        text="Look at the disk.",
        layer=layer,
        score=2.5,
        coverage=coverage,
        content_hash=f"hash of {entry}",
    )


def answer(*passages: Passage, candidates: int = 9) -> KnowledgeAnswer:
    best = max((one.coverage for one in passages), default=0.0)
    return KnowledgeAnswer(passages=passages, candidates=candidates, coverage=best, revision="r-1")


@pytest.mark.parametrize(
    ("share", "level"),
    [
        (1.0, Relevance.HIGH),
        (0.7, Relevance.HIGH),
        (0.6999, Relevance.MEDIUM),
        (0.45, Relevance.MEDIUM),
        (0.4499, Relevance.LOW),
        (1e-300, Relevance.LOW),
        (0.0, Relevance.NONE),
        (-1.0, Relevance.NONE),
        (math.nan, Relevance.NONE),
        (math.inf, Relevance.HIGH),
    ],
)
def test_a_share_has_the_level_of_its_cut_off(share: float, level: Relevance) -> None:
    assert relevance_of(share) is level


def test_the_floor_is_the_lower_edge_of_medium() -> None:
    assert FLOOR == 0.45
    assert relevance_of(FLOOR) is Relevance.MEDIUM


def test_low_relevance_is_never_delivered_and_explains_why() -> None:
    retrieval, passages = deliver(answer(passage(coverage=0.44), passage("net.md", coverage=0.1)))
    assert passages == ()
    assert retrieval.relevance is Relevance.LOW
    assert (retrieval.l0_count, retrieval.l1_count, retrieval.layer) == (9, 0, Layer.NONE)
    assert [hit.coverage for hit in retrieval.hits] == [0.44, 0.1]
    assert retrieval_outcome(retrieval, "nothing") == outcomes.NoEvidence(
        reason=outcomes.NoEvidenceReason.BELOW_RELEVANCE, output="nothing"
    )


def test_only_what_passes_the_floor_is_counted_as_delivered() -> None:
    retrieval, passages = deliver(
        answer(passage("a.md", 0.9), passage("a.md", 0.5), passage("b.md", 0.45), passage("c.md", 0.2)),
        filters={"service": "checkout"},
    )
    assert [one.entry for one in passages] == ["a.md", "a.md", "b.md"]
    assert retrieval.l1_count == 2
    assert retrieval.layer is Layer.L1
    assert retrieval.floor == FLOOR
    assert retrieval.filters == {"service": "checkout"}
    assert retrieval.index_revision == "r-1"


def test_nothing_matched_is_told_apart_from_nothing_relevant() -> None:
    retrieval, _ = deliver(answer(candidates=0))
    assert retrieval_outcome(retrieval, "x") == outcomes.NoEvidence(
        reason=outcomes.NoEvidenceReason.NO_MATCH, output="x"
    )


@pytest.mark.parametrize(
    ("coverage", "layer", "support"),
    [
        (0.7, Layer.L1, outcomes.Support.DIRECT),
        (0.7, Layer.L2, outcomes.Support.DIRECT),
        (0.7, Layer.L0, outcomes.Support.INDIRECT),
        (0.69, Layer.L1, outcomes.Support.INDIRECT),
        (0.69, Layer.L2, outcomes.Support.INDIRECT),
    ],
)
def test_only_sections_or_texts_of_high_relevance_are_direct(
    coverage: float, layer: Layer, support: outcomes.Support
) -> None:
    retrieval, _ = deliver(answer(passage(coverage=coverage, layer=layer)))
    assert retrieval_outcome(retrieval, "text") == outcomes.Success(support=support, output="text")


def test_a_partial_answer_is_never_direct_and_says_what_was_not_seen() -> None:
    retrieval, _ = deliver(answer(passage()))
    unseen = ("2 files could not be read",)
    assert retrieval_outcome(retrieval, "text", partial=unseen) == outcomes.Success(
        support=outcomes.Support.INDIRECT, output="text", partial=unseen
    )


def test_an_empty_partial_answer_keeps_saying_what_was_not_seen() -> None:
    outcome = retrieval_outcome(deliver(answer(candidates=0))[0], "x", partial=("1 file could not be read",))
    assert outcome.partial == ("1 file could not be read",)


def test_a_text_fetched_by_its_address_is_direct() -> None:
    retrieval, passages = deliver_fetched(passage(layer=Layer.L2), revision="r-2")
    assert (retrieval.mode, retrieval.l0_count, retrieval.l1_count, retrieval.l2_count) == (Mode.ADDRESS, 0, 1, 1)
    assert len(passages) == 1
    assert retrieval_outcome(retrieval, "t") == outcomes.Success(support=outcomes.Support.DIRECT, output="t")


def test_an_address_without_a_text_is_no_match() -> None:
    retrieval, passages = deliver_fetched(None, revision="r-2")
    assert passages == ()
    assert retrieval_outcome(retrieval, "x") == outcomes.NoEvidence(
        reason=outcomes.NoEvidenceReason.NO_MATCH, output="x"
    )


def test_counting_again_leaves_what_was_considered() -> None:
    retrieval, passages = deliver(answer(passage("a.md"), passage("b.md")))
    again = recount(retrieval, passages[1:])
    assert (again.l0_count, again.l1_count, len(again.hits)) == (9, 1, 2)
    assert recount(retrieval, ()).layer is Layer.NONE


@given(st.lists(st.floats(0, 1), max_size=8), st.integers(0, 5))
def test_whatever_a_source_answers_the_counts_hold(shares: list[float], candidates: int) -> None:
    passages = [passage(f"{number % 3}.md", share) for number, share in enumerate(shares)]
    retrieval, delivered = deliver(answer(*passages, candidates=candidates))
    assert isinstance(retrieval, Retrieval)
    assert all(one.coverage >= FLOOR for one in delivered)
    outcome = retrieval_outcome(retrieval, "text")
    assert isinstance(outcome, outcomes.Success) == bool(delivered)
