"""Which run is under way: the SDK tells neither a model nor a tool, so the runner says it to what it starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from groundtrace_app.frameworks.grounding import Grounding, Place

_under_way: ContextVar[Place | None] = ContextVar("groundtrace_place", default=None)


@contextmanager
def within_run(place: Place, /) -> Iterator[None]:
    """Give all that is started in here its place in the trace."""
    token = _under_way.set(place)
    try:
        yield
    finally:
        _under_way.reset(token)


def place_now(grounding: Grounding, /) -> Place:
    """Return the place of the run that is under way; outside of any, a turn of its own."""
    return _under_way.get() or grounding.place(None, None)
