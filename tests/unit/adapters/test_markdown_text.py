"""Markdown taken apart: front matter, sections, abstracts, words; whatever a file holds, its text is used."""

from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.sources.markdown_entry import read_entry
from groundtrace_adapters.sources.markdown_files import MAX_FILE_BYTES, ReadFile, list_files
from groundtrace_adapters.sources.markdown_front_matter import read_front_matter
from groundtrace_adapters.sources.markdown_sections import SECTION_CHARACTERS, read_document
from groundtrace_adapters.sources.markdown_words import MAX_TERMS, likeness, name_parts, plain_words, query_words


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("service: cart", {"service": ("cart",)}),
        ("Service:   'cart: eu' # the shop", {"service": ("cart: eu",)}),
        ('title: "A # is no comment"', {"title": ("A # is no comment",)}),
        ("tags: [a, 'b', \"c d\"]", {"tags": ("a", "b", "c d")}),
        ("tags:\n  - a\n  - b # why", {"tags": ("a", "b")}),
        ("tags:\n- a\n- b", {"tags": ("a", "b")}),
        ("summary: >-\n  two\n  lines\nservice: x", {"summary": ("two lines",), "service": ("x",)}),
        ("summary: goes on\n  below", {"summary": ("goes on below",)}),
        ("menu:\n  after:\n    weight: 3\nx: 1", {"menu": (), "x": ("1",)}),
        ("# a comment\n\nurl: http://a.test/x", {"url": ("http://a.test/x",)}),
        ("", {}),
    ],
)
def test_front_matter_is_read_as_people_write_it(written: str, values: dict[str, tuple[str, ...]]) -> None:
    front = read_front_matter(f"---\n{written}\n---\nbody")
    assert (front.values, front.body, front.problem) == (values, "body", None)


def test_toml_between_plus_signs_is_front_matter_too() -> None:
    front = read_front_matter('+++\ntitle = "T"\ntags = ["a", "b"]\n[deep]\nx = 1\n+++\nbody')
    assert (front.values, front.body) == ({"title": ("T",), "tags": ("a", "b")}, "body")


@pytest.mark.parametrize(
    "text",
    ["---\ntitle: never closed\nwords", "---\nno key here\n---\nwords", "+++\n= 5\n+++\nwords", "---\na:b\n---\nx"],
)
def test_broken_front_matter_is_named_and_its_text_is_kept(text: str) -> None:
    front = read_front_matter(text)
    assert front.problem is not None
    assert front.body == text


def headings(body: str) -> list[str]:
    return [section.heading for section in read_document(body).sections]


def test_sections_are_known_by_their_headings_and_those_above() -> None:
    found = read_document("# Top\n\nintro\n\n## A\n\na\n\n### Deep ###\n\nd\n\n## A\n\nagain")
    assert found.title == "Top"
    assert [(one.heading, one.anchor, one.text) for one in found.sections] == [
        ("", "top", "\nintro".strip()),
        ("A", "a", "a"),
        ("A > Deep", "deep", "d"),
        ("A", "a-1", "again"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "## A\n\n```\n# no\n```\n",
        "## A\n\n~~~sh\n# no\n```\n# no\n~~~\n",
        "## A\n\n````\n```\n# no\n````\n",
        "## A\n\n```\n# never closed\n",
        "## A\n\n    # indented code\n",
        "## A\n\n<!--\n# no\n-->\ntext",
        "## A\n\n#hashtag\n",
        "## A\n\ntext `# x`\n",
        "## A\n\n- item\n---\nrule",
        "## A\n\n| a | b |\n|---|---|\n",
        "## A\n\n{{< hint info >}}\n**x**\n{{< /hint >}}\n",
        "## A ##\n\ntext",
        "A\n---\n\ntext",
        "## [A](x.md)\n\ntext",
    ],
)
def test_what_only_looks_like_a_heading_is_none(body: str) -> None:
    assert headings(body) == ["A"]


