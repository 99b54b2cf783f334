"""A number that an entry states otherwise: the same word beside another number, in the entry of the very second."""

import re
from collections.abc import Sequence
from datetime import timedelta

from groundtrace_adapters.models.rules.case import Case
from groundtrace_adapters.models.rules.claims import Number
from groundtrace_adapters.models.rules.findings import Finding, Held, contradicted, unsupported
from groundtrace_adapters.models.rules.readings import stamp_of
from groundtrace_adapters.models.rules.words import REPORTING, STATING, tokens

_LOOSE = STATING | REPORTING
_NUMBER = r"(?<![\w.])\d+(?:[.,]\d+)*"


def check_denied(number: Number, case: Case, pool: Sequence[Held], /) -> Finding:
    """Return whether an entry of the number's own second states another number for the same word."""
    stamp = stamp_of(number, case.stamps, case.claims)
    if stamp is not None and stamp.precision <= timedelta(seconds=1):
        key_before, key_after = _keys(number, case)
        for held in pool:
            if held.log is not None and held.log.at is not None and stamp.covers(held.log.at):
                other = _beside(held.log.text, key_before, key_after)
                if other:
                    return contradicted(f"the entry of that time says {other}, not {number.text}", logs=(held,))
    return unsupported(f"{number.text} stands in no cited row")


def _keys(number: Number, case: Case) -> tuple[str, str]:
    text = case.claims.masked
    before = [word for word in tokens(text[max(0, number.begin - 40) : number.begin]) if word not in _LOOSE]
    after = [word for word in tokens(text[number.end : number.end + 25])[:1] if word not in _LOOSE]
    return (before[-1] if before else "", after[0] if after else "")


def _beside(text: str, before: str, after: str) -> str:
    forms = []
    if before:
        forms.append(rf"\b{re.escape(before)}\b\W{{0,4}}({_NUMBER})")
    if after:
        forms.append(rf"({_NUMBER})\s+{re.escape(after)}\b")
    for form in forms:
        found = re.search(form, text, re.IGNORECASE)
        if found is not None:
            return found[1]
    return ""
