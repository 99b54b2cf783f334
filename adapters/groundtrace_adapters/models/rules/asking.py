"""The shape of a question: what an answer must state to answer it at all, be it true or not."""

import re
from dataclasses import dataclass
from enum import StrEnum

from groundtrace_adapters.models.rules.asked_time import LAST_STRETCH, MARGIN, REACH, Asked
from groundtrace_adapters.models.rules.evidence import LogUnit
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.templates import is_severe
from groundtrace_adapters.models.rules.words import singular, stem, tokens


class Shape(StrEnum):
    """What is asked for."""

    COUNT = "count"
    FIRST = "first"
    LAST = "last"
    EXTREME = "extreme"
    MOST = "most"
    MEAN = "mean"
    WHOLE = "whole"
    STATE = "state"
    TROUBLE = "trouble"
    LOGS = "logs"
    VALUE = "value"
    RATE = "rate"
    TREND = "trend"


# Possessive, and spans with a bound: a question is anybody's text, and no search in it may take its square.
_STARTS = r"^\W*+(?:(?:so|and|also|ok|please)\b\W*+)?+"
_SPAN = ".{0,300}"
_WHETHER = rf"{_STARTS}(?:is|are|was|were|did|does|do|has|have|had)\b"
_ASKS_WHETHER = rf"{_STARTS}(?:is|are|was|were|did|does|do|has|have|had|which|who|what)\b"
_WELL = "up|ok|fine|good|working|running|available|alive|online|stable|normal|safe|ready|well"
_SHAPES: dict[Shape, re.Pattern[str]] = {
    shape: re.compile(pattern, re.IGNORECASE)
    for shape, pattern in (
        (Shape.COUNT, r"\bhow (?:many|often|frequently)\b|\b(?:number|count|total) of\b|\bcount (?:the|all|every)\b"),
        (
            Shape.FIRST,
            (
                r"\b(?:first|earliest|initial|initially|oldest)\b|\b(?:start|starts|started|begin|begins|began|begun)\b"
                r"|\bsince when\b|\bhow long\b"
            ),
        ),
        (
            Shape.LAST,
            (
                r"\b(?:last|latest|final|finally|newest)\b|\bmost recent(?:ly)?\b"
                r"|\b(?:end|ends|ended|ending|stop|stops|stopped|cease|ceased|finish|finished)\b|\bhow long\b"
            ),
        ),
        (
            Shape.EXTREME,
            r"\b(?:max|maximum|peak|peaked|highest|min|minimum|lowest|largest|biggest|greatest|smallest|worst)\b",
        ),
        (Shape.MOST, r"\b(?:most|more|fewer|fewest|less|least)\b(?! recent)|\b(?:busiest|loudest|slowest|fastest)\b"),
        (Shape.MEAN, r"\b(?:average|averaged|avg|median)\b|\bthe mean\b|\bon average\b"),
        (
            Shape.WHOLE,
            (
                r"\b(?:only|solely|exclusively|alone)\b|\bthe (?:second|third|fourth|fifth|next|previous|other)\b"
                rf"|{_WHETHER}{_SPAN}(?<!\bat )\b(?:all|every|each|both|everything|everyone|always|entire|whole)\b"
                rf"|{_ASKS_WHETHER}{_SPAN}(?:\b(?:no|not|never|none|nothing|nobody|without)\b|n['\u2019]t\b)"
            ),
        ),
        (
            Shape.STATE,
            (
                r"\bover\s*(?:\?|$|now|yet|already|by|at)|\b(?:recover|recovers|recovered|resolved|healthy|fixed|okay)\b"
                r"|\bback (?:to|up|online|again)\b|\b(?:came|come|comes|is|are|was|were|went|be) back\b|\bagain\b"
                rf"|{_WHETHER}{_SPAN}\b(?:{_WELL})\b"
            ),
        ),
        (
            Shape.TROUBLE,
            (
                r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|exceptions?|wrong|brok(?:e|en)|problems?|faults?|faulty"
                r"|crash(?:es|ed|ing)?|unavailable|unhealthy|outages?|issues?|trouble|(?<!shut )(?<!shutting )down)\b"
            ),
        ),
        (
            Shape.LOGS,
            (
                rf"\b(?:show|give|list|print|display|get|see|quote)\b{_SPAN}\b(?:logs?|entries|lines|messages)\b"
                rf"|\b(?:what|which)\b{_SPAN}\b(?:log|logs|logged|entries|lines|messages)\b"
            ),
        ),
        (
            Shape.TREND,
            (
                rf"{_WHETHER}{_SPAN}\b(?:increas\w*|decreas\w*|ris(?:e|es|en|ing)|rose|grow\w*|grew|f[ae]ll(?:s|en|ing)?|drop\w*"
                r"|climb\w*|declin\w*|improv\w*|worse\w*|better)\b"
            ),
        ),
        (Shape.RATE, r"\brates?\b|\bper (?:second|minute|hour)\b"),
        (
            Shape.VALUE,
            (
                rf"{_STARTS}what(?:'s|\s+(?:is|was|were|are))\b|\bhow (?:much|high|low|large|big|full)\b"
                rf"|{_STARTS}(?!what|which|who|why|how|when|where|is|are|was|were|did|does|do|has|have|had|show|give|list)\w"
            ),
        ),
    )
}
_FAULTY = frozenset("error errors fail fails failed failing failure failures exception exceptions fault faults".split())
_PRESENT = re.compile(rf"{_STARTS}(?:is|are)\b", re.IGNORECASE)
_YES_NO = re.compile(_WHETHER, re.IGNORECASE)
_EVENTS = _FAULTY | frozenset("times entries lines messages warnings logs log occurrences events did was were".split())
_COUNTED = re.compile(
    r"\b(?:how many|number of|count of)\s+(?:the\s+)?(?P<kind>(?:different|distinct|unique|kinds?|types?)\b)?\s*"
    rf"(?P<thing>[\w-]+)(?P<failed>{_SPAN}\b(?:failed|fail|failing|fails)\b)?",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<![\w:.-])(\d{3,})(?=s?(?![\w:-]))")
