"""Our sinks under the suite of the kit, each over each store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace_adapters.conformance.row_sink import LastingRowSinkSuite, RowSinkSuite
from groundtrace_testing.sinks import OPENERS, SinkCase, sinks_of
from groundtrace_testing.stores import LASTING_STORES, STORES


@pytest.fixture(params=sorted(OPENERS))
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


class TestRowSinks(RowSinkSuite):
    @pytest.fixture(params=STORES)
    def case(self, request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Iterator[SinkCase]:
        yield from sinks_of(request, kind, tmp_path)


class TestLastingRowSinks(LastingRowSinkSuite):
    @pytest.fixture(params=LASTING_STORES)
    def case(self, request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Iterator[SinkCase]:
        yield from sinks_of(request, kind, tmp_path)
