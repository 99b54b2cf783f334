"""`summary`: one session, several or a time, summed up by tool and topic."""

from collections.abc import Sequence
from pathlib import Path

from returns import result
from returns.iterables import Fold
from returns.result import Result

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.material import time_text
from groundtrace.ports import StoreError, StoreFault
from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_store
from groundtrace_app.cli.printing import fail, print_json, width
from groundtrace_app.cli.reading import code_of, entries_view, print_entries, unknown
from groundtrace_app.cli.store_opening import span_of
from groundtrace_app.trace_summary import ToolTraceSummaryService


def summary_command(
    sessions: Sequence[str], *, since: str | None, until: str | None, flags: Flags, config: Path | None, as_json: bool
) -> int:
    """Sum up what is named."""
    return (
        _scope(sessions, since, until)
        .map(lambda scope: with_store(flags, config, lambda store: _summed(store, scope, as_json=as_json)))
        .lash(told())
        .unwrap()
    )


def _scope(sessions: Sequence[str], since: str | None, until: str | None) -> Result[SummaryScope, Problem]:
    if not sessions and since is None and until is None:
        return result.Failure(
            Problem(what="nothing is named", where="summary", mend="name a session, or a time by --since")
        )
    named = tuple(dict.fromkeys(sessions)) or None
    return span_of(since, until).map(lambda span: SummaryScope(sessions=named, since=span[0], until=span[1]))


def _summed(store: Store, scope: SummaryScope, *, as_json: bool) -> int:
    service = ToolTraceSummaryService(store)
    if scope.sessions is not None and len(scope.sessions) == 1 and scope.since is None and scope.until is None:
        (session,) = scope.sessions
        return code_of(service.session(session).map(lambda entries: _print_session(session, entries, as_json=as_json)))
    read = Result.do(
        _known_alone(scope, missing, entries, as_json=as_json)
        for missing in _missing(store, scope.sessions or ())
        for entries in service.within(scope)
    )
    return code_of(read.lash(_too_many))


def _missing(store: Store, sessions: Sequence[str]) -> Result[tuple[str, ...], StoreError]:
    """Those of the sessions that hold no call at all, at whatever time."""
    found = Fold.collect([store.rows(session, limit=1) for session in sessions], result.Success(()))
    return found.map(lambda pages: tuple(session for session, rows in zip(sessions, pages, strict=True) if not rows))


def _known_alone(
    scope: SummaryScope, missing: Sequence[str], entries: Sequence[EvidenceEntry], *, as_json: bool
) -> int:
    """Print what the known sessions sum up to, and name the others: a slip must not pass for silence."""
    for session in missing:
        unknown(session)
    if missing and len(missing) == len(scope.sessions or ()):
        return Exit.BAD_INPUT
    _print_scope(scope, entries, as_json=as_json)
    return Exit.SOME_REFUSED if missing else Exit.DONE


def _too_many(error: StoreError) -> Result[int, StoreError]:
    """What was asked for is at fault, and not the store."""
    if error.fault is not StoreFault.TOO_MANY:
        return result.Failure(error)
    return result.Success(fail(Problem(what=error.message, where="summary")))


def _print_session(session: str, entries: Sequence[EvidenceEntry], *, as_json: bool) -> int:
    if not entries:
        return unknown(session)
    if as_json:
        print_json({"session_id": session, "entries": entries_view(entries)})
    else:
        print_entries(entries, width())
    return Exit.DONE


def _print_scope(scope: SummaryScope, entries: Sequence[EvidenceEntry], *, as_json: bool) -> None:
    if as_json:
        since, until = (None if time is None else time_text(time) for time in (scope.since, scope.until))
        print_json({"sessions": scope.sessions, "since": since, "until": until, "entries": entries_view(entries)})
    elif entries:
        print_entries(entries, width())
    else:
        print("Nothing is recorded there.")
