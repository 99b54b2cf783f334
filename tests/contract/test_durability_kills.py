"""Kills at random instants: of writers and of the server. What was acknowledged is stored once, as it was put."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from groundtrace_adapters.migrations import migrate
from groundtrace_testing.durability.grounds import GROUNDS, Ground, ground_of
from groundtrace_testing.durability.kills import kill_writers
from groundtrace_testing.durability.server_faults import kill_server, stop_server
from groundtrace_testing.postgres_cluster import PostgresCluster

pytestmark = pytest.mark.server

NONE = (0, 0, 0)
"""Lost, duplicate and changed rows."""

HELD_AT_MOST = 0.25


@pytest.fixture(params=GROUNDS)
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    return ground_of(request, tmp_path)


def test_writers_killed_at_random_instants_lose_no_acknowledged_row(ground: Ground) -> None:
    told = kill_writers(ground.address, ground.spool, kills=4, chance=random.Random(), longest=0.3)
    assert told.harm == NONE, told.line()
    assert told.acknowledged >= 4
    assert told.found >= told.acknowledged


@pytest.mark.server
class TestServer:
    def test_a_server_that_is_killed_and_recovers_costs_no_acknowledged_row(
        self, postgres_dsn: str, stoppable_postgres: PostgresCluster, tmp_path: Path
    ) -> None:
        migrate(postgres_dsn).unwrap()
        told, slowest = kill_server(
            stoppable_postgres, postgres_dsn, tmp_path, kills=1, chance=random.Random(), count=1
        )
        assert told.harm == NONE, told.line()
        assert (told.refused, told.unplaced) == (0, 0)
        assert told.stored
        assert slowest < HELD_AT_MOST

    def test_a_server_that_is_away_under_load_costs_no_row(
        self, postgres_dsn: str, stoppable_postgres: PostgresCluster, tmp_path: Path
    ) -> None:
        migrate(postgres_dsn).unwrap()
        told, slowest = stop_server(stoppable_postgres, postgres_dsn, tmp_path, seconds=2, count=1)
        assert told.harm == NONE, told.line()
        assert (told.refused, told.unplaced) == (0, 0)
        assert told.stored
        assert told.spooled
        assert slowest < HELD_AT_MOST
