"""What a knowledge source owes: ranked passages with coverage, texts by address, and honesty about what it missed."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest
from returns.pipeline import is_successful

from groundtrace.ports import KnowledgeSource
from groundtrace.relevance import FLOOR
from groundtrace.retrieval import Layer
from groundtrace.sources import Description, KnowledgeAnswer, KnowledgeQuery, Passage, SourceError
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource

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

Write: TypeAlias = Callable[[str, str | bytes], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "books"
    place.mkdir()
    return place


@pytest.fixture
def write(folder: Path) -> Write:
    def write_one(name: str, text: str | bytes) -> None:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write_one


@pytest.fixture(params=["markdown, index in memory", "markdown, index in a file"])
def source(request: pytest.FixtureRequest, folder: Path, tmp_path: Path, write: Write) -> Iterator[KnowledgeSource]:
    for name, text in BOOKS.items():
        write(name, text)
    where = ":memory:" if request.param.endswith("memory") else tmp_path / "index.db"
    one = MarkdownKnowledgeSource(folder, index_path=where)
    yield one
    one.close()


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


def test_the_best_section_comes_first_and_is_whole(source: KnowledgeSource) -> None:
    best = search(source, "who holds connections of the pool").passages[0]
    assert (best.uri, best.entry, best.title) == ("db/pool.md#mitigation", "db/pool.md", "Connection pool")
    assert best.heading == "Mitigation"
    assert best.text.strip() == "Raise `max_size`, or find who holds connections for minutes."
    assert best.layer is Layer.L1
    assert best.abstract == "Every connection of the pool is taken."


def test_passages_are_in_the_order_of_their_score(source: KnowledgeSource) -> None:
    scores = [one.score for one in search(source, "mitigation of a full disk or pool").passages]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) > 1


def test_at_most_top_k_passages_are_given(source: KnowledgeSource) -> None:
    assert len(search(source, "disk pool dig", top_k=1).passages) == 1


def test_coverage_is_the_share_of_the_query_that_a_passage_has(source: KnowledgeSource) -> None:
    assert search(source, "delete archives").coverage == pytest.approx(1.0)
    half = search(source, "delete unicorns")
    assert 0 < half.passages[0].coverage < 0.5
    assert half.coverage == half.passages[0].coverage


def test_words_are_found_in_other_forms_and_filler_does_not_count(source: KnowledgeSource) -> None:
    assert search(source, "How do I go about deleting an archive?").coverage == pytest.approx(1.0)


def test_a_question_about_something_else_stays_below_the_floor(source: KnowledgeSource) -> None:
    assert search(source, "boiling point of ethanol in a pool of water").coverage < FLOOR


def test_no_match_is_an_empty_answer_and_no_error(source: KnowledgeSource) -> None:
    answer = search(source, "quetzalcoatl")
    assert (answer.passages, answer.candidates, answer.coverage) == ((), 0, 0.0)


def test_candidates_are_the_distinct_entries_that_matched(source: KnowledgeSource) -> None:
    assert search(source, "mitigation").candidates == 2
    assert search(source, "mitigation", top_k=1).candidates == 2


@pytest.mark.parametrize("query", ["NodeDiskFillingUp", "node disk filling up", "nodediskfillingup", "DiskFilling"])
def test_a_name_is_found_as_one_word_and_by_its_parts(source: KnowledgeSource, query: str) -> None:
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
def test_every_filter_must_hold(source: KnowledgeSource, filters: dict[str, str], found: list[str]) -> None:
    answer = search(source, "disk pool dig", filters=filters)
    assert sorted(entries(answer)) == found
    assert answer.candidates == len(found)


HOSTILE = [
    '"', '""', 'disk"', "AND", "disk AND", "NEAR(disk pool)", "disk*", "*", "^disk", "-disk", "body:disk", "{a b}: c",
    "(disk",
    "disk)", "disk OR", "NOT disk", "\x00", "disk\x00pool", "\ud800", "\u200b", "", "   ", "'; DROP TABLE entry",
    "disk " * 200_000, "x" * 1_000_000, "%", "_", "\U0001f525", "?", "e\u0301", "the of and",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=[f"{n}" for n in range(len(HOSTILE))])
def test_no_query_is_an_operator_or_an_error(source: KnowledgeSource, query: str) -> None:
    answer = search(source, query)
    assert all(0 <= one.coverage <= 1 for one in answer.passages)
    if "disk" in query:
        assert "disk.md" in entries(answer)


def test_the_same_question_has_the_same_answer(source: KnowledgeSource) -> None:
    assert search(source, "full disk") == search(source, "full disk")


def test_an_entry_is_fetched_as_its_original_text(source: KnowledgeSource) -> None:
    found = fetch(source, "net/dns.md")
    assert found is not None
    assert (found.layer, found.text, found.title) == (Layer.L2, BOOKS["net/dns.md"], "Names")


def test_every_address_that_a_search_gives_can_be_fetched(source: KnowledgeSource) -> None:
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
def test_an_unknown_address_is_none(source: KnowledgeSource, uri: str) -> None:
    assert fetch(source, uri) is None


def test_a_description_names_titles_and_fields(source: KnowledgeSource) -> None:
    said = describe(source)
    assert said.titles == ("Connection pool", "Names", "NodeDiskFillingUp")
    assert said.entities == {"service": ("checkout", "gateway"), "tags": ("database", "network", "pool")}
    assert said.unseen == ()
    assert said.revision == search(source, "disk").revision != ""


def test_a_changed_file_is_read_again_and_changes_the_revision(source: KnowledgeSource, write: Write) -> None:
    before = search(source, "archives")
    write("disk.md", "# NodeDiskFillingUp\n\nTurn off the verbose journal.\n")
    after = search(source, "verbose journal")
    assert after.coverage == pytest.approx(1.0)
    assert after.revision != before.revision
    assert search(source, "archives").candidates == 0


def test_a_new_file_is_found_and_a_removed_one_is_gone(source: KnowledgeSource, write: Write, folder: Path) -> None:
    before = describe(source).revision
    write("queue.md", "Drain the queue.")
    assert entries(search(source, "drain queue")) == ["queue.md"]
    (folder / "queue.md").unlink()
    assert search(source, "drain queue").candidates == 0
    assert fetch(source, "queue.md") is None
    assert describe(source).revision == before


def test_touching_a_file_changes_nothing(source: KnowledgeSource, folder: Path) -> None:
    before = search(source, "disk")
    os.utime(folder / "disk.md", (1, 1))
    assert search(source, "disk") == before


def test_calls_at_once_all_get_their_answer(source: KnowledgeSource) -> None:
    async def all_at_once() -> list[bool]:
        asked = [source.search(KnowledgeQuery(query=word)) for word in ("disk", "pool", "dig") * 5]
        return [is_successful(one) for one in await asyncio.gather(*asked)]

    assert asyncio.run(all_at_once()) == [True] * 15


def test_odd_files_are_named_and_used_and_the_rest_is_searched(source: KnowledgeSource, write: Write) -> None:
    write("broken.md", "---\ntitle: [never closed\nRotate the certificates.\n")
    write("latin.md", "Das \xd6l ist alle, nachf\xfcllen.".encode("latin-1"))
    unseen = " ".join(describe(source).unseen)
    assert "broken.md" in unseen
    assert "latin.md" in unseen
    assert entries(search(source, "rotate certificates")) == ["broken.md"]
    assert search(source, "rotate certificates").unseen == ()
    assert any("broken.md" in words for words in search(source, "rotate", filters={"service": "checkout"}).unseen)


def test_files_that_cannot_be_read_make_the_answer_say_so(source: KnowledgeSource, write: Write, folder: Path) -> None:
    write("huge.md", "# Huge\n\n" + "padding words\n" * 200_000 + "needle\n")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    (folder / "outside.md").symlink_to(Path(__file__))
    unseen = search(source, "disk").unseen
    assert [sum(name in words for words in unseen) for name in ("huge.md", "gone.md", "outside.md")] == [1, 1, 1]
    assert search(source, "disk").passages[0].entry == "disk.md"
    assert search(source, "needle").candidates == 0


def test_links_in_circles_and_odd_names_do_no_harm(source: KnowledgeSource, write: Write, folder: Path) -> None:
    (folder / "db" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "db" / "self").symlink_to(folder / "db" / "self")
    for name in ("a#b.md", "new\nline.md", "sp ace.md", "caf\u00e9.md", "%2e%2e.md", "'; DROP TABLE entry.md", "-.md"):
        write(name, f"# Odd\n\nodd words in {name!r}\n")
    (Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.md"))).write_text("odd words too", encoding="utf-8")
    found = entries(search(source, "odd words", top_k=50))
    assert len(found) == 8
    assert all(fetch(source, uri) is not None for uri in found)
    assert len(found) == len(set(found))


def test_a_link_inside_the_folder_leads_to_what_is_hidden_there(
    source: KnowledgeSource, write: Write, folder: Path
) -> None:
    write("..data/runbooks/queue.md", "Drain the queue.")
    (folder / "runbooks").symlink_to(folder / "..data" / "runbooks", target_is_directory=True)
    (folder / "alias.md").symlink_to(folder / "disk.md")
    assert entries(search(source, "drain queue")) == ["runbooks/queue.md"]
    assert entries(search(source, "delete old archives")) == ["disk.md"]


def test_a_named_pipe_is_no_file(source: KnowledgeSource, folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    assert search(source, "disk").passages[0].entry == "disk.md"


def test_an_empty_folder_answers_with_nothing(tmp_path: Path) -> None:
    source = MarkdownKnowledgeSource(tmp_path)
    assert search(source, "disk").passages == ()
    assert describe(source).titles == ()
    source.close()


@pytest.mark.parametrize("name", ["missing", "a file"])
def test_a_folder_that_is_none_is_an_error_that_says_how_to_mend_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "a file").write_text("x", encoding="utf-8")
    source = MarkdownKnowledgeSource(tmp_path / name)
    for call in (source.search(KnowledgeQuery(query="disk")), source.fetch("x"), source.describe()):
        error = asyncio.run(call).failure()
        assert isinstance(error, SourceError)
        assert str(tmp_path / name) in error.message
        assert "name an existing folder" in error.message
    source.close()


def test_a_folder_that_comes_later_is_read(tmp_path: Path) -> None:
    source = MarkdownKnowledgeSource(tmp_path / "late")
    assert not is_successful(asyncio.run(source.describe()))
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "x.md").write_text("Here now.", encoding="utf-8")
    assert describe(source).titles == ("x",)
    source.close()


def test_an_index_in_a_file_is_used_again_and_by_others(folder: Path, write: Write, tmp_path: Path) -> None:
    write("disk.md", BOOKS["disk.md"])
    one, other = (MarkdownKnowledgeSource(folder, index_path=tmp_path / "index.db") for _ in range(2))
    assert search(one, "disk") == search(other, "disk")
    write("queue.md", "Drain the queue.")
    assert entries(search(one, "drain queue")) == ["queue.md"]
    assert search(one, "drain") == search(other, "drain")
    one.close()
    other.close()


def test_an_index_that_is_no_database_is_an_error_that_says_how_to_mend_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "index.db").write_text("no database\n" * 1_000, encoding="utf-8")
    error = asyncio.run(MarkdownKnowledgeSource(folder, index_path=tmp_path / "index.db").describe()).failure()
    assert "delete that file" in error.message
