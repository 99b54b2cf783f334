"""What every KnowledgeSource owes: ranked passages with coverage, whole texts by address, and what it holds."""

import asyncio
from collections.abc import Mapping

import pytest
from returns.pipeline import is_successful

from groundtrace.ports import KnowledgeSource
from groundtrace.relevance import FLOOR
from groundtrace.retrieval import Layer
from groundtrace.sources import Description, KnowledgeAnswer, KnowledgeQuery, Passage

BOOKS = {
    "db/pool.md": (
        "---\ntitle: Connection pool\nservice: checkout\ntags: [database, pool]\n---\n"
        "# PoolExhausted\n\n## Meaning\n\nEvery connection of the pool is taken.\n\n"
        "## Mitigation\n\nRaise `max_size`, or find who holds connections for minutes.\n"
    ),
    "net/dns.md": (
        "---\ntitle: Names\nservice: gateway\ntags:\n  - network\n---\n## Diagnosis\n\nAsk the resolver with `dig`.\n\n"
        "```sh\n# this is a comment, no heading\ndig +short example.test\n```\n"
    ),
    "disk.md": "# NodeDiskFillingUp\n\nA node's disk fills within hours.\n\n## Mitigation\n\nDelete old archives.\n",
}
HOSTILE = [
    '"', '""', 'disk"', "AND", "disk AND", "NEAR(disk pool)", "disk*", "*", "^disk", "-disk", "body:disk", "{a b}: c",
    "(disk",
    "disk)", "disk OR", "NOT disk", "\x00", "disk\x00pool", "\ud800", "\u200b", "", "   ", "'; DROP TABLE entry",
    "disk " * 200_000, "x" * 1_000_000, "%", "_", "\U0001f525", "?", "e\u0301", "the of and",
]  # fmt: skip


def search(
    source: KnowledgeSource, query: str, *, top_k: int = 5, filters: Mapping[str, str] | None = None
) -> KnowledgeAnswer:
    asked = KnowledgeQuery(query=query, top_k=top_k, filters=filters or {})
    return asyncio.run(source.search(asked)).unwrap()


def fetch(source: KnowledgeSource, uri: str) -> Passage | None:
    return asyncio.run(source.fetch(uri)).unwrap()


def describe(source: KnowledgeSource) -> Description:
    return asyncio.run(source.describe()).unwrap()


def entries(answer: KnowledgeAnswer) -> list[str]:
    return list(dict.fromkeys(passage.entry for passage in answer.passages))


