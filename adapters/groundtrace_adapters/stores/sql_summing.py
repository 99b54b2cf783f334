"""How the statements of summaries are run in one transaction: which of them, with what, and in which order."""

import json
from collections.abc import Mapping

from groundtrace.entries import SummaryScope
from groundtrace_adapters.stores.answer_rows import SummaryAnswers, plain_counts
from groundtrace_adapters.stores.plain_values import INTEGERS, as_integer, is_storable
from groundtrace_adapters.stores.sql_summary import Summing, summaries_for
from groundtrace_adapters.stores.sql_text import Dialect
from groundtrace_adapters.stores.work import Work


class SqlSummaries:
    """Summaries in one dialect; holds no state."""

    def __init__(self, dialect: Dialect, /) -> None:
        self._dialect = dialect
        self._sql = summaries_for(dialect)

    def of_session(self, work: Work, session_id: str, /) -> SummaryAnswers:
        """Sum a session up by way of the covering index; where it does not hold every row, by way of the words."""
        page = {"session": session_id}
        if work.fetch(self._sql.apart, page):
            return _summed(work, self._sql.session, page)
        return plain_counts(_summed(work, self._sql.plain, page))

    def within(self, work: Work, scope: SummaryScope, /, *, most: int) -> SummaryAnswers | None:
        """Sum a scope up; None if it holds more than `most` rows."""
        page: dict[str, object] = {
            "since": scope.since or self._dialect.earliest,
            "until": scope.until or self._dialect.latest,
        }
        statements, size = self._sql.of_time, self._sql.size_of_time
        if scope.sessions is not None:
            statements, size = self._sql.of_sessions, self._sql.size_of_sessions
            page["sessions"] = json.dumps(sorted(filter(is_storable, scope.sessions)))
        most = min(max(most, 0), INTEGERS[-2])
        ((held,),) = work.fetch(size, {**page, "limit": most + 1})
        return None if as_integer(held) > most else _summed(work, statements, page)


def _summed(work: Work, statements: Summing, page: Mapping[str, object]) -> SummaryAnswers:
    return SummaryAnswers(
        counts=work.fetch(statements.counts, page),
        supporting=work.fetch(statements.supporting, page),
        errors=work.fetch(statements.errors, page),
    )
