"""What a suite is given of an adapter: a store with a way to take it down, a sink over a store with moods."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import pytest

from groundtrace.invocation import Invocation
from groundtrace.ports import RowSink, StoreUpkeep
from groundtrace_adapters.conformance.moody_store import MoodyStore
from groundtrace_adapters.stores.opening import Store

PATIENCE = 20.0
"""Seconds that a test waits for what happens by itself, such as a replay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCase:
    """A new, empty store, and what a test may do to it without knowing which one it is.

    `reopen` gives one more store over the same data, as another process would open it. After `take_down` the store
    cannot do its work until `bring_back`, where there is one.
    """

    store: Store
    reopen: Callable[[], Store]
    take_down: Callable[[], None]
    bring_back: Callable[[], None] | None


class StoreSuite:
    """What the suites of stores share. Give them a fixture `case`: a StoreCase, closed behind them."""

    @pytest.fixture
    def store(self, case: StoreCase) -> Store:
        """Return the store of the case."""
        return case.store


class UpkeepSuite(StoreSuite):
    """What the suites of a store's upkeep share."""

    @pytest.fixture
    def upkeep(self, store: Store) -> StoreUpkeep:
        """Return the upkeep of the store."""
        return store.upkeep()


class OpenSink(Protocol):
    """Opens a sink that spools what the store does not take within some seconds."""

    def __call__(self, *, seconds: float = 0.3) -> RowSink:
        """Open one more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkCase:
    """A sink over a store: `open` opens one more over the same store and folder, as a next start would."""

    open: OpenSink
    store: MoodyStore
    place: StoreCase

    def kept(self, session_id: str = "acme/outage") -> tuple[Invocation, ...]:
        """Return what the store has of a session."""
        return self.place.reopen().rows(session_id, limit=100_000).unwrap()


class SinkSuite:
    """What the suites of sinks share. Give them a fixture `case`: a SinkCase, closed behind them."""


def eventually(condition: Callable[[], bool], /, *, seconds: float = PATIENCE) -> bool:
    """Wait until a condition holds; tell whether it ever did."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
