"""Claims about order: that a value rose or fell, that something was seen first or last."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.asking import Shape, shapes_of
from groundtrace_adapters.models.rules.case import Case
from groundtrace_adapters.models.rules.findings import Finding, Held, Standing, unsupported
from groundtrace_adapters.models.rules.quotations import holds
from groundtrace_adapters.models.rules.readings import DIRECTIONS, visible

_EARLY = frozenset({"first", "earliest"})
_PLACE_REACH = 30


def check_direction(case: Case, findings: Sequence[Finding], /) -> Finding:
    """Return how `rose`, `fell` and their like stand: two stated points of one series, or one and the point before.

    Where a stated point is denied, that decides, and the way between the points says nothing more.
    """
    if any(finding.standing is Standing.CONTRADICTED for finding in findings):
        return Finding(standing=Standing.SUPPORTED)
    signs = {DIRECTIONS[word] for word in case.claims.words if word in DIRECTIONS}
    stated = [point for finding in findings if finding.standing is Standing.SUPPORTED for point in finding.points]
    if len(signs) != 1 or not stated or len({id(held.series) for held, _ in stated}) != 1:
        return unsupported("the cited points do not show which way the value went")
    held = stated[0][0]
    moments = sorted(at for _, at in stated)
    values = _values(held)
    first = values.get(moments[0]) if len(set(moments)) > 1 else _before(values, moments[0])
    last = values.get(moments[-1])
    if first is None or last is None or (last - first) * signs.pop() <= 0:
        return unsupported("the cited points do not go that way")
    return Finding(standing=Standing.SUPPORTED)


def check_place(case: Case, /) -> Finding:
    """Return how `first at T` and `last at T` stand: only complete rows show them, inside a stretch that is named."""
    if not all(row.complete for row in case.rows if row.logs):
        return unsupported("first and last need complete evidence")
    if not (case.claims.spans or case.subject.asked or _is_of_all(case)):
        return unsupported("first and last need a stretch of time in which they hold")
    moments = sorted(_moments(case))
    text = case.claims.masked.lower()
    for word, place in _placed(text):
        behind = [one for one in case.stamps if one.begin >= place]
        stamp = next((one for one in behind if len(visible(text[place : one.begin])) <= _PLACE_REACH), None)
        moment = _at_end(moments, word)
        if stamp is None or moment is None or not stamp.covers(moment):
            return unsupported(f"the cited rows do not show that as the {word}")
    return Finding(standing=Standing.SUPPORTED)


def _is_of_all(case: Case) -> bool:
    """Tell whether all data were searched for the end that the question asks for (which is checked by itself)."""
    bounded = any(row.params.get("start") or row.params.get("end") for row in case.rows)
    return not bounded and bool(shapes_of(case.subject) & {Shape.FIRST, Shape.LAST})


def _moments(case: Case) -> Iterable[datetime]:
    """Return the times of the entries among which one is first: with the quotations, in the named stretch of time."""
    for held in case.around:
        if held.log is not None and held.log.at is not None and _in_stretch(held.log.at, case):
            text = held.log.text
            if all(holds(text, quote.text) for quote in case.claims.quotes):
                yield held.log.at


def _in_stretch(moment: datetime, case: Case) -> bool:
    spans = case.claims.spans
    return any(span.covers(moment) for span in spans) if spans else case.subject.in_time(moment)


def _at_end(moments: Sequence[datetime], word: str) -> datetime | None:
    if not moments:
        return None
    return moments[0] if word in _EARLY else moments[-1]


def _placed(text: str) -> Iterable[tuple[str, int]]:
    for word in ("first", "earliest", "last", "latest"):
        place = text.find(word)
        if place >= 0:
            yield word, place + len(word)


def _values(held: Held) -> dict[datetime, float]:
    return {} if held.series is None else dict(held.series.points)


def _before(values: dict[datetime, float], moment: datetime) -> float | None:
    earlier = [at for at in values if at < moment]
    return values[max(earlier)] if earlier else None
