"""The upkeep of our stores under the suite of the kit: memory, SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace_adapters.conformance.store_upkeep import LastingStoreUpkeepSuite, StoreUpkeepSuite
from groundtrace_testing.stores import LASTING_STORES, STORES, StoreCase, stores_of


class TestStoreUpkeep(StoreUpkeepSuite):
    @pytest.fixture(params=STORES)
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)


class TestLastingStoreUpkeep(LastingStoreUpkeepSuite):
    @pytest.fixture(params=LASTING_STORES)
    def case(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
        yield from stores_of(request, tmp_path)
