"""Where each event of a JSON stream stands, to a bounded depth: the path of a value grows with every level above it."""

from collections.abc import Iterable, Iterator
from typing import Any

DEEPEST = 1_000
"""A value of a stream may be nested so deeply; what reads whole documents stops near the same depth."""


def prefixed(events: Iterable[tuple[str, Any]], /) -> Iterator[tuple[str, str, Any]]:
    """Yield each event with the path of its value (`data.item.name`); ValueError where one is nested too deeply."""
    path: list[str] = []
    for event, value in events:
        if event == "map_key":
            path[-1] = value
            yield ".".join(path[:-1]), event, value
            continue
        if event in ("end_map", "end_array"):
            path.pop()
        yield ".".join(path), event, value
        if event in ("start_map", "start_array"):
            path.append("" if event == "start_map" else "item")
            if len(path) > DEEPEST:
                raise ValueError("nested too deeply")
