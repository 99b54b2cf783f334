"""Our stores of rows under the suite of the kit: memory, SQLite, PostgreSQL in each form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace_adapters.conformance.invocation_store import InvocationStoreSuite, LastingInvocationStoreSuite
from groundtrace_testing.stores import LASTING_STORES, PARTITIONED, STORES, StoreCase, stores_of


class TestInvocationStores(InvocationStoreSuite):
    @pytest.fixture(params=[*STORES, PARTITIONED])
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)


class TestLastingInvocationStores(LastingInvocationStoreSuite):
    @pytest.fixture(params=[*LASTING_STORES, PARTITIONED])
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)
