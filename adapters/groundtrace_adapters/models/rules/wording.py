"""The words that remain of a statement once quotations, series, names, times and numbers are taken out of it.

Each must be a word of grammar or reporting, a computed word that was computed, or a word of the evidence itself.
"""

from collections.abc import Iterable, Sequence

from groundtrace_adapters.models.rules.case import Case
from groundtrace_adapters.models.rules.changes import check_direction, check_place
from groundtrace_adapters.models.rules.findings import Finding, Held, Standing, unsupported
from groundtrace_adapters.models.rules.measurements import STEPPED
from groundtrace_adapters.models.rules.prose import causal_words, read_against, turns
from groundtrace_adapters.models.rules.readings import AGGREGATES, BOUNDS, DIRECTIONS, count_noun, visible
from groundtrace_adapters.models.rules.symptoms import name_words
from groundtrace_adapters.models.rules.words import DENYING, REPORTING, STATING, WHOLE, tokens

_FREE = STATING | REPORTING
_PLACES = frozenset("first last earliest latest".split())
POOL = 2_000
"""How many entries are read for the words of one statement, at most."""

_TOTALS = frozenset("total altogether exactly".split())


def check_wording(
    case: Case, /, *, quoted: Sequence[Held], series: Sequence[Held], findings: tuple[Finding, ...]
) -> tuple[tuple[Held, ...], list[Finding]]:
    """Return the entries that the remaining words rest on (where nothing is quoted), and what is wrong with them."""
    freed, faults = _computed(case, quoted, series, findings)
    words = [word for word in case.claims.words if word not in freed]
    causal = [word for word in causal_words(case.claims.masked) if not _said_whole(word, quoted or case.logs)]
    faults += [unsupported(f"`{word}` claims a cause that no cited row states") for word in causal]
    faults += [unsupported(f"`{found[0]}` denies that") for found in DENYING.finditer(visible(case.claims.masked))]
    carried, reading_faults = _left_over(case, words, quoted, series, findings)
    return carried, faults + reading_faults


def _computed(
    case: Case, quoted: Sequence[Held], series: Sequence[Held], findings: tuple[Finding, ...]
) -> tuple[frozenset[str], list[Finding]]:
    """Return the words that computing has answered for, and the findings of what was computed."""
    said = set(case.claims.words)
    freed = {word for finding in findings for word in finding.words}
    computed: list[Finding] = []
    if any(finding.standing is Standing.SUPPORTED and finding.points for finding in findings):
        freed |= {word for phrase in BOUNDS for word in tokens(phrase)} | said & set(AGGREGATES) & freed
    counts = [number for number in case.claims.numbers if count_noun(number, case.claims)]
    if counts:
        freed |= _TOTALS | set(tokens(" ".join(count_noun(number, case.claims) or "" for number in counts)))
    if said & set(DIRECTIONS) and any(finding.points for finding in findings):
        computed.append(check_direction(case, findings))
        freed |= set(DIRECTIONS)
    if said & _PLACES and (quoted or counts):
        computed.append(check_place(case))
        freed |= _PLACES
    return frozenset(freed), computed


def _left_over(
    case: Case, words: Sequence[str], quoted: Sequence[Held], series: Sequence[Held], findings: Iterable[Finding]
) -> tuple[tuple[Held, ...], list[Finding]]:
    named = " ".join(_words_of_series(series))
    counted = tuple(held for finding in findings for held in finding.logs)
    pool = (tuple(quoted) or counted or case.logs)[:POOL]
    free = _FREE | set(tokens(named))
    bare = read_against(words, "", free=free)
    if not bare.missing:
        return (() if quoted or counted or series else _seen(case, words)), _whole_fault(case, words)
    best, reading = None, bare
    for held in pool:
        text = _words_of_log(held)
        one = read_against(words, text, free=free)
        if best is None or len(one.missing) < len(reading.missing):
            best, reading = held, one
    if best is None or reading.missing:
        return (), [unsupported(f"no cited row says {', '.join(reading.missing[:6])}")]
    if not quoted and best.log is not None and turns(best.log.text, reading.carried):
        return (), [unsupported("the cited entry negates what the statement says")]
    return (() if quoted or counted else (best,)), _whole_fault(case, [])


def _seen(case: Case, words: Sequence[str]) -> tuple[Held, ...]:
    """Return the entries behind `X logged entries at T`: words of reporting that claim an entry and no content."""
    claims_entry = {"logged", "logs", "log", "entry", "entries", "wrote"} & set(words)
    return case.logs[:1] if claims_entry and case.claims.names and (case.stamps or case.claims.spans) else ()


def _whole_fault(case: Case, words: Sequence[str]) -> list[Finding]:
    whole = [word for word in words if word in WHOLE]
    return [unsupported(f"`{whole[0]}` claims more than the cited rows can show")] if whole else []


def _words_of_series(series: Iterable[Held]) -> Iterable[str]:
    for held in series:
        if held.series is not None:
            yield " ".join(name_words(held.series.metric))
            yield STEPPED.get(held.series.aggregate, "")
            yield " ".join(f"{label} {value}" for label, value in held.series.labels.items())


def _words_of_log(held: Held) -> str:
    if held.log is None:
        return ""
    return " ".join([held.log.text, *(f"{field} {value}" for field, value in held.log.fields.items())])


def _said_whole(word: str, pool: Iterable[Held]) -> bool:
    return any(held.log is not None and word in held.log.text.lower() for held in pool)
