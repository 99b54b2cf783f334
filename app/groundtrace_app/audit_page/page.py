"""The whole page in pieces, so that it can be written as it is made: overview, outcomes by tool, sessions."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import RULE_GRADES, RULE_WORDS, Grade, Rule
from groundtrace.audit_totals import Audited
from groundtrace.entries import EvidenceLevel
from groundtrace.wording import one_row
from groundtrace_app.audit_files import FilesTaken
from groundtrace_app.audit_page.charts import bar, legend
from groundtrace_app.audit_page.markup import joined, tag, text
from groundtrace_app.audit_page.sessions import COLUMNS, count_cells, mark, session_item
from groundtrace_app.audit_page.style import STYLE
from groundtrace_app.audit_page.words import (
    calls_words,
    outcome_parts,
    session_parts,
    sessions_words,
    span_words,
)

MARK = '<meta name="generator" content="groundtrace audit">'
"""Stands in the head of each page: a file that has it may be written over by the next one."""

TOOLS_SHOWN = 12
OPENED = 1
"""So many sessions are shown open, if they are grave: the first shows what there is to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """What the page says of itself: what was audited, when (UTC), by which release, and from which files if any."""

    subject: str
    made_at: datetime
    release: str
    files: FilesTaken | None = None


def page_of(found: Audited, head: PageHead, /) -> Iterator[str]:
    """Yield the page piece by piece; together they are one HTML document."""
    yield "<!doctype html>\n"
    yield f'<html lang="en">\n<head>{_head(head)}</head>\n<body>\n<main>\n'
    yield _top(found, head)
    yield _rules(found)
    yield _tools(found)
    yield from _sessions(found)
    yield f"</main>\n{_foot(head)}\n</body>\n</html>\n"


def _head(head: PageHead) -> str:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return joined(
        (
            tag("meta", charset="utf-8"),
            MARK,
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="referrer", content="no-referrer"),
            tag("title", text(f"What the answers rest on: {head.subject}")),
            f"<style>{STYLE}</style>",
        )
    )


def _top(found: Audited, head: PageHead) -> str:
    counted = (sessions_words(found.number), calls_words(found.total.calls))
    read = () if head.files is None else (head.files.words(),)
    facts = (*read, *counted, span_words(found.first_at, found.last_at))
    parts = session_parts(found)
    chart = (bar(parts, name="Sessions by what they rest on"), legend(parts)) if found.number else ()
    return tag(
        "header",
        tag("p", "What the answers rest on", class_="kicker"),
        tag("h1", text(headline(found))),
        tag(
            "p", tag("b", text(head.subject)), text(joined(f" \u00b7 {fact}" for fact in facts if fact)), class_="facts"
        ),
        *chart,
        _unreadable(found),
        _gaps(found, head),
        _places(found),
    )


def _places(found: Audited) -> str:
    """Return the way to the parts of the page: a long list of tools must not hide the sessions."""
    parts = (("found", "What was found", found.rules), ("tools", "Tools", found.tools))
    there = (*((place, words) for place, words, any_ in parts if any_), ("sessions", "Sessions"))
    return tag("nav", *(tag("a", words, href=f"#{place}") for place, words in there)) if found.number else ""


def headline(found: Audited, /) -> str:
    """Return in one sentence the worst that was found."""
    bare, gaps = found.grades.get(Grade.GRAVE, 0), found.grades.get(Grade.GAP, 0)
    none, of = found.levels.get(EvidenceLevel.NONE, 0), f"of {sessions_words(found.number)}"
    if not found.number:
        return "There is no session here."
    if bare:
        return f"{bare:,} {of} state{'s' if bare == 1 else ''} something that no call found."
    if gaps:
        return f"{gaps:,} {of} keep{'s' if gaps == 1 else ''} silent about a gap in the evidence."
    if none:
        return f"{none:,} {of} rest{'s' if none == 1 else ''} on no evidence, and none of them hides it."
    return "Each session rests on something that a call found."


def _unreadable(found: Audited) -> str:
    if not found.unreadable_number:
        return ""
    told = f"{sessions_words(found.unreadable_number)} could not be read and {_is(found.unreadable_number)} not counted"
    return tag("p", mark(Grade.GAP), text(f" {told}."), class_="warning")


def _gaps(found: Audited, head: PageHead) -> str:
    gaps = () if head.files is None else head.files.gaps()
    lines = (*gaps, *([undated_words(found)] if found.undated else []))
    return joined(tag("p", text(f"{line}."), class_="hint") for line in lines)


