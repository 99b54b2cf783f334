"""When a written number is the number that stands in the evidence: rounding as far as it is written, units as named."""

import re

from groundtrace_adapters.models.rules.claims import Number
from groundtrace_adapters.models.rules.evidence import SeriesUnit
from groundtrace_adapters.models.rules.symptoms import name_words

_FIGURES = 3
_UNITS: dict[str, frozenset[str]] = {
    "%": frozenset({"%", "percent", "pct", "percentage"}),
    "ms": frozenset({"ms", "millisecond", "milliseconds"}),
    "s": frozenset({"s", "sec", "secs", "second", "seconds"}),
    "min": frozenset({"minute", "minutes"}),
    "B": frozenset({"b", "byte", "bytes"}),
    "kB": frozenset({"kb", "ki", "kib"}),
    "MB": frozenset({"mb"}),
    "Mi": frozenset({"mi", "mib"}),
    "GB": frozenset({"gb"}),
    "Gi": frozenset({"gi", "gib"}),
    "m": frozenset({"mcore", "mcores"}),
    "core": frozenset({"core", "cores"}),
    "/s": frozenset({"/s"}),
}
_IN_TEXT = re.compile(r"(?<![\w.])[-\u2212]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(%|[A-Za-z/]+))?")


def equals(number: Number, value: float, /) -> bool:
    """Tell whether a written number is this value: exactly, or rounded where it shows three figures or more."""
    if abs(number.value - value) <= 1e-9 * max(1.0, abs(value)):
        return True
    return number.figures >= _FIGURES and round(value, number.decimals) == round(number.value, number.decimals)


def unit_fits(number: Number, series: SeriesUnit, /) -> bool:
    """Tell whether a series is measured in the unit written behind the number; no unit fits every series."""
    if not number.unit:
        return True
    wanted = _unit(number.unit)
    named = {series.unit.casefold(), *name_words(series.metric)} | ({"%"} if "%" in series.metric else set())
    if series.aggregate == "rate" and wanted == "/s":
        return True
    return any(_unit(word) == wanted for word in named if word)


def stands_in(number: Number, text: str, /) -> bool:
    """Tell whether a number stands in a text, with the unit written behind it if there is one."""
    for found in _IN_TEXT.finditer(text):
        same_unit = not number.unit or _unit(found[2] or "") == _unit(number.unit)
        if same_unit and float(found[1].replace(",", "")) == abs(number.value):
            return True
    return False


def _unit(word: str) -> str:
    lowered = word.casefold()
    return next((unit for unit, words in _UNITS.items() if lowered in words), lowered)
