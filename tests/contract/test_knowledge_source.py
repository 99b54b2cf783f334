"""What a knowledge source owes: ranked passages with coverage, texts by address, and honesty about what it missed."""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from returns.pipeline import is_successful

from groundtrace.ports import KnowledgeSource
from groundtrace.sources import KnowledgeQuery, SourceError
from groundtrace_adapters.conformance.knowledge_source import (
    BOOKS,
    KnowledgeSourceSuite,
    describe,
    entries,
    fetch,
    search,
)
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource

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


class TestMarkdown(KnowledgeSourceSuite):
    @pytest.fixture
    def source(self, source: KnowledgeSource) -> KnowledgeSource:
        return source


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
