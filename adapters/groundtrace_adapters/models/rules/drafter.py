"""The executor role: observations from the shown rows, each with its citation; never a cause, never an absence.

What departs most from its own earlier values comes first, then what the logs say, then what a runbook says. A total,
a first and a last are told only of complete rows.
"""

from collections.abc import Iterable

from groundtrace.roles import DraftRequest
from groundtrace_adapters.models.rules.asked_time import EPOCH
from groundtrace_adapters.models.rules.asking import Shape, shapes_of
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.evidence import Row, known_names, read_rows
from groundtrace_adapters.models.rules.log_observations import log_statements
from groundtrace_adapters.models.rules.passages import passage_statements
from groundtrace_adapters.models.rules.saying import dated
from groundtrace_adapters.models.rules.series_observations import series_statements
from groundtrace_adapters.models.rules.shaped_answers import shaped_statements
from groundtrace_adapters.models.rules.standing_out import LOUD, departures
from groundtrace_adapters.models.rules.subject import Subject, read_subject
from groundtrace_adapters.models.rules.templates import is_severe
from groundtrace_adapters.models.rules.trouble import is_trouble

NOTHING = "Nothing was found for this question in what was searched."
NO_ERROR = "No entry of an error was found in what was searched."
STATEMENTS = 9
"""The most statements of one answer."""


def draft(request: DraftRequest, /) -> str:
    """Return the answer: one statement a line, or one line that says that nothing was found."""
    rows = tuple(row for row in read_rows(request.shown) if row.usable)
    now = max((shown.row.started_at for shown in request.shown), default=EPOCH)
    metrics = frozenset(series.metric for row in rows for series in row.series)
    subject = read_subject(request.question, now=now, names=known_names(rows), metrics=metrics)
    told = tuple(_statements(rows, subject))
    statements = (*_unknown(rows, subject), *(_limits(rows, subject) if told else ()), *told)[:STATEMENTS]
    if not statements:
        return NOTHING
    return statements[0] if len(statements) == 1 else "\n".join(f"- {one}" for one in statements)


def _statements(rows: tuple[Row, ...], subject: Subject) -> Iterable[str]:
    if subject.procedural:
        yield from passage_statements(rows, subject)
        return
    shaped = shaped_statements(rows, subject)
    if shaped:
        yield from dated(shaped)
        return
    loud, quiet = series_statements(rows, subject)
    logs = log_statements(rows, subject)
    if logs and Shape.LOGS in shapes_of(subject):
        loud, quiet = (), ()
    yield from dated([*loud, *logs, *(() if loud else quiet)])
    if any(is_severe(log) for row in rows for log in row.logs):
        yield from passage_statements(rows, subject)


def _limits(rows: tuple[Row, ...], subject: Subject) -> Iterable[str]:
    """Yield that no error was found, without a citation: no row shows an absence, so such an answer is never sure."""
    logs = [log for row in rows for log in row.logs if subject.in_time(log.at) and concerns_any(log, subject.names)]
    found = any(is_trouble(log, subject) for log in logs) or any(one.size >= LOUD for one in departures(rows, subject))
    if Shape.TROUBLE in shapes_of(subject) and not found:
        yield NO_ERROR


def _unknown(rows: tuple[Row, ...], subject: Subject) -> Iterable[str]:
    """Yield the names in the question that nothing found names."""
    if subject.procedural or not rows:
        return
    logs = [" ".join([log.text, log.origin, *log.fields.values()]) for row in rows for log in row.logs]
    series = [" ".join([one.metric, *one.labels.values()]) for row in rows for one in row.series]
    passages = [" ".join([one.title, one.uri, one.text]) for row in rows for one in row.passages]
    text = " ".join([*logs, *series, *passages]).casefold()
    strange = (one for one in subject.identifiers if one.casefold() not in text)
    yield from (f"`{one}` is not known to the sources that were searched." for one in strange)
