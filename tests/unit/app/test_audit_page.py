"""The page of an audit: one document that loads nothing, and in which text of others stays text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from typing_extensions import override

from groundtrace.audit import audit_session
from groundtrace.audit_totals import Audited, AuditTotals
from groundtrace.invocation import Invocation
from groundtrace.summary import entries_of, summarize
from groundtrace.verdict import Cause, Verdict
from groundtrace_app.audit_page.charts import WIDTH, Part, bar
from groundtrace_app.audit_page.markup import tag, text
from groundtrace_app.audit_page.page import PageHead, headline, page_of
from groundtrace_app.audit_page.style import STYLE
from groundtrace_testing.gate_rows import failure, no_evidence, success
from groundtrace_testing.records import NOON, an_evaluation

HEAD = PageHead(subject="runs/", made_at=NOON, release="groundtrace 0.1.0")
HOSTILE = '</script><img src=x onerror="alert(1)"> \x1b[31m \x00 \ud800 \u202eabc\u200b &amp; \''
VOID = {"meta", "input"}


class _Reader(HTMLParser):
    """Holds every element with its attributes, and fails where one is not closed by its own end."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    @override
    def handle_data(self, data: str) -> None:
        self.words.append(data)


def audited(*sessions: tuple[str, tuple[Invocation, ...], str], most: int = 50) -> Audited:
    totals = AuditTotals(most=most)
    for name, rows, said in sessions:
        answer = an_evaluation(
            decision=Verdict.LOW_CONFID, cause=Cause.VERIFIER_DISABLED, withheld=False, shown=said, question="why?"
        )
        totals.take(audit_session(name, entries_of(summarize(rows)), [answer]))
    return totals.ended()


def three() -> Audited:
    return audited(
        ("firm", (success(1),), "The disk filled up."),
        ("bare", (no_evidence(1), failure(2)), "It was the deploy."),
        ("gap", (success(1), replace(failure(2), tool_name="query_metrics")), "The disk filled up."),
    )


def page(found: Audited) -> str:
    return "".join(page_of(found, HEAD))


def test_the_page_is_one_well_formed_document() -> None:
    read = _Reader(page(three()))
    assert [name for name in ("html", "head", "body", "main", "h1") if read.tags.count(name) != 1] == []
    ids = [value for name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value for name, value in read.attributes if name == "for"} <= set(ids)


def test_the_page_loads_nothing_and_says_so_to_the_browser() -> None:
    whole = page(three())
    read = _Reader(whole)
    names = {name for name, _ in read.attributes}
    assert [value for name, value in read.attributes if name == "href"] == ["#found", "#tools", "#sessions"]
    assert not {"src", "srcset", "action", "style", "background"} & names
    assert not [name for name in names if name.startswith("on")]
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(read.tags)
    (policy,) = [value for name, value in read.attributes if name == "content" and "default-src" in value]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not [word for word in ("http:", "https:", "url(", "@import", "//") if word in whole]


def test_sessions_that_rest_on_the_least_come_first_with_their_reason() -> None:
    whole = page(three())
    places = [whole.index(f'class="id">{name}') for name in ("bare", "gap", "firm")]
    assert places == sorted(places)
    assert "2 calls, and none found anything: 1 empty, 1 failed" in whole
    assert "query_metrics (1)" in whole
    assert "1 of 3 sessions states something that no call found." in whole


def test_text_of_others_reaches_the_page_as_text() -> None:
    row = replace(failure(1), tool_name=HOSTILE.replace("\x00", "").replace("\ud800", ""), error_message=HOSTILE)
    whole = page(audited((HOSTILE, (row,), HOSTILE)))
    read = _Reader(whole)
    assert not {"script", "img"} & set(read.tags)
    assert not set("\x00\x1b\ud800\u202e\u200b") & set(whole)
    assert "\\x1b[31m \\x00" in "".join(read.words)
    whole.encode("utf-8")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("<b>", "&lt;b&gt;"),
        ("\"'", "&quot;&#x27;"),
        ("\x00\x7f\u2028", "\\x00\\x7f\\u2028"),
        ("\ud800", "\ufffd"),
        ("r\u00e9sum\u00e9 \u65e5\u672c", "r\u00e9sum\u00e9 \u65e5\u672c"),
    ],
)
def test_what_would_drive_a_page_is_shown(given: str, shown: str) -> None:
    assert text(given) == shown
    assert tag("p", text(given), title=given) == f'<p title="{shown}">{shown}</p>'


def test_sessions_beyond_the_bound_are_counted_and_said() -> None:
    many = audited(*((f"s{number}", (success(1),), "Fine.") for number in range(30)), most=7)
    assert (many.number, len(many.sessions), many.left_out) == (30, 7, 23)
    whole = page(many)
    assert whole.count('<li class="session') == 7
    assert "Shown: the 7 that rest on the least; 23 more are counted above." in whole


def test_the_kept_sessions_are_those_that_rest_on_the_least_in_whatever_order_they_come() -> None:
    firm = [(f"firm{number}", (success(1),), "Fine.") for number in range(5)]
    bare = [(f"bare{number}", (failure(1),), "It was DNS.") for number in range(3)]
    for order in (firm + bare, bare + firm):
        kept = audited(*order, most=3).sessions
        assert [one.session_id for one in kept] == ["bare0", "bare1", "bare2"]


def test_a_session_that_is_met_twice_costs_nothing() -> None:
    twice = audited(*[("s", (success(1),), "Fine.")] * 3, most=2)
    assert (twice.number, len(twice.sessions)) == (3, 2)


@pytest.mark.parametrize("numbers", [(1, 0, 0), (1, 100_000, 1), (3, 3, 3), (0, 0, 0)])
def test_the_parts_of_a_bar_fill_it_and_a_part_that_is_there_is_seen(numbers: tuple[int, ...]) -> None:
    drawn = bar([Part(kind=f"k{place}", name="calls", number=number) for place, number in enumerate(numbers)])
    widths = list(_widths(drawn))
    assert len(widths) == sum(number > 0 for number in numbers)
    assert all(width > 0 for width in widths)
    gaps = 3 * max(len(widths) - 1, 0)
    assert not widths or sum(widths) + gaps == pytest.approx(WIDTH, abs=1)


def _widths(drawn: str) -> Iterator[float]:
    for piece in drawn.split("<rect ")[1:]:
        yield float(piece.partition('width="')[2].partition('"')[0])


def test_a_chart_tells_its_numbers_to_those_who_do_not_see_it() -> None:
    drawn = bar([Part(kind="found", name="found something", number=2)], name="query_logs")
    assert 'role="img"' in drawn
    assert 'aria-label="query_logs: 2 found something"' in drawn


def test_a_long_name_of_a_rule_breaks_on_a_narrow_page() -> None:
    assert ".rules code{overflow-wrap:anywhere}" in STYLE


def test_the_headline_tells_the_worst() -> None:
    assert headline(AuditTotals(most=1).ended()) == "There is no session here."
    assert headline(audited(("s", (success(1),), "Fine."))) == "Each session rests on something that a call found."
    doubt = audited(("s", (failure(1),), "The tool failed, so I could not determine it."))
    assert headline(doubt) == "1 of 1 session rests on no evidence, and none of them hides it."
