"""`sessions`, `show`, `summary` and `explain`: reading the trace. Nothing that was withheld is printed unasked."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from returns.result import Result

from groundtrace.disclosure import must_hide, public_view
from groundtrace.entries import EvidenceEntry
from groundtrace.evaluation import Evaluation
from groundtrace.explanation import explain
from groundtrace.invocation import Invocation
from groundtrace.material import time_text
from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.summary import describe_entry
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import with_store
from groundtrace_app.cli.printing import console, fail, plain, print_json, safe, table
from groundtrace_app.trace_summary import ToolTraceSummaryService
from groundtrace_app.wiring import store_problem

Flags = Mapping[str, object]

ROWS_SHOWN = 1_000
QUESTION_WIDTH = 70


def sessions_command(*, flags: Flags, config: Path | None, limit: int, as_json: bool) -> int:
    """List sessions."""

    def work(store: Store) -> int:
        return _told(store.sessions(limit=limit).map(lambda lines: _print_sessions(lines, as_json)))

    return with_store(flags, config, work)


def show_command(session: str, *, flags: Flags, config: Path | None, reveal: bool, as_json: bool) -> int:
    """Show the rows, the entries and the decisions of a session."""

    def work(store: Store) -> int:
        return _told(
            store.rows(session, limit=ROWS_SHOWN).bind(
                lambda rows: store.entries(session).bind(
                    lambda merged: store.evaluations(session).map(
                        lambda kept: _show(session, rows, merged, kept, reveal=reveal, as_json=as_json)
                    )
                )
            )
        )

    return with_store(flags, config, work)


def summary_command(session: str, *, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Sum a session up."""

    def work(store: Store) -> int:
        read = ToolTraceSummaryService(store).session(session)
        return _told(read.map(lambda merged: _print_summary(session, merged, as_json)))

    return with_store(flags, config, work)


def explain_command(session: str, *, flags: Flags, config: Path | None, reveal: bool, as_json: bool) -> int:
    """Explain the decisions of a session."""

    def work(store: Store) -> int:
        return _told(
            store.evaluations(session).map(lambda kept: _explain(session, kept, reveal=reveal, as_json=as_json))
        )

    return with_store(flags, config, work)


def _told(read: Result[int, StoreError]) -> int:
    return read.alt(lambda error: fail(store_problem(error), Exit.UNAVAILABLE)).lash(Result.from_value).unwrap()


def _print_sessions(lines: Sequence[object], as_json: bool) -> int:
    rows = [plain(line) for line in lines]
    if as_json:
        print_json(rows)
    elif not rows:
        print("No session yet. Ask a question with `groundtrace ask`, or record with `groundtrace record`.")
    else:
        cells = [
            (one["session_id"], one["first_at"], one["last_at"], one["rows"], one["decision"] or "-") for one in rows
        ]
        console().print(table("Sessions", ("session", "first call", "last call", "calls", "decision"), cells))
    return Exit.DONE


def _show(
    session: str,
    rows: Sequence[Invocation],
    merged: Sequence[EvidenceEntry],
    kept: Sequence[Evaluation],
    *,
    reveal: bool,
    as_json: bool,
) -> int:
    if not rows and not kept:
        return _unknown(session)
    if as_json:
        print_json(
            {
                "session_id": session,
                "rows": rows,
                "entries": merged,
                "evaluations": [public_view(one, reveal=reveal) for one in kept],
            }
        )
        return Exit.DONE
    out = console()
    out.print(
        table(f"Session {safe(session)}: calls", ("time", "tool", "about", "outcome", "ms", "said"), map(_row, rows))
    )
    if len(rows) == ROWS_SHOWN:
        out.print(f"The first {ROWS_SHOWN} calls are shown; --json and `summary` know the rest.")
    print()
    _print_entries(merged)
    for one in kept:
        _print_decision(one, reveal=reveal)
    return Exit.DONE


def _row(row: Invocation) -> tuple[object, ...]:
    support = f" {row.support}" if row.support else ""
    reason = f" ({row.reason})" if row.reason else ""
    part = ", partial" if row.partial else ""
    return (
        row.started_at.strftime("%H:%M:%S"),
        row.tool_name,
        row.topic_domain,
        f"{row.outcome}{support}{reason}{part}",
        "-" if row.duration_ms is None else row.duration_ms,
        _said(row),
    )


def _said(row: Invocation) -> str:
    text = row.error_message or row.output_preview or row.input_params
    line = " ".join(text.split())
    return line if len(line) <= QUESTION_WIDTH else line[: QUESTION_WIDTH - 3] + "..."


def _print_entries(merged: Sequence[EvidenceEntry]) -> None:
    cells = [(one.tool_name, one.topic_domain, one.level, one.calls, describe_entry(one)) for one in merged]
    console().print(table("Evidence by tool and topic", ("tool", "about", "level", "calls", "in words"), cells))


def _print_summary(session: str, merged: Sequence[EvidenceEntry], as_json: bool) -> int:
    if not merged:
        return _unknown(session)
    if as_json:
        print_json({"session_id": session, "entries": [{**plain(one), "words": describe_entry(one)} for one in merged]})
    else:
        _print_entries(merged)
    return Exit.DONE


def _print_decision(one: Evaluation, *, reveal: bool) -> None:
    view = public_view(one, reveal=reveal)
    print()
    print(f"{time_text(one.created_at)}  {safe(one.question)}")
    print(f"  decision {one.decision} ({one.cause}), the verifier said {view['given'] or 'nothing'}")
    print(_indented(one.shown))
    if must_hide(one) and not reveal:
        print("  An answer was withheld here; --reveal-withheld prints it with the verifier's texts.")
    elif reveal:
        print(_indented(f"answer: {one.answer}\nverifier: {one.raw}"))


def _explain(session: str, kept: Sequence[Evaluation], *, reveal: bool, as_json: bool) -> int:
    if not kept:
        return _unknown(session)
    if as_json:
        print_json([{**public_view(one, reveal=reveal), "rules": explain(one)} for one in kept])
        return Exit.DONE
    for one in kept:
        print(f"{time_text(one.created_at)}  {safe(one.question)}")
        for number, rule in enumerate(explain(one), start=1):
            print(f"  {number}. {safe(rule)}")
        if reveal:
            print(_indented("verifier's reasons: " + "; ".join(one.reasons)))
        print()
    return Exit.DONE


def _indented(text: str) -> str:
    return "\n".join(f"  | {safe(line)}" for line in text.split("\n"))


def _unknown(session: str) -> int:
    return fail(
        Problem(
            what=f"nothing is recorded under session {session!r}", where="session", mend="see `groundtrace sessions`"
        )
    )