class KnowledgeSourceSuite:
    """Over a source that holds `BOOKS`: Markdown with front matter by address. Give it a fixture `source`."""

    def test_the_best_section_comes_first_and_is_whole(self, source: KnowledgeSource) -> None:
        best = search(source, "who holds connections of the pool").passages[0]
        assert (best.uri, best.entry, best.title) == ("db/pool.md#mitigation", "db/pool.md", "Connection pool")
        assert best.heading == "Mitigation"
        assert best.text.strip() == "Raise `max_size`, or find who holds connections for minutes."
        assert best.layer is Layer.L1
        assert best.abstract == "Every connection of the pool is taken."

    def test_passages_are_in_the_order_of_their_score(self, source: KnowledgeSource) -> None:
        scores = [one.score for one in search(source, "mitigation of a full disk or pool").passages]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) > 1

    def test_at_most_top_k_passages_are_given(self, source: KnowledgeSource) -> None:
        assert len(search(source, "disk pool dig", top_k=1).passages) == 1

    def test_coverage_is_the_share_of_the_query_that_a_passage_has(self, source: KnowledgeSource) -> None:
        assert search(source, "delete archives").coverage == pytest.approx(1.0)
        half = search(source, "delete unicorns")
        assert 0 < half.passages[0].coverage < 0.5
        assert half.coverage == half.passages[0].coverage

    def test_words_are_found_in_other_forms_and_filler_does_not_count(self, source: KnowledgeSource) -> None:
        assert search(source, "How do I go about deleting an archive?").coverage == pytest.approx(1.0)

    def test_a_question_about_something_else_stays_below_the_floor(self, source: KnowledgeSource) -> None:
        assert search(source, "boiling point of ethanol in a pool of water").coverage < FLOOR

    def test_no_match_is_an_empty_answer_and_no_error(self, source: KnowledgeSource) -> None:
        answer = search(source, "quetzalcoatl")
        assert (answer.passages, answer.candidates, answer.coverage) == ((), 0, 0.0)

    def test_candidates_are_the_distinct_entries_that_matched(self, source: KnowledgeSource) -> None:
        assert search(source, "mitigation").candidates == 2
        assert search(source, "mitigation", top_k=1).candidates == 2

    @pytest.mark.parametrize("query", ["NodeDiskFillingUp", "node disk filling up", "nodediskfillingup", "DiskFilling"])
    def test_a_name_is_found_as_one_word_and_by_its_parts(self, source: KnowledgeSource, query: str) -> None:
        answer = search(source, query)
        assert answer.passages[0].entry == "disk.md"
        assert answer.passages[0].coverage == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            ({"service": "checkout"}, ["db/pool.md"]),
            ({"service": " Checkout "}, ["db/pool.md"]),
            ({"tags": "network"}, ["net/dns.md"]),
            ({"tags": "pool", "service": "checkout"}, ["db/pool.md"]),
            ({"tags": "pool", "service": "gateway"}, []),
            ({"scope": "db"}, ["db/pool.md"]),
            ({"scope": "/net/"}, ["net/dns.md"]),
            ({"scope": "d"}, []),
            ({"scope": "disk.md"}, ["disk.md"]),
            ({"service": "nobody"}, []),
            ({"no such field": "x"}, []),
            ({"service": "' OR 1=1 --"}, []),
            ({"service": "\x00\ud800", "\ud800": "x"}, []),
        ],
    )
    def test_every_filter_must_hold(self, source: KnowledgeSource, filters: dict[str, str], found: list[str]) -> None:
        answer = search(source, "disk pool dig", filters=filters)
        assert sorted(entries(answer)) == found
        assert answer.candidates == len(found)

    @pytest.mark.parametrize("query", HOSTILE, ids=[f"{n}" for n in range(len(HOSTILE))])
    def test_no_query_is_an_operator_or_an_error(self, source: KnowledgeSource, query: str) -> None:
        answer = search(source, query)
        assert all(0 <= one.coverage <= 1 for one in answer.passages)
        if "disk" in query:
            assert "disk.md" in entries(answer)

    def test_the_same_question_has_the_same_answer(self, source: KnowledgeSource) -> None:
        assert search(source, "full disk") == search(source, "full disk")

    def test_an_entry_is_fetched_as_its_original_text(self, source: KnowledgeSource) -> None:
        found = fetch(source, "net/dns.md")
        assert found is not None
        assert (found.layer, found.text, found.title) == (Layer.L2, BOOKS["net/dns.md"], "Names")

    def test_every_address_that_a_search_gives_can_be_fetched(self, source: KnowledgeSource) -> None:
        for one in search(source, "disk pool dig mitigation").passages:
            found = fetch(source, one.uri)
            assert found is not None
            assert one.text.strip() in found.text
            assert found.entry == one.entry

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "#",
            "nothing.md",
            "db/pool.md#nothing",
            "../books/disk.md",
            "/etc/passwd",
            "db",
            "disk.md#",
            "\x00",
            "\ud800",
        ],
    )
    def test_an_unknown_address_is_none(self, source: KnowledgeSource, uri: str) -> None:
        assert fetch(source, uri) is None

    def test_a_description_names_titles_and_fields(self, source: KnowledgeSource) -> None:
        said = describe(source)
        assert said.titles == ("Connection pool", "Names", "NodeDiskFillingUp")
        assert said.entities == {"service": ("checkout", "gateway"), "tags": ("database", "network", "pool")}
        assert said.unseen == ()
        assert said.revision == search(source, "disk").revision != ""

    def test_calls_at_once_all_get_their_answer(self, source: KnowledgeSource) -> None:
        async def all_at_once() -> list[bool]:
            asked = [source.search(KnowledgeQuery(query=word)) for word in ("disk", "pool", "dig") * 5]
            return [is_successful(one) for one in await asyncio.gather(*asked)]

        assert asyncio.run(all_at_once()) == [True] * 15
