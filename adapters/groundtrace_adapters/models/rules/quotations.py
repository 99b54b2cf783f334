"""Quoted texts against cited entries: a quotation must stand in an entry of the right thing and time.

The same text with another number, in an entry of the very second that the statement names, denies it.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from groundtrace_adapters.models.rules.case import Case
from groundtrace_adapters.models.rules.claims import Quote
from groundtrace_adapters.models.rules.concern import concerns
from groundtrace_adapters.models.rules.entities import Mention
from groundtrace_adapters.models.rules.evidence import PassageUnit
from groundtrace_adapters.models.rules.findings import Finding, Held, Standing, contradicted, unsupported
from groundtrace_adapters.models.rules.moments import Stamp
from groundtrace_adapters.models.rules.readings import stamp_of
from groundtrace_adapters.models.rules.words import NEGATION, tokens

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|\u2026)\s*")
_COUNTED = re.compile(r"(?:\w+ed|errors?|failures?|faults?|timeouts?|retries|warnings?)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?\n;:,]")
SHORTEST = 3
"""A quotation of fewer letters and digits shows nothing."""


def check_quote(quote: Quote, case: Case, /) -> Finding:
    """Return how a quotation stands: in an entry of the thing and the time that the statement puts beside it."""
    text = quote.text
    if len(re.sub(r"\W", "", text)) < SHORTEST:
        return unsupported(f"the quotation `{text}` is too short to show anything")
    held = tuple(one for one in case.logs if one.log is not None and holds(one.log.text, text))
    if held:
        return _beside(quote, held, case)
    if any(holds(part, text) for row in case.rows for passage in row.passages for part in _parts(passage)):
        return Finding(standing=Standing.SUPPORTED)
    other = _other_numbers(text, case)
    if other:
        return contradicted(f"the entry of that time reads otherwise than `{text}`", logs=other)
    return unsupported(f"`{text}` stands in no cited entry of that thing and time")


def _beside(quote: Quote, held: tuple[Held, ...], case: Case) -> Finding:
    """Keep the entries of the name and the time that stand nearest: with several of them, none may lend its entries."""
    mention = _name_of(quote, case)
    own = tuple(one for one in held if one.log is not None and (mention is None or concerns(one.log, mention)))
    if len(case.stamps) > 1:
        stamp = stamp_of(quote, case.stamps, case.claims)
        own = tuple(one for one in own if stamp is not None and _is_at(one, [stamp]))
    if not own:
        return unsupported(f"`{quote.text}` stands in no cited entry of the thing and time beside it")
    if all(one.log is not None and is_negated(one.log.text, quote.text) for one in own):
        return unsupported(f"`{quote.text}` is negated where it stands")
    return Finding(standing=Standing.SUPPORTED, logs=own)


def _name_of(quote: Quote, case: Case) -> Mention | None:
    names = case.claims.names
    before = [mention for mention in names if mention.end <= quote.begin]
    return before[-1] if before else names[0] if names else None


def holds(text: str, quote: str, /) -> bool:
    """Tell whether a text holds a quotation, white space and omissions (`...`) apart, its parts in their order."""
    plain = " ".join(text.split())
    place = 0
    for part in _ELLIPSIS.split(quote):
        found = plain.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def is_negated(text: str, quote: str, /) -> bool:
    """Tell whether the clause before a quotation turns it round: `do not restart` quoted as `restart`."""
    plain = " ".join(text.split())
    first = next((part for part in _ELLIPSIS.split(quote) if part), quote)
    place = plain.find(first)
    clause = _CLAUSE.split(plain[: max(place, 0)])[-1]
    said = tokens(clause)
    counted = _COUNTED.match(first) is not None and said[-1:] == ("0",)
    return counted or bool(set(said) & NEGATION)


def _parts(passage: PassageUnit) -> tuple[str, ...]:
    return (passage.text, passage.title, passage.heading, passage.uri)


def _other_numbers(quote: str, case: Case) -> tuple[Held, ...]:
    """Return entries of the very second that the statement names which hold the quotation but for its numbers."""
    form = _DIGITS.sub("#", quote)
    if form == quote or not re.search(r"[^\W\d_]{3}", form):
        return ()
    exact = [stamp for stamp in case.stamps if stamp.precision <= timedelta(seconds=1)]
    return tuple(held for held in case.around if _is_at(held, exact) and _has_form(held, form))


def _has_form(held: Held, form: str) -> bool:
    return held.log is not None and holds(_DIGITS.sub("#", held.log.text), form)


def _is_at(held: Held, stamps: Sequence[Stamp]) -> bool:
    at = None if held.log is None else held.log.at
    return at is not None and any(stamp.covers(at) for stamp in stamps)
