"""One statement against the rows that it cites: which entries and series may carry it at all.

Pure. What concerns another thing, or happened at another time than statement and question speak of, is out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from groundtrace_adapters.models.rules.claims import Claims
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.evidence import LogUnit, Row, SeriesUnit
from groundtrace_adapters.models.rules.findings import Held
from groundtrace_adapters.models.rules.moments import Stamp, days_around
from groundtrace_adapters.models.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A statement's claims with the entries (`logs`, in time and concern) and series (in concern) that it may rest on.

    `around` are the entries in concern whatever their time; `stamps` are the times that stand alone, not in a span.
    `shown` are all rows, cited or not: they may show that a cited row holds every such entry.
    """

    claims: Claims
    subject: Subject
    rows: tuple[Row, ...]
    logs: tuple[Held, ...]
    around: tuple[Held, ...]
    series: tuple[Held, ...]
    stamps: tuple[Stamp, ...]
    shown: tuple[Row, ...] = ()

    def in_time(self, moment: datetime | None, /) -> bool:
        """Tell whether a moment is one that the statement speaks of, or the question where the statement names none."""
        if self.stamps or self.claims.spans:
            return moment is not None and self._is_said(moment)
        return self.subject.in_time(moment)

    def _is_said(self, moment: datetime) -> bool:
        return any(stamp.covers(moment) for stamp in self.stamps) or any(
            span.covers(moment) for span in self.claims.spans
        )


def build_case(claims: Claims, subject: Subject, rows: Iterable[Row], /, *, shown: Iterable[Row] = ()) -> Case:
    """Return a statement with what it may rest on."""
    cited = tuple(rows)
    inside = {stamp.begin for span in claims.spans for stamp in (span.first, span.last)}
    inside |= {
        stamp.begin
        for stamp in claims.stamps
        if any(s.first.begin <= stamp.begin <= s.last.begin for s in claims.spans)
    }
    logs = tuple(Held(row=row, log=log) for row in cited for log in row.logs if _is_about(log, claims, subject))
    bare = Case(
        claims=claims,
        subject=subject,
        rows=cited,
        logs=(),
        around=logs,
        series=tuple(
            Held(row=row, series=one) for row in cited for one in row.series if _is_about(one, claims, subject)
        ),
        stamps=tuple(stamp for stamp in claims.stamps if stamp.begin not in inside),
    )
    timely = tuple(held for held in logs if held.log is not None and bare.in_time(held.log.at))
    return Case(
        claims=claims,
        subject=subject,
        rows=cited,
        logs=timely,
        around=logs,
        series=bare.series,
        stamps=bare.stamps,
        shown=tuple(shown),
    )


def is_searched(row: Row, case: Case, /) -> bool:
    """Tell whether a row's call searched the whole of every stretch that the statement names."""
    searched = row.searched()
    if searched is None or not case.claims.spans:
        return not case.claims.spans or not (row.params.get("start") or row.params.get("end"))
    days = days_around(searched.start)
    slack = timedelta(seconds=1)
    return all(
        any(searched.start <= span.on(day).start and span.until(day) <= searched.end + slack for day in days)
        for span in case.claims.spans
    )


def _is_about(unit: LogUnit | SeriesUnit, claims: Claims, subject: Subject) -> bool:
    return concerns_any(unit, claims.names) and concerns_any(unit, subject.names)
