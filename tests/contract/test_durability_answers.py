"""A live server's bad answers and cut connections under load: each row comes to a place, and is stored in the end."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from groundtrace_adapters.migrations import migrate
from groundtrace_testing.durability.answers import BAD_DAYS, bad_answers
from groundtrace_testing.durability.cutting_proxy import Cut, cutting_proxy
from groundtrace_testing.durability.server_faults import cut_connections
from groundtrace_testing.postgres_cluster import PostgresCluster

pytestmark = pytest.mark.server

NONE = (0, 0, 0)
"""Lost, duplicate and changed rows."""

HELD_AT_MOST = 0.25


@pytest.fixture
def address(postgres_dsn: str) -> str:
    migrate(postgres_dsn).unwrap()
    return postgres_dsn


@pytest.mark.parametrize("kind", BAD_DAYS)
def test_a_bad_answer_of_the_server_costs_no_row(address: str, tmp_path: Path, kind: str) -> None:
    told, slowest = bad_answers(address, tmp_path, kind=kind, seconds=0.2)
    assert told.harm == NONE, told.line()
    assert (told.refused, told.unplaced) == (0, 0)
    assert told.found == told.acknowledged
    assert slowest < HELD_AT_MOST


@pytest.mark.parametrize("cut", [Cut.RESET, Cut.TRUNCATED])
def test_a_connection_cut_within_a_batch_costs_no_row(
    address: str, postgres_cluster: PostgresCluster, tmp_path: Path, cut: Cut
) -> None:
    with cutting_proxy(postgres_cluster.port) as proxy:
        through = proxy.through(address)
        told, slowest = cut_connections(proxy, through, address, tmp_path, cut=cut, cuts=3, chance=random.Random())
    assert proxy.cut_in_copy == 3
    assert told.harm == NONE, told.line()
    assert (told.refused, told.unplaced) == (0, 0)
    assert told.found == told.acknowledged
    assert slowest < HELD_AT_MOST


def test_a_slow_network_costs_no_row(address: str, postgres_cluster: PostgresCluster, tmp_path: Path) -> None:
    with cutting_proxy(postgres_cluster.port) as proxy:
        proxy.delay = 0.02
        through = proxy.through(address)
        told, _ = cut_connections(proxy, through, address, tmp_path, cut=Cut.RESET, cuts=1, chance=random.Random())
    assert told.harm == NONE, told.line()
    assert (told.refused, told.unplaced) == (0, 0)
