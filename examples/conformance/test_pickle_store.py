"""`PickleStore` under the suites of groundtrace: python -m pytest test_pickle_store.py"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pickle_store import PickleStore

from groundtrace_adapters.conformance.cases import StoreCase
from groundtrace_adapters.conformance.evaluation_store import EvaluationStoreSuite, LastingEvaluationStoreSuite
from groundtrace_adapters.conformance.invocation_store import InvocationStoreSuite, LastingInvocationStoreSuite


@pytest.fixture
def case(tmp_path: Path) -> Iterator[StoreCase]:
    place, away = tmp_path / "place", tmp_path / "away"
    place.mkdir()
    opened: list[PickleStore] = []

    def reopen() -> PickleStore:
        opened.append(PickleStore(place / "trace.pickle"))
        return opened[-1]

    yield StoreCase(
        store=reopen(), reopen=reopen, take_down=lambda: _move(place, away), bring_back=lambda: _move(away, place)
    )
    for store in opened:
        store.close()


def _move(source: Path, target: Path) -> None:
    source.rename(target)


class TestRows(InvocationStoreSuite, LastingInvocationStoreSuite):
    """Each call, under every rule for rows."""


class TestEvaluations(EvaluationStoreSuite, LastingEvaluationStoreSuite):
    """Each decision, and the key."""
