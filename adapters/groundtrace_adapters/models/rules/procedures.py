"""Statements that rest on runbooks alone: they may say what a runbook says, never that something happened."""

from collections.abc import Sequence

from groundtrace_adapters.models.rules.amounts import stands_in
from groundtrace_adapters.models.rules.claims import Claims
from groundtrace_adapters.models.rules.evidence import PassageUnit
from groundtrace_adapters.models.rules.findings import Judgement, Standing
from groundtrace_adapters.models.rules.prose import read_against, turns
from groundtrace_adapters.models.rules.quotations import holds, is_negated
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.words import PROCEDURE, REPORTING, STATING

_PAST = frozenset("was were had did happened occurred been logged saw seen began started".split())
_FREE = STATING | REPORTING | PROCEDURE | frozenset("do you should".split())


def judge_procedure(claims: Claims, passages: Sequence[PassageUnit], subject: Subject, /) -> Judgement:
    """Return how a statement stands against the one passage that carries it best."""
    happened = _claims_event(claims)
    if happened:
        return _unsupported(claims, happened)
    best: list[str] | None = None
    for passage in passages:
        faults = _faults(claims, passage)
        if not faults:
            return Judgement(text=claims.text, standing=Standing.SUPPORTED, passages=(passage,))
        best = faults if best is None or len(faults) < len(best) else best
    return _unsupported(claims, *(best or ["the cited rows hold no passage"]))


def _claims_event(claims: Claims) -> str:
    if claims.stamps or claims.spans or claims.dates:
        return "a runbook cannot show that something happened at a time"
    if claims.names:
        return f"a runbook cannot show anything about {claims.names[0].text}"
    past = [word for word in claims.words if word in _PAST]
    return f"a runbook cannot show that something `{past[0]}`" if past else ""


def _faults(claims: Claims, passage: PassageUnit) -> list[str]:
    text = " ".join((passage.title, passage.heading, passage.uri, passage.text))
    faults = [
        f"`{quote.text}` does not stand in the cited passage" for quote in claims.quotes if not holds(text, quote.text)
    ]
    faults += [f"`{quote.text}` is negated where it stands" for quote in claims.quotes if is_negated(text, quote.text)]
    faults += [f"{number.text} does not stand there" for number in claims.numbers if not stands_in(number, text)]
    reading = read_against(claims.words, text, free=_FREE)
    faults += [f"the passage does not say {', '.join(reading.missing[:6])}"] if reading.missing else []
    if not claims.quotes:
        if not reading.carried:
            faults.append("it states nothing that the passage could show")
        elif turns(text, reading.carried):
            faults.append("the passage negates what the statement says")
    return faults


def _unsupported(claims: Claims, *notes: str) -> Judgement:
    return Judgement(text=claims.text, standing=Standing.UNSUPPORTED, notes=notes)
