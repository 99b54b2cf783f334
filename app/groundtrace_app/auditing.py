"""Every session of a store audited, page by page: what it holds of them is bounded, whatever the store holds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.audit import SessionAudit, audit_session
from groundtrace.audit_totals import UNTIMED_YEAR, Audited, AuditTotals, is_told
from groundtrace.decision import PassNeeds
from groundtrace.ports import SessionLine, StoreError, StoreFault
from groundtrace.wording import one_line
from groundtrace_adapters.stores.opening import Store

PAGE_SESSIONS = 200
TURNS_READ = 200
"""So many turns of a session are read, its last ones; its calls are all counted."""

SESSIONS_KEPT = 500
UNREADABLE_TOLD = 20
_UNTIMED_BELOW = datetime(UNTIMED_YEAR + 1, 1, 1, tzinfo=UTC)
_SPOILT = frozenset({StoreFault.CORRUPT})
"""What is wrong with one session, and not with the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWishes:
    """What is audited, and under which rules.

    `expected` are tools and sources that each session should have asked, `ignored` those about which an answer may be
    silent. Sessions whose last record lies in `since <= time < until` are audited, and `most` are kept in full.
    """

    expected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    pass_needs: PassNeeds = PassNeeds.ANY
    since: datetime | None = None
    until: datetime | None = None
    most: int = SESSIONS_KEPT


def audit_store(
    store: Store, wishes: AuditWishes, /, *, watch: Callable[[int], None] = lambda _: None
) -> Result[Audited, StoreError]:
    """Audit the sessions of a store; one that cannot be read is told and costs no other."""
    run = _Run(store, wishes)
    for page in _pages(store, wishes.since):
        if not is_successful(page):
            return result.Failure(page.failure())
        for line in page.unwrap():
            if not _wanted(line, wishes):
                run.undated_left_out += not is_told(line.last_at)
                continue
            refused = run.take(line.session_id)
            if refused is not None:
                return result.Failure(refused)
            watch(run.totals.number)
    return result.Success(run.ended())


@dataclass(slots=True)
class _Run:
    store: Store
    wishes: AuditWishes
    totals: AuditTotals = field(init=False)
    unreadable: list[str] = field(default_factory=list)
    unreadable_number: int = 0
    undated_left_out: int = 0

    def __post_init__(self) -> None:
        self.totals = AuditTotals(most=self.wishes.most)

    def take(self, session_id: str) -> StoreError | None:
        """Audit one session; return why the store gives no more."""
        audited = self._audited(session_id)
        if is_successful(audited):
            self.totals.take(audited.unwrap())
            return None
        refused = audited.failure()
        if refused.fault not in _SPOILT:
            return refused
        self.unreadable_number += 1
        if len(self.unreadable) < UNREADABLE_TOLD:
            self.unreadable.append(f"session {one_line(session_id, 200)!r}: {refused.message}")
        return None

    def _audited(self, session_id: str) -> Result[SessionAudit, StoreError]:
        return Result.do(
            audit_session(
                session_id,
                entries,
                kept,
                expected=self.wishes.expected,
                ignored=self.wishes.ignored,
                pass_needs=self.wishes.pass_needs,
            )
            for entries in self.store.entries(session_id)
            for kept in self.store.evaluations(session_id, latest=TURNS_READ)
        )

    def ended(self) -> Audited:
        return self.totals.ended(
            unreadable=tuple(self.unreadable),
            unreadable_number=self.unreadable_number,
            undated_left_out=self.undated_left_out,
        )


def _pages(store: Store, since: datetime | None) -> Iterator[Result[Sequence[SessionLine], StoreError]]:
    """Yield the sessions in pages, the latest first, down to the earliest that is wanted, and then those untimed."""
    before: SessionLine | None = None
    while True:
        page = store.sessions(before=before, limit=PAGE_SESSIONS)
        yield page
        lines = page.value_or(())
        if len(lines) < PAGE_SESSIONS:
            return
        last = lines[-1]
        ended = _before(last.last_at, since) and is_told(last.last_at)
        before = replace(last, last_at=_UNTIMED_BELOW, session_id="") if ended else last


def _wanted(line: SessionLine, wishes: AuditWishes) -> bool:
    if not is_told(line.last_at) and (wishes.since, wishes.until) != (None, None):
        return False
    return not _before(line.last_at, wishes.since) and (wishes.until is None or line.last_at < wishes.until)


def _before(moment: datetime, since: datetime | None) -> bool:
    return since is not None and moment < since
