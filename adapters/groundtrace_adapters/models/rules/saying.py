"""How observations are written: times, numbers, quotations and names, in a form that people and rules read alike."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from groundtrace_adapters.models.rules.entities import FILE
from groundtrace_adapters.models.rules.evidence import LogUnit, SeriesUnit

_NAMING = ("pod", "service", "app", "instance", "container", "deployment", "component", "job", "host", "node", "file")
_NAMED = re.compile(r"^[\w]")
_LARGE = 1e6


def clock(moment: datetime, /) -> str:
    """Return a time of day with its zone: `16:52:03Z`."""
    return moment.astimezone(UTC).strftime("%H:%M:%SZ")


def dated(statements: Sequence[tuple[datetime, str]], /) -> tuple[str, ...]:
    """Return statements with the date before the first, and before each on another day than the one before it."""
    told: list[str] = []
    before = ""
    for moment, statement in statements:
        today = day(moment)
        told.append(statement if today == before else f"On {today}, {statement}")
        before = today
    return tuple(told)


def day(moment: datetime, /) -> str:
    """Return a date: `2031-05-06`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def number(value: float, /) -> str:
    """Return a number in at most six figures, never in exponent form: `38`, `2.18748`, `12345678`."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if abs(value) >= _LARGE:
        return f"{value:.0f}"
    text = f"{value:.6g}"
    return f"{value:.12f}".rstrip("0") if "e" in text else text


def quoted(text: str, /) -> str:
    """Return a quotation; the text holds no backtick."""
    return f"`{text}`"


def series_name(series: SeriesUnit, others: Iterable[SeriesUnit], /) -> str:
    """Return a series as a selector: `connections{app="checkout"}`; labels that tell it from no other are left out."""
    alike = [one for one in others if one.metric == series.metric]
    shown = {label: value for label, value in series.labels.items() if value and '"' not in value}
    telling = {label: value for label, value in shown.items() if any(one.labels.get(label) != value for one in alike)}
    labels = ", ".join(f'{label}="{value}"' for label, value in (telling or shown).items())
    return f"{series.metric}{{{labels}}}" if labels else series.metric


def owner(fields: Mapping[str, str], /) -> str:
    """Return the name of the narrowest thing that fields name, blank if they name none."""
    return next((fields[field] for field in _NAMING if _NAMED.search(fields.get(field, ""))), "")


def speaker(log: LogUnit, /) -> str:
    """Return whose entry it is, with the verb: `cart-0 logged`, or the file that holds it."""
    name = owner(log.fields)
    if not name:
        return "The log holds"
    return f"{name} holds" if name == log.fields.get(FILE) else f"{name} logged"
