"""The executor role: observations from the shown rows, each with its citation; never a cause, never an absence.

What departs most from its own earlier values comes first, then what the logs say, then what a runbook says. A total,
a first and a last are told only of complete rows.
"""

from collections.abc import Iterable

from groundtrace.roles import DraftRequest
from groundtrace_adapters.models.rules.asked_time import EPOCH
from groundtrace_adapters.models.rules.evidence import Row, known_names, read_rows
from groundtrace_adapters.models.rules.log_observations import log_statements
from groundtrace_adapters.models.rules.passages import passage_statements
from groundtrace_adapters.models.rules.saying import dated
from groundtrace_adapters.models.rules.series_observations import series_statements
from groundtrace_adapters.models.rules.subject import Subject, read_subject
from groundtrace_adapters.models.rules.templates import is_severe

NOTHING = "Nothing was found for this question in what was searched."
STATEMENTS = 9
"""The most statements of one answer."""


def draft(request: DraftRequest, /) -> str:
    """Return the answer: one statement a line, or one line that says that nothing was found."""
    rows = tuple(row for row in read_rows(request.shown) if row.usable)
    now = max((shown.row.started_at for shown in request.shown), default=EPOCH)
    metrics = frozenset(series.metric for row in rows for series in row.series)
    subject = read_subject(request.question, now=now, names=known_names(rows), metrics=metrics)
    statements = tuple(_statements(rows, subject))[:STATEMENTS]
    if not statements:
        return NOTHING
    return statements[0] if len(statements) == 1 else "\n".join(f"- {one}" for one in statements)


def _statements(rows: tuple[Row, ...], subject: Subject) -> Iterable[str]:
    if subject.procedural:
        yield from passage_statements(rows, subject)
        return
    loud, quiet = series_statements(rows, subject)
    logs = log_statements(rows, subject)
    yield from dated([*loud, *logs, *(() if loud else quiet)])
    if any(is_severe(log) for row in rows for log in row.logs):
        yield from passage_statements(rows, subject)
