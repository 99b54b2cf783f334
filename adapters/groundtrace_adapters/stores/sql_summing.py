"""How the statements of summaries are run in one transaction: which of them, with what, and in which order."""

import json
from collections.abc import Mapping, Sequence

from groundtrace.entries import SummaryScope
from groundtrace_adapters.stores.answer_rows import Answer, SummaryAnswers, plain_counts
from groundtrace_adapters.stores.plain_values import INTEGERS, as_integer, as_text, is_storable
from groundtrace_adapters.stores.sql_summary import Summing, monthly_summaries_for, summaries_for
from groundtrace_adapters.stores.sql_text import Dialect
from groundtrace_adapters.stores.work import Work

_ENDS = 3
"""So many fields stand behind the counts of a session in months."""


class SqlSummaries:
    """Summaries in one dialect; holds no state."""

    def __init__(self, dialect: Dialect, /) -> None:
        self._dialect = dialect
        self._sql = summaries_for(dialect)
        self._monthly = monthly_summaries_for(dialect)

    def of_session(self, work: Work, session_id: str, /) -> SummaryAnswers:
        """Sum a session up by way of the covering index; where it does not hold every row, by way of the words."""
        page = {"session": session_id}
        if work.in_months:
            return self._of_session_in_months(work, page)
        if work.fetch(self._sql.apart, page):
            return _summed(work, self._sql.session, page)
        return plain_counts(_summed(work, self._sql.plain, page))

    def within(self, work: Work, scope: SummaryScope, /, *, most: int) -> SummaryAnswers | None:
        """Sum a scope up; None if it holds more than `most` rows."""
        page: dict[str, object] = {
            "since": scope.since or self._dialect.earliest,
            "until": scope.until or self._dialect.latest,
        }
        sql = self._monthly if work.in_months else self._sql
        statements, size = sql.of_time, sql.size_of_time
        if scope.sessions is not None:
            statements, size = sql.of_sessions, sql.size_of_sessions
            page["sessions"] = json.dumps(sorted(filter(is_storable, scope.sessions)))
        most = min(max(most, 0), INTEGERS[-2])
        ((held, *ends),) = work.fetch(size, {**page, "limit": most + 1})
        return None if as_integer(held) > most else _summed(work, statements, {**page, **_between(ends)})

    def _of_session_in_months(self, work: Work, page: Mapping[str, object]) -> SummaryAnswers:
        """Look for the session in every month once; what the transaction sees of it then lies between two ids."""
        sql = self._monthly
        counts = work.fetch(sql.counts, page)
        bounded = {**page, **_between([row[place] for row in counts for place in (-_ENDS, 1 - _ENDS)])}
        if any(row[-1] for row in counts):
            return _summed(work, sql.session, bounded)
        known = [row[:-_ENDS] for row in counts]
        rest = Summing(counts="", supporting=sql.supporting, errors=sql.errors)
        return plain_counts(_summed(work, rest, bounded, counts=known))


def _summed(
    work: Work, statements: Summing, page: Mapping[str, object], *, counts: Answer | None = None
) -> SummaryAnswers:
    return SummaryAnswers(
        counts=work.fetch(statements.counts, page) if counts is None else counts,
        supporting=work.fetch(statements.supporting, page),
        errors=work.fetch(statements.errors, page),
    )


def _between(ids: Sequence[object]) -> dict[str, str]:
    """Return bounds that hold these ids, which this very transaction has seen; of none, any bounds do."""
    known = sorted(as_text(id) for id in ids if id is not None) or [""]
    return {"least": known[0], "most": known[-1]}
