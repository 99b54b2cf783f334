"""An audit for people, in the width of what it is printed to: sessions that rest on the least, tools, and the sum."""

from collections.abc import Iterator, Mapping

from groundtrace.audit import SessionAudit
from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import RULE_GRADES, RULE_WORDS, Finding, Grade
from groundtrace.audit_totals import Audited
from groundtrace.entries import EvidenceLevel
from groundtrace.wording import one_row
from groundtrace_app.audit_files import FilesTaken
from groundtrace_app.audit_page.page import headline, silent_words, undated_words
from groundtrace_app.cli.printing import counted_words, fit, paint, safe, width, wrapped

TOOLS_PRINTED = 15
LEVEL_WIDTH, ALLOWED_WIDTH, COUNT_WIDTH = 9, 11, 7
"""Beside these an id of 36 characters fits in 80 columns; an id is never cut, so that it can be copied."""

_GRADE_COLOURS: Mapping[Grade, str] = {Grade.GRAVE: "bad", Grade.GAP: "poor", Grade.NOTE: "quiet"}
_GRADE_SIGNS: Mapping[Grade, str] = {Grade.GRAVE: "!!", Grade.GAP: " !", Grade.NOTE: "  "}
_LEVEL_COLOURS: Mapping[EvidenceLevel, str] = {
    EvidenceLevel.DIRECT: "good",
    EvidenceLevel.INDIRECT: "poor",
    EvidenceLevel.NONE: "bad",
}


def print_audit(found: Audited, files: FilesTaken | None = None, /, *, most: int) -> None:
    """Print at most so many sessions, the least first; then all of them counted, and what is not among them."""
    lines = _lines(found, most, width()) if found.number else iter(("No session is recorded here.",))
    for line in lines:
        print(line)
    for line in _missing(found, files):
        print(wrapped(safe(line), width(), hang=2))


def _missing(found: Audited, files: FilesTaken | None) -> Iterator[str]:
    if files is not None:
        yield f"{files.words()}."
        yield from (f"{line}." for line in files.gaps())
    if found.undated:
        yield f"{undated_words(found)}."


def _lines(found: Audited, most: int, columns: int) -> Iterator[str]:
    yield paint(_heads(), "head")
    shown = found.sessions[:most]
    for one in shown:
        yield from _session(one, columns)
    if found.number > len(shown):
        yield f"... and {counted_words(found.number - len(shown), 'more session', 'more sessions')}; --limit shows more"
    yield ""
    yield from _tools(found, columns)
    yield from _silent(found, columns)
    yield ""
    yield from _rules(found, columns)
    yield ""
    yield wrapped(headline(found), columns)


def _heads() -> str:
    heads = f"{'rests on':<{LEVEL_WIDTH}}{'allows':<{ALLOWED_WIDTH}}"
    return heads + "".join(f"{word:>{COUNT_WIDTH}}" for word in ("calls", "found", "failed")) + "  session"


def _session(one: SessionAudit, columns: int) -> Iterator[str]:
    total = one.total
    level = f"{one.level.value:<{LEVEL_WIDTH}}"
    numbers = "".join(f"{number:>{COUNT_WIDTH},}" for number in (total.calls, total.successes, total.failures))
    line = f"{level}{one.allowed.value:<{ALLOWED_WIDTH}}{numbers}  {safe(one.session_id)}"
    yield line.replace(level, paint(level, _LEVEL_COLOURS[one.level]), 1)
    if one.question:
        yield paint(fit(f"     asked: {safe(one.question)}", columns), "quiet")
    for finding in one.findings:
        yield _finding(finding, columns)


def _finding(one: Finding, columns: int) -> str:
    told = wrapped(safe(one.line), columns, indent=5, hang=1)
    return paint(f"  {_GRADE_SIGNS[one.grade]} {told[5:]}", _GRADE_COLOURS[one.grade])


def _tools(found: Audited, columns: int) -> Iterator[str]:
    named = list(found.tools.items())
    shown, rest = named[:TOOLS_PRINTED], named[TOOLS_PRINTED:]
    if rest:
        sum_ = sum((counts for _, counts in rest), ToolCounts())
        shown.append((f"{counted_words(len(rest), 'other tool', 'other tools')}", sum_))
    room = min(max((len(safe(name)) for name, _ in shown), default=4), columns - 5 * 9 - 1)
    if not shown:
        return
    yield paint(
        f"{'tool':<{room}}" + "".join(f"{word:>9}" for word in ("calls", "found", "empty", "again", "failed")), "head"
    )
    for name, one in shown:
        numbers = (one.calls, one.successes, one.no_evidence, one.deduped, one.failures)
        yield f"{fit(safe(one_row(name, 200)), room):<{room}}" + "".join(f"{number:>9,}" for number in numbers)


def _silent(found: Audited, columns: int) -> Iterator[str]:
    for line in silent_words(found):
        yield paint(wrapped(safe(line), columns, hang=2), "poor")


def _rules(found: Audited, columns: int) -> Iterator[str]:
    if not found.rules:
        return
    room = max(len(rule) for rule in found.rules)
    yield paint(f"{'rule':<{room}}  sessions", "head")
    for rule, number in found.rules.items():
        head = f"{rule.value:<{room}}{number:>10,}"
        words = wrapped(RULE_WORDS[rule], columns, indent=len(head) + 2)
        yield paint(head, _GRADE_COLOURS[RULE_GRADES[rule]]) + words[len(head) :]
