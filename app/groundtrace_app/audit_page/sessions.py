"""One session of the page: a line that says what it rests on and why, and below it what was called and said."""

from groundtrace.audit import SessionAudit
from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import RULE_WORDS, Finding, Grade
from groundtrace_app.audit_page.charts import bar
from groundtrace_app.audit_page.markup import joined, tag, text
from groundtrace_app.audit_page.words import (
    GRADE_MARKS,
    GRADE_WORDS,
    LEVEL_WORDS,
    calls_words,
    outcome_parts,
    span_words,
)

TOOLS_SHOWN = 40
ERROR_CHARACTERS = 300


def session_item(audit: SessionAudit, /, *, opened: bool = False) -> str:
    """Return one session as an item of the list."""
    rules = " ".join(f"has-{one.rule.value}" for one in audit.findings)
    return tag(
        "li",
        tag("details", _summary(audit), _inside(audit), open=opened),
        class_=f"session {grade_class(audit.grade)} {rules}".strip(),
    )


def grade_class(grade: Grade | None, /) -> str:
    """Return the class of a grade in the page's style."""
    return f"grade-{grade.value}" if grade is not None else "grade-none"


def mark(grade: Grade | None, /) -> str:
    """Return the sign of a grade, with its words for those who do not see it."""
    return tag(
        "span", GRADE_MARKS[grade], class_=f"mark {grade_class(grade)}", role="img", aria_label=GRADE_WORDS[grade]
    )


def _summary(audit: SessionAudit) -> str:
    total = audit.total
    head = [finding for finding in audit.findings if finding.grade is not Grade.NOTE] or list(audit.findings[:1])
    question = tag("span", text(audit.question), class_="question") if audit.question else ""
    return tag(
        "summary",
        mark(audit.grade),
        tag(
            "span",
            tag("span", text(audit.session_id), class_="id"),
            question,
            tag("span", joined(tag("span", text(one.line), class_="why") for one in head), class_="whys"),
            class_="what",
        ),
        tag(
            "span",
            bar(outcome_parts(total), height=60) if total.calls else "",
            tag("span", _found_words(total), class_="share"),
            class_="calls",
        ),
        tag(
            "span",
            tag("span", text(f"rests on {LEVEL_WORDS[audit.level]}"), class_=f"level level-{audit.level.value}"),
            tag("span", "allows ", tag("b", text(audit.allowed.value)), class_="allowed"),
            class_="ground",
        ),
    )


def _found_words(total: ToolCounts) -> str:
    if not total.calls:
        return "no call was made"
    return text(f"{total.successes:,} of {calls_words(total.calls)} found something")


def _inside(audit: SessionAudit) -> str:
    facts = {
        "Highest verdict": f"{audit.allowed.value}: {audit.why}",
        "Verdict given": _given(audit),
        "Turns": f"{audit.turns:,}",
        "When": span_words(audit.first_at, audit.last_at) or "no time is recorded",
    }
    told = joined(tag("div", tag("dt", text(name)), tag("dd", text(value))) for name, value in facts.items())
    return tag(
        "div",
        tag("ul", joined(map(_finding, audit.findings)), class_="findings") if audit.findings else "",
        tag("dl", told),
        _said(audit),
        _tools(audit) if audit.tools else "",
        class_="inside",
    )


def _given(audit: SessionAudit) -> str:
    if audit.decision is None or audit.cause is None:
        return "none is recorded"
    return f"{audit.decision.value} ({audit.cause.value})"


def _finding(one: Finding) -> str:
    names = tag("span", text(one.told), class_="names") if one.names else ""
    rule = tag("code", text(one.rule.value))
    return tag("li", mark(one.grade), tag("span", text(RULE_WORDS[one.rule]), " ", names, " ", rule))


def _said(audit: SessionAudit) -> str:
    if not audit.said:
        return ""
    return tag("figure", tag("figcaption", "What the user was told"), tag("blockquote", text(audit.said)))


def _tools(audit: SessionAudit) -> str:
    ordered = sorted(audit.tools.items(), key=lambda one: (-one[1].calls, one[0]))
    rows = joined(_tool(name, counts) for name, counts in ordered[:TOOLS_SHOWN])
    more = len(ordered) - TOOLS_SHOWN
    heads = joined(
        tag("th", word, scope="col", class_=kind)
        for word, kind in (("tool", None), *((word, "number") for word in ("calls", *COLUMNS)))
    )
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="tools")
    return tag("div", table, tag("p", f"and {more:,} more tools", class_="more") if more > 0 else "", class_="scroll")


COLUMNS = ("found", "empty", "repeated", "failed")


def count_cells(counts: ToolCounts, /) -> str:
    """Return the cells of a tool's numbers; a zero is quiet."""
    numbers = (counts.calls, counts.successes, counts.no_evidence, counts.deduped, counts.failures)
    return joined(tag("td", f"{number:,}", class_="number" if number else "number zero") for number in numbers)


def _tool(name: str, counts: ToolCounts) -> str:
    shown = (error if len(error) <= ERROR_CHARACTERS else f"{error[:ERROR_CHARACTERS]}..." for error in counts.errors)
    errors = joined(tag("li", text(" ".join(error.split()))) for error in shown)
    list_ = tag("ul", errors, class_="errors") if errors else ""
    return tag("tr", tag("th", text(name), list_, scope="row"), count_cells(counts))
