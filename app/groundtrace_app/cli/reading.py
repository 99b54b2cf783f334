"""`sessions` and `show`: reading the trace. Nothing that was withheld is printed unasked."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from returns.result import Result

from groundtrace.disclosure import must_hide
from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import SessionLine, StoreError
from groundtrace.problem import Problem
from groundtrace.summary import describe_entry
from groundtrace.wording import one_line
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_store
from groundtrace_app.cli.printing import (
    counted_words,
    fail,
    fit,
    paint,
    plain,
    print_json,
    safe,
    safe_lines,
    width,
    wrapped,
)
from groundtrace_app.cli.timeline import COLOURS, moment_words, part_lines, parts_of, span_words
from groundtrace_app.cli.views import evaluation_view, row_view
from groundtrace_app.trace import store_problem
from groundtrace_app.trace_summary import read_rows

_LEVEL_COLOURS: Mapping[str, str] = {
    EvidenceLevel.DIRECT: "good",
    EvidenceLevel.INDIRECT: "poor",
    EvidenceLevel.NONE: "quiet",
}


def sessions_command(*, flags: Flags, config: Path | None, limit: int, as_json: bool) -> int:
    """List sessions."""

    def work(store: Store) -> int:
        return code_of(store.sessions(limit=limit).map(lambda lines: _print_sessions(lines, as_json=as_json)))

    return with_store(flags, config, work)


def show_command(
    session: str, *, flags: Flags, config: Path | None, limit: int, replies: bool, reveal: bool, as_json: bool
) -> int:
    """Show the rows, the entries and the decisions of a session."""

    def work(store: Store) -> int:
        return code_of(
            Result.do(
                _show_json(session, rows, entries, kept, limit=limit, reveal=reveal)
                if as_json
                else _show(session, rows, entries, kept, limit=limit, replies=replies, reveal=reveal)
                for rows in read_rows(store, session, most=limit + 1)
                for entries in store.entries(session)
                for kept in store.evaluations(session)
            )
        )

    return with_store(flags, config, work)


def code_of(read: Result[int, StoreError], /) -> int:
    """Return the exit code of what was read; a store that could not be read is said."""
    return read.alt(store_problem).lash(told(Exit.UNAVAILABLE)).unwrap()


def _print_sessions(lines: Sequence[SessionLine], *, as_json: bool) -> int:
    if as_json:
        print_json(lines)
    elif not lines:
        print("No session yet. Ask with `groundtrace ask`, or record with `groundtrace record`.")
    else:
        print(paint(f"{'first call':<21}{'last call':<21}{'calls':>6}  {'last decision':<13}  session", "head"))
        for one in lines:
            decision = f"{one.decision or '-':<13}"
            first, last = moment_words(one.first_at), moment_words(one.last_at)
            named = f"{first:<21}{last:<21}{one.rows:>6}  "
            print(f"{named}{paint(decision, COLOURS.get(one.decision or '', ''))}  {safe(one.session_id)}")
    return Exit.DONE


def _show_json(
    session: str,
    rows: Sequence[Invocation],
    entries: Sequence[EvidenceEntry],
    kept: Sequence[Evaluation],
    *,
    limit: int,
    reveal: bool,
) -> int:
    if not rows and not kept:
        return unknown(session)
    print_json(
        {
            "session_id": session,
            "rows": [row_view(row) for row in rows[:limit]],
            "more_rows": len(rows) > limit,
            "entries": entries_view(entries),
            "evaluations": [evaluation_view(one, reveal=reveal) for one in kept],
        }
    )
    return Exit.DONE


def _show(
    session: str,
    rows: Sequence[Invocation],
    entries: Sequence[EvidenceEntry],
    kept: Sequence[Evaluation],
    *,
    limit: int,
    replies: bool,
    reveal: bool,
) -> int:
    if not rows and not kept:
        return unknown(session)
    columns = width()
    for part in parts_of(rows[:limit], kept):
        print_lines(part_lines(part, columns))
        if part.evaluation is not None and (replies or reveal):
            _print_reply(part.evaluation, reveal=reveal)
        print()
    if len(rows) > limit:
        print(f"Shown up to here: {counted_words(limit, 'call', 'calls')}; --limit shows more.\n")
    print(paint("Evidence by tool and topic", "head"))
    print_entries(entries, columns)
    return Exit.DONE


def _print_reply(one: Evaluation, *, reveal: bool) -> None:
    print(quoted("what the user was shown", one.shown))
    if reveal and must_hide(one):
        print(quoted("withheld answer", one.answer or "(none)"))
        print(quoted("verifier's reply", one.raw or "(none)"))


def quoted(title: str, text: str, /) -> str:
    """Return a text of others under a title, each line marked as quoted."""
    return "\n".join((f"  {title}:", *(f"  | {line}" for line in safe_lines(text).split("\n"))))


def entries_view(entries: Sequence[EvidenceEntry], /) -> list[dict[str, object]]:
    """Return entries for programs, each with its line of words."""
    return [{**plain(one), "words": describe_entry(one)} for one in entries]


def print_entries(entries: Sequence[EvidenceEntry], columns: int, /) -> None:
    """Print entries, each under its level."""
    for one in entries:
        level = f"{one.level.value:<8}"
        line = fit(f"{level}  {safe(one.tool_name)} about {safe(one.topic_domain)}", columns)
        print(line.replace(level, paint(level, _LEVEL_COLOURS[one.level]), 1))
        words = f"{describe_entry(one)}, {span_words(one.first_at, one.last_at)}"
        print(wrapped(safe(words), columns, indent=10))
        for error in one.errors[1:]:
            print(wrapped(safe(f"also failed: {one_line(error, 300)}"), columns, indent=10, hang=2))


def print_lines(lines: Iterable[str], /) -> None:
    """Print line by line."""
    for line in lines:
        print(line)


def unknown(session: str, /) -> int:
    """Say that a session holds nothing at all."""
    what = f"nothing is recorded under session {one_line(session, 200)!r}"
    return fail(Problem(what=what, where="session", mend="see `groundtrace sessions`"))
