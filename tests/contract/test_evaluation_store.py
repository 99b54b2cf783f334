"""Our stores of evaluations and keys under the suite of the kit: memory, SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace_adapters.conformance.evaluation_store import EvaluationStoreSuite, LastingEvaluationStoreSuite
from groundtrace_testing.stores import LASTING_STORES, STORES, StoreCase, stores_of


class TestEvaluationStores(EvaluationStoreSuite):
    @pytest.fixture(params=STORES)
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)


class TestLastingEvaluationStores(LastingEvaluationStoreSuite):
    @pytest.fixture(params=LASTING_STORES)
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)
