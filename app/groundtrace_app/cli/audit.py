"""`audit`: what the answers of every session rest on, for people, for programs, as a page, and as an exit code."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from returns import result
from returns.iterables import Fold
from returns.result import Result

from groundtrace.audit_rules import RULE_WORDS, Rule
from groundtrace.audit_totals import Audited
from groundtrace.problem import Problem
from groundtrace.wording import one_line
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.audit_files import FilesTaken
from groundtrace_app.audit_page.page import PageHead, page_of, undated_words
from groundtrace_app.auditing import AuditWishes, audit_store
from groundtrace_app.cli.audit_report import print_audit
from groundtrace_app.cli.audit_source import Work, with_paths
from groundtrace_app.cli.audit_view import audit_view
from groundtrace_app.cli.audit_writing import kept_of, page_refused, write_page
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.import_transcripts import format_asked
from groundtrace_app.cli.keeping import version_words
from groundtrace_app.cli.opening import Flags, settings_from, told, with_store
from groundtrace_app.cli.options import TOOL_FLAGS, without_password
from groundtrace_app.cli.printing import counted_words, fail, print_json, safe
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_load import STANDARD_INPUT
from groundtrace_app.cli.store_opening import span_of
from groundtrace_app.settings import Settings
from groundtrace_app.trace import store_problem

TERMINAL_SESSIONS = 20
"""So many sessions are printed in full unless `--limit` says otherwise; a page and JSON hold 500."""

NAMED_SOURCES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How it is told: `subject` names what was audited, `page` is the file of the page, `kept` what it never is."""

    subject: str
    page: Path | None
    kept: tuple[Path, ...]
    limit: int | None
    fail_on: frozenset[Rule]
    as_json: bool


def audit_command(
    paths: Sequence[str],
    *,
    format_name: str,
    expect: Sequence[str],
    ignore: Sequence[str],
    fail_on: Sequence[str],
    html: str | None,
    since: str | None,
    until: str | None,
    limit: int | None,
    flags: Flags,
    config: Path | None,
    as_json: bool,
) -> int:
    """Audit a store, or what the paths hold."""
    if paths and flags.get("store") is not None:
        return fail(Problem(what="paths and a store are given", where="audit", mend="name the paths or --store"))

    def run(rules: frozenset[Rule], settings: Settings, wishes: AuditWishes) -> int:
        page = None if html is None else Path(html)
        kept = tuple(Path(path) for path in paths if path != STANDARD_INPUT) if paths else kept_of(settings)
        refused = None if page is None else page_refused(page, kept)
        if refused is not None:
            return fail(refused)
        subject = _subject(paths, settings)
        shown = Shown(subject=subject, page=page, kept=kept, limit=limit, fail_on=rules, as_json=as_json)
        if paths:
            return _over_paths(paths, format_name, lambda store, files: _audit(store, wishes, shown, files))
        expected = wishes.expected or _configured(settings)
        asked = replace(wishes, expected=expected, pass_needs=settings.pass_needs)
        return with_store(flags, config, lambda store: _audit(store, asked, shown))

    read = Result.do(
        run(rules, settings, replace(_wishes(expect, span[0], span[1], limit), ignored=tuple(dict.fromkeys(ignore))))
        for rules in rules_of(fail_on)
        for span in span_of(since, until)
        for settings in _settings(paths, flags, config)
    )
    return read.lash(told()).unwrap()


def rules_of(names: Sequence[str], /) -> Result[frozenset[Rule], Problem]:
    """Return the rules of these names, written with dashes or underscores; an unknown one is a Problem."""
    return Fold.collect([_rule(name) for name in names], result.Success(())).map(frozenset)


def _rule(name: str) -> Result[Rule, Problem]:
    word = name.strip().lower().replace("-", "_")
    if word in list(Rule):
        return result.Success(Rule(word))
    near = get_close_matches(word, list(Rule), n=1)
    perhaps = f"did you mean {near[0]}? " if near else ""
    what = f"there is no rule {one_line(name, 60)!r}"
    return result.Failure(Problem(what=what, where="--fail-on", mend=f"{perhaps}known: {', '.join(Rule)}"))


def _wishes(expect: Sequence[str], since: datetime | None, until: datetime | None, limit: int | None) -> AuditWishes:
    asked = AuditWishes(expected=tuple(dict.fromkeys(expect)), since=since, until=until)
    return asked if limit is None else replace(asked, most=limit)


def _settings(paths: Sequence[str], flags: Flags, config: Path | None) -> Result[Settings, Problem]:
    """Return the settings of a store; an audit of paths is the same wherever it runs, and has none."""
    return result.Success(Settings()) if paths else settings_from(flags, config)


def _configured(settings: Settings) -> tuple[str, ...]:
    """Return the tools whose sources are set: each session is expected to have asked them."""
    return tuple(tool for tool, flag in TOOL_FLAGS.items() if getattr(settings, flag))


def _subject(paths: Sequence[str], settings: Settings) -> str:
    if not paths:
        return without_password(settings.store)
    named = ", ".join("standard input" if path == "-" else path for path in paths[:NAMED_SOURCES])
    return named + (f" and {len(paths) - NAMED_SOURCES:,} more" if len(paths) > NAMED_SOURCES else "")


def _over_paths(paths: Sequence[str], format_name: str, work: Work) -> int:
    return format_asked(format_name).map(lambda form: with_paths(paths, form, work)).lash(told()).unwrap()


def _audit(store: Store, wishes: AuditWishes, shown: Shown, files: FilesTaken | None = None) -> int:
    with ProgressLine() as line:
        found = audit_store(store, wishes, watch=lambda number: line.count("sessions read:", number))
    return (
        found.alt(store_problem).map(lambda audited: _tell(audited, shown, files)).lash(told(Exit.UNAVAILABLE)).unwrap()
    )


def _tell(found: Audited, shown: Shown, files: FilesTaken | None) -> int:
    if shown.as_json:
        print_json(audit_view(found, files))
    else:
        print_audit(found, files, most=TERMINAL_SESSIONS if shown.limit is None else shown.limit)
    for one in found.unreadable:
        fail(Problem(what=one, where="not audited"))
    written = Exit.DONE if shown.page is None else _write_page(found, shown, shown.page, files)
    if found.undated_left_out:
        fail(Problem(what=undated_words(found), where="audit", mend="leave --since and --until out to see them"))
    if shown.fail_on and not found.number:
        fail(Problem(what="no session was audited, so no rule was looked at", where="--fail-on"))
        return written or Exit.SOME_REFUSED
    broken = found.broken(shown.fail_on)
    for rule, number in broken.items():
        what = f"{counted_words(number, 'session', 'sessions')}: {RULE_WORDS[rule]}"
        fail(Problem(what=what, where=f"--fail-on {rule.value}"))
    return written or (Exit.SOME_REFUSED if broken or found.unreadable_number else Exit.DONE)


def _write_page(found: Audited, shown: Shown, page: Path, files: FilesTaken | None) -> Exit:
    refused = page_refused(page, shown.kept)
    if refused is not None:
        return Exit(fail(refused))
    head = PageHead(subject=shown.subject, made_at=datetime.now(UTC), release=version_words(), files=files)
    written = write_page(page, page_of(found, head))
    if not written and not shown.as_json:
        print(f"The page is in {safe(str(page))}.")
    return written