_WINDOWED = frozenset({Shape.COUNT, Shape.FIRST, Shape.LAST, Shape.MOST, Shape.EXTREME, Shape.MEAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The log entries that a question speaks of: with every root in `roots`, of error level if `severe`."""

    roots: frozenset[str]
    identifiers: tuple[str, ...]
    severe: bool

    def __bool__(self) -> bool:
        """Tell whether the question says at all which entries it means."""
        return bool(self.roots or self.identifiers or self.severe)

    def has(self, log: LogUnit, /) -> bool:
        """Tell whether an entry is one of those."""
        text = " ".join([log.text, *log.fields.values()])
        named = all(one.casefold() in text.casefold() for one in self.identifiers)
        return named and self.roots <= {stem(word) for word in tokens(text)} and (not self.severe or is_severe(log))


def shapes_of(subject: Subject, /) -> frozenset[Shape]:
    """Return the shapes of a question; one that asks for a procedure has none."""
    if subject.procedural:
        return frozenset()
    text = LAST_STRETCH.sub(" ", subject.text)
    found = frozenset(shape for shape, pattern in _SHAPES.items() if pattern.search(text))
    return found | {Shape.STATE} if _PRESENT.search(text) and not subject.asked and not subject.kinds else found


def asks_whether(subject: Subject, /) -> bool:
    """Tell whether a question wants a yes or a no."""
    return _YES_NO.search(subject.text) is not None


def uncounted(subject: Subject, /) -> str:
    """Return what a question wants counted that no entries are: `how many services failed`; blank if it is entries."""
    found = _COUNTED.search(subject.text)
    if found is None:
        return ""
    thing = found["thing"].lower()
    if found["kind"] or (found["failed"] and thing not in _EVENTS):
        return f"{found['kind'] or ''} {thing}".strip()
    wanted = wanted_entries(subject)
    is_entry = thing in _EVENTS or stem(thing) in wanted.roots or singular(thing) in wanted.roots
    return "" if is_entry else thing


def is_of_all(shapes: frozenset[Shape], /) -> bool:
    """Tell whether a question without a time can only be answered from all data."""
    return bool(shapes & _WINDOWED)


def wanted_entries(subject: Subject, /) -> Wanted:
    """Return which entries a question means."""
    said = tokens(subject.text)
    codes = frozenset(found[1] for found in _CODE.finditer(subject.text))
    return Wanted(
        roots=frozenset(root for root in subject.asked_words() if not root.isdigit()) | codes,
        identifiers=subject.identifiers,
        severe=bool(_FAULTY & set(said)),
    )


def is_open(asked: Asked, /) -> bool:
    """Tell whether a stretch has one end only: `since`, `after` and `before` reach further than was looked."""
    return asked.span is not None and REACH in (asked.before, asked.after)


def is_minute(asked: Asked, /) -> bool:
    """Tell whether a stretch is one time that was widened: `at 11:52`."""
    return asked.span is not None and asked.before == asked.after == MARGIN