def test_sections_without_text_are_left_out_and_long_ones_cut() -> None:
    assert headings("# T\n\n## Empty\n\n## Full\n\nx") == ["Full"]
    pieces = read_document("## Long\n\n" + "words and words\n\n" * 2_000).sections
    assert len(pieces) > 1
    assert all(len(one.text) <= SECTION_CHARACTERS for one in pieces)
    assert len({one.anchor for one in pieces}) == len(pieces)


@pytest.mark.parametrize(
    ("text", "abstract"),
    [
        ("---\nsummary: S\n---\nfirst", "S"),
        ("---\nabstract: A\nsummary: S\n---\nfirst", "A"),
        ("---\ndescription: D\n---\n# T\n\nfirst", "D"),
        ("# T\n\n```\ncode\n```\n\n- list\n\n{{< x >}}\n\nfirst\nparagraph\n\nsecond", "first paragraph"),
        ("# T", ""),
    ],
)
def test_an_abstract_is_written_or_the_first_paragraph(text: str, abstract: str) -> None:
    assert read_entry("a.md", ReadFile(text=text)).abstract == abstract


@pytest.mark.parametrize(
    ("text", "title"),
    [("---\ntitle: F\n---\n# H\n", "F"), ("# H\n", "H"), ("x", "a-name"), ("---\ntitle:\n---\nx", "a-name")],
)
def test_a_title_is_written_or_the_heading_or_the_name_of_the_file(text: str, title: str) -> None:
    assert read_entry("dir/a-name.md", ReadFile(text=text)).title == title


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading(text: str) -> None:
    for prefix in ("", "---\n", "+++\n", "```\n", "# "):
        entry = read_entry("a.md", ReadFile(text=prefix + text))
        assert all(piece.body.strip() for piece in entry.pieces)


@pytest.mark.parametrize(
    "text",
    [
        "# " + " " * 500_000 + "x",
        "# " + "[" * 500_000,
        "---\n" + "a " * 300_000 + "\n---\n",
        "\n \n" * 200_000 + "x",
        "`" * 500_000 + "\n" + "~" * 500_000,
        "A" * 500_000,
        "aA" * 300_000,
        "x\n---\n" * 100_000,
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    begin = perf_counter()
    read_entry("a.md", ReadFile(text=text))
    assert perf_counter() - begin < 5


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("KubePodCrashLooping", ("Kube", "Pod", "Crash", "Looping")),
        ("CPUThrottlingHigh", ("CPU", "Throttling", "High")),
        ("etcdNoLeader", ("etcd", "No", "Leader")),
        ("getHTTPResponse2xx", ("get", "HTTP", "Response", "2", "xx")),
        ("disk", ()),
        ("Disk", ()),
        ("CPU", ()),
        ("k8s", ()),
    ],
)
def test_names_in_camel_case_come_apart(word: str, parts: tuple[str, ...]) -> None:
    assert name_parts(word) == parts


def test_filler_is_left_out_unless_nothing_else_is_asked() -> None:
    assert [word.text for word in query_words("What do I do when the disk is full?")] == ["disk", "full"]
    assert [word.text for word in query_words("to be or not to be")] == ["to", "be", "or", "not"]


def test_a_pasted_page_is_cut() -> None:
    assert len(query_words(" ".join(f"w{number}" for number in range(5_000)))) == MAX_TERMS


def test_a_name_is_like_a_question_that_has_its_words() -> None:
    asked = plain_words("kube node not ready")
    assert likeness(asked, "KubeNodeNotReady") == 1.0
    assert likeness(asked, "KubeNodeReady") < 1.0
    assert likeness(asked, "") == 0.0


def test_a_folder_that_is_too_large_is_read_in_part_and_says_so(tmp_path: Path) -> None:
    for number in range(3):
        # A hole takes no room on the disk.
        with (tmp_path / f"{number}.md").open("wb") as file:
            file.truncate(10 * MAX_FILE_BYTES)
    assert len(list_files(tmp_path, most_bytes=2 * MAX_FILE_BYTES).files) == 2
    assert "2.md" in list_files(tmp_path, most_bytes=2 * MAX_FILE_BYTES).unread[0]
    assert list_files(tmp_path).unread == ()
