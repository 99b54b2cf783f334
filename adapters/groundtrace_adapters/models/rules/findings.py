"""How one claim, and one statement, stands against the cited evidence: values only."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from groundtrace_adapters.models.rules.evidence import LogUnit, PassageUnit, Row, SeriesUnit


class Standing(StrEnum):
    """Carried by the evidence, not carried by it, or denied by it."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One log entry or series with the row that holds it."""

    row: Row
    log: LogUnit | None = None
    series: SeriesUnit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim's standing, why in words, and what carries it: entries, or points of a series."""

    standing: Standing
    note: str = ""
    logs: tuple[Held, ...] = ()
    points: tuple[tuple[Held, datetime], ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One statement's standing; `happened` tells that it rests on logs or metrics, `passages` what else it rests on."""

    text: str
    standing: Standing
    notes: tuple[str, ...] = ()
    logs: tuple[Held, ...] = ()
    points: tuple[tuple[Held, datetime], ...] = ()
    passages: tuple[PassageUnit, ...] = ()

    @property
    def happened(self) -> bool:
        """Tell whether a log entry or a point carries it."""
        return bool(self.logs or self.points)


def unsupported(note: str, /) -> Finding:
    """Return a finding that the evidence does not carry."""
    return Finding(standing=Standing.UNSUPPORTED, note=note)


def contradicted(
    note: str,
    /,
    *,
    logs: tuple[Held, ...] = (),
    points: tuple[tuple[Held, datetime], ...] = (),
    words: frozenset[str] = frozenset(),
) -> Finding:
    """Return a finding that the evidence denies, with the entries or points that deny it."""
    return Finding(standing=Standing.CONTRADICTED, note=note, logs=logs, points=points, words=words)
