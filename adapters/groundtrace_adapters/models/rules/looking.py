"""Where a question looks: the stretch of time with its day, and the earlier stretch that it is compared with."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from groundtrace.sources import Description
from groundtrace_adapters.models.rules.asked_time import Asked, resolve
from groundtrace_adapters.models.rules.moments import Window

WHOLE_SPAN = timedelta(hours=2)
"""A question without a time looks at all data if they reach no further than this, else at the last hour of them."""

LAST = timedelta(hours=1)
BASELINE = timedelta(minutes=30)
"""How far before the asked stretch metrics are read, to compare with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """The stretches that a question looks at; none means that nothing bounds it.

    `everything` tells that no time is asked and yet all data are needed: logs are then searched with no bound at all.
    """

    windows: tuple[Window, ...]
    everything: bool = False


def looking(
    asked: Iterable[Asked], now: datetime, sources: Iterable[Description], /, *, of_all: bool = False
) -> Looking:
    """Return where to look, given what the sources hold; `of_all` where only all data answer without a time."""
    spans = [one for one in sources if one.earliest is not None and one.latest is not None]
    earliest = min((one.earliest for one in spans if one.earliest), default=None)
    latest = max((one.latest for one in spans if one.latest), default=None)
    stretches = tuple(asked)
    if stretches:
        return Looking(windows=tuple(resolve(one, now, earliest=earliest, latest=latest) for one in stretches))
    if earliest is None or latest is None:
        return Looking(windows=(), everything=of_all)
    start = earliest if of_all or latest - earliest <= WHOLE_SPAN else latest - LAST
    return Looking(windows=(Window(start=start, end=latest + timedelta(seconds=1)),), everything=of_all)