def undated_words(found: Audited, /) -> str:
    """Return how many sessions have no time of their own, and what became of them."""
    told = f"No time is recorded of {sessions_words(found.undated)}"
    return f"{told}, left out by --since or --until" if found.undated_left_out else told


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _rules(found: Audited) -> str:
    if not found.rules:
        return ""
    every = tag("tr", tag("td", _choice("all", "every session", checked=True)), _rule_cells(found.number, found.number))
    rows = joined(
        tag(
            "tr",
            tag("td", _choice(rule.value, RULE_WORDS[rule], grade=RULE_GRADES[rule], code=rule.value)),
            _rule_cells(number, found.number),
        )
        for rule, number in found.rules.items()
    )
    return tag(
        "section",
        tag("h2", "What was found"),
        tag("p", "Choose one to see its sessions alone.", class_="hint"),
        tag("table", tag("tbody", every, rows), class_="rules"),
        id="found",
    )


def _rule_cells(number: int, of: int) -> str:
    share = tag("td", f"{number / of:.0%}", class_="number quiet") if of else tag("td")
    return tag("td", f"{number:,}", class_="number") + share


def _choice(value: str, words: str, *, grade: Grade | None = None, code: str = "", checked: bool = False) -> str:
    box = tag("input", type="radio", name="show", id=f"show-{value}", value=value, checked=checked)
    name = tag("code", text(code)) if code else ""
    sign = mark(grade) if grade is not None else tag("span")
    return tag("label", box, sign, tag("span", text(words), " ", name), for_=f"show-{value}")


def _tools(found: Audited) -> str:
    if not found.tools:
        return ""
    named = list(found.tools.items())
    shown, rest = dict(named[:TOOLS_SHOWN]), dict(named[TOOLS_SHOWN:])
    if rest:
        shown[f"{len(rest):,} other tools"] = sum(rest.values(), ToolCounts())
    heads = tag("th", "tool", scope="col") + tag("th", tag("span", "share of outcomes", class_="unseen"), scope="col")
    numbers = joined(tag("th", word, scope="col", class_="number") for word in ("calls", *COLUMNS))
    table = tag("table", tag("thead", tag("tr", heads, numbers)), tag("tbody", _tool_rows(shown)), class_="outcomes")
    return tag(
        "section",
        tag("h2", "Outcomes by tool"),
        legend(outcome_parts(found.total)),
        tag("div", table, class_="scroll"),
        joined(tag("p", text(line), class_="hint") for line in silent_words(found)),
        id="tools",
    )


def silent_words(found: Audited, /) -> tuple[str, ...]:
    """Return a line for each of the first tools that found nothing in any of many calls."""
    tools = list(found.silent_tools.items())[:TOOLS_SHOWN]
    return tuple(f"{one_row(name, 200)} found nothing in any of its {number:,} calls." for name, number in tools)


def _tool_rows(tools: Mapping[str, ToolCounts]) -> str:
    most = max(counts.calls for counts in tools.values())
    return joined(
        tag(
            "tr",
            tag("th", text(name), scope="row"),
            tag("td", bar(outcome_parts(counts), most=most, height=60, name=name), class_="drawn"),
            count_cells(counts),
        )
        for name, counts in tools.items()
    )


def _sessions(found: Audited) -> Iterator[str]:
    if not found.sessions:
        return
    yield '<section id="sessions">'
    yield tag("h2", "Sessions, those first that rest on the least")
    if found.left_out:
        words = f"Shown: the {len(found.sessions):,} that rest on the least; {found.left_out:,} more are counted above."
        yield tag("p", text(words), class_="hint")
    yield '<ol class="sessions">\n'
    for place, audit in enumerate(found.sessions):
        yield session_item(audit, opened=place < OPENED and audit.grade is Grade.GRAVE) + "\n"
    yield "</ol>"
    yield joined(_nothing_shown(rule, found) for rule in found.rules)
    yield "</section>\n"


def _nothing_shown(rule: Rule, found: Audited) -> str:
    """Say so where none of a rule's sessions is among those shown."""
    if any(audit.breaks(rule) for audit in found.sessions):
        return ""
    return tag("p", "None of them is among the sessions shown here.", class_=f"nothing has-{rule.value}")


def _foot(head: PageHead) -> str:
    made = head.made_at.replace(tzinfo=None).isoformat(" ", "minutes")
    return tag(
        "footer",
        tag(
            "p",
            "The verdict that a session allows is a ceiling: how far its evidence carries, not whether the answer is "
            "true. Hints are answers that show a part, or that only point at something; they carry what they "
            "themselves show, never an absence, a total or an order. What was withheld from users is not on this page.",
        ),
        tag("p", text(f"Made {made} UTC by {head.release}. It loads nothing and runs no script.")),
    )
