"""One statement against what it cites: each claim in it is looked for, and what is left over must be said there too.

A statement is contradicted only where all else in it holds: else it speaks of something that the rows do not show.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.amounts import stands_in
from groundtrace_adapters.models.rules.case import Case, build_case
from groundtrace_adapters.models.rules.claims import Claims, Number, read_claims
from groundtrace_adapters.models.rules.concern import concerns
from groundtrace_adapters.models.rules.counts import check_count
from groundtrace_adapters.models.rules.entities import Name
from groundtrace_adapters.models.rules.evidence import Row
from groundtrace_adapters.models.rules.findings import Finding, Held, Judgement, Standing, unsupported
from groundtrace_adapters.models.rules.log_numbers import check_denied
from groundtrace_adapters.models.rules.measurements import check_value, implied_series, matching_series
from groundtrace_adapters.models.rules.procedures import judge_procedure
from groundtrace_adapters.models.rules.quotations import check_quote
from groundtrace_adapters.models.rules.readings import count_noun
from groundtrace_adapters.models.rules.statements import Statement
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.wording import check_wording


def judge(
    statement: Statement, rows: Mapping[str, Row], subject: Subject, /, *, names: Iterable[Name], metrics: Iterable[str]
) -> Judgement:
    """Return how a statement stands against the rows that it cites."""
    fault = _citation_fault(statement, rows)
    if fault:
        return Judgement(text=statement.text, standing=Standing.UNSUPPORTED, notes=(fault,))
    cited = tuple(rows[label] for label in statement.citations)
    claims = read_claims(statement.text, names=names, metrics=metrics)
    if not any(row.logs or row.series for row in cited):
        return judge_procedure(claims, tuple(passage for row in cited for passage in row.passages), subject)
    return _weigh(build_case(claims, subject, cited, shown=rows.values()))


def _citation_fault(statement: Statement, rows: Mapping[str, Row]) -> str:
    if statement.odd:
        return f"the citation {statement.odd[0][:40]} is none"
    if not statement.citations:
        return "no citation stands behind it"
    unknown = [label for label in statement.citations if label not in rows]
    if unknown:
        return f"{unknown[0]} was not shown"
    useless = [label for label in statement.citations if not rows[label].usable]
    return f"{useless[0]} returned nothing that could carry it" if useless else ""


def _weigh(case: Case) -> Judgement:
    quotes = [check_quote(quote, case) for quote in case.claims.quotes]
    quoted = tuple(dict.fromkeys(held for finding in quotes for held in finding.logs)) if quotes else ()
    series, series_findings = _series(case)
    numbers = [_number(number, case, quoted, series) for number in case.claims.numbers]
    findings = [*quotes, *series_findings, *numbers]
    wording, findings_of_words = check_wording(case, quoted=quoted, series=series, findings=tuple(findings))
    findings += findings_of_words
    logs = _unique(held for finding in findings for held in finding.logs) or wording
    points = tuple(dict.fromkeys(point for finding in findings for point in finding.points))
    findings += _anchors(case, logs, points)
    return _judgement(case.claims, findings, logs, points)


def _series(case: Case) -> tuple[tuple[Held, ...], list[Finding]]:
    if not case.claims.series:
        return (() if case.claims.quotes and not case.claims.numbers else implied_series(case)), []
    found: list[Held] = []
    faults: list[Finding] = []
    for mention in case.claims.series:
        meant = matching_series(mention, case.series)
        found += meant
        if not meant:
            faults.append(unsupported(f"no cited series is {case.claims.text[mention.begin : mention.end]}"))
    return _unique(found), faults


def _number(number: Number, case: Case, quoted: Sequence[Held], series: Sequence[Held]) -> Finding:
    noun = count_noun(number, case.claims)
    if noun is not None and any(row.logs for row in case.rows):
        return check_count(number, noun, case)
    near = _near(number, case, series)
    in_series = check_value(number, near, case) if near else unsupported(f"{number.text} stands in no cited row")
    if in_series.standing is Standing.SUPPORTED:
        return in_series
    pool = quoted or case.logs
    logs = tuple(held for held in pool if held.log is not None and stands_in(number, held.log.text))
    if logs:
        return Finding(standing=Standing.SUPPORTED, logs=logs)
    return in_series if near else check_denied(number, case, pool)


def _near(number: Number, case: Case, series: Sequence[Held]) -> tuple[Held, ...]:
    """Return the series of the name written last before a number, where the statement writes several."""
    before = [mention for mention in case.claims.series if mention.begin < number.begin] or list(case.claims.series[:1])
    return matching_series(before[-1], series) if before else tuple(series)


def _anchors(case: Case, logs: Sequence[Held], points: Sequence[tuple[Held, datetime]]) -> list[Finding]:
    """Return what is wrong with the names and times of a statement, given what carries it."""
    found: list[Finding] = []
    units = [held.log for held in logs if held.log] + [held.series for held, _ in points if held.series]
    strange = [one.text for one in case.claims.names if not any(concerns(unit, one) for unit in units)]
    found += [unsupported(f"nothing that carries it concerns {text}") for text in strange]
    moments = [held.log.at for held in logs if held.log and held.log.at] + [at for _, at in points]
    alone = [stamp for stamp in case.stamps if not any(stamp.covers(moment) for moment in moments)]
    written = [case.claims.text[stamp.begin : stamp.end] for stamp in alone]
    found += [unsupported(f"nothing that carries it lies at {text}") for text in written]
    days = {moment.date() for moment in moments}
    found += [unsupported(f"nothing that carries it lies on {day}") for day in case.claims.dates if day not in days]
    for span in case.claims.spans:
        if not any(span.covers(moment) for moment in moments):
            found.append(unsupported("nothing that carries it lies in the stretch of time that it names"))
    if case.subject.asked and not any(case.subject.in_time(moment) for moment in moments):
        found.append(unsupported("it speaks of another time than the question"))
    return found


def _judgement(
    claims: Claims, findings: Sequence[Finding], logs: Sequence[Held], points: Sequence[tuple[Held, datetime]]
) -> Judgement:
    standings = {finding.standing for finding in findings}
    denied = Standing.CONTRADICTED in standings
    loose = Standing.UNSUPPORTED in standings or not (logs or points or denied)
    standing = Standing.UNSUPPORTED if loose else Standing.CONTRADICTED if denied else Standing.SUPPORTED
    notes = [finding.note for finding in findings if finding.standing is not Standing.SUPPORTED and finding.note]
    if not (logs or points) and not notes:
        notes = ["it states nothing that a cited row could show"]
    return Judgement(text=claims.text, standing=standing, notes=tuple(notes), logs=tuple(logs), points=tuple(points))


def _unique(held: Iterable[Held]) -> tuple[Held, ...]:
    return tuple({id(one.log or one.series): one for one in held}.values())
