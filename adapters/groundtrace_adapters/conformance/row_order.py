"""In which order rows are given, in pages and by their ids."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from itertools import count

import pytest
from returns import result

from groundtrace.invocation import Invocation
from groundtrace_adapters.conformance.cases import StoreSuite
from groundtrace_adapters.conformance.keeping import SESSION, kept
from groundtrace_adapters.conformance.records import (
    NOON,
    a_row,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class Order(StoreSuite):
    """Rows come by time, position and id."""

    def test_rows_come_by_time_then_position_then_id(self, store: Store) -> None:
        later = NOON + timedelta(microseconds=1)
        ordered = [
            a_row(id="z", seq=9, started_at=NOON - timedelta(days=1)),
            a_row(id="B", seq=-1),
            a_row(id="A", seq=2),
            a_row(id="a", seq=2),
            a_row(id="\u00e9", seq=2),
            a_row(id="\uffee", seq=2),
            a_row(id="\U0001f525", seq=2),
            a_row(id="a0", seq=10),
            a_row(id="0", seq=0, started_at=later),
        ]
        assert kept(store, *ordered[::-1]) == tuple(ordered)

    def test_pages_follow_each_other_without_gap_or_repeat(self, store: Store) -> None:
        batch = [a_row(id=f"{number % 7}-{number}", seq=number % 3) for number in range(20)]
        whole = kept(store, *batch)
        pages: list[Invocation] = []
        after: Invocation | None = None
        while page := store.rows(SESSION, after=after, limit=3).unwrap():
            assert len(page) <= 3
            pages += page
            after = page[-1]
        assert tuple(pages) == whole

    def test_a_page_behind_a_time_of_another_zone_is_the_same(self, store: Store) -> None:
        whole = kept(store, *(a_row(id=id) for id in "abc"))
        after = replace(whole[0], started_at=NOON.astimezone(timezone(timedelta(hours=-8))))
        assert store.rows(SESSION, after=after) == result.Success(whole[1:])

    @pytest.mark.parametrize("limit", [0, -1, -(2**70)])
    def test_no_limit_below_one_gives_rows(self, store: Store, limit: int) -> None:
        kept(store, a_row())
        assert store.rows(SESSION, limit=limit) == result.Success(())
        assert store.sessions(limit=limit) == result.Success(())

    def test_a_limit_beyond_64_bits_is_no_limit(self, store: Store) -> None:
        kept(store, a_row())
        assert store.rows(SESSION, limit=2**70) == result.Success((a_row(),))

    def test_find_gives_known_ids_in_the_order_of_rows(self, store: Store) -> None:
        kept(store, a_row(id="late", seq=2), a_row(id="early", seq=1), a_row(id="other", seq=0))
        found = store.find(SESSION, ["late", "unknown", "early", "late", "1", "["]).unwrap()
        assert [row.id for row in found] == ["early", "late"]

    def test_find_takes_thousands_of_ids(self, store: Store) -> None:
        kept(store, a_row())
        assert store.find(SESSION, ["call-1", *map(str, range(40_000))]) == result.Success((a_row(),))

    def test_find_of_nothing_is_nothing(self, store: Store) -> None:
        kept(store, a_row())
        assert store.find(SESSION, []) == result.Success(())

    def test_an_unknown_session_has_nothing(self, store: Store) -> None:
        assert store.rows("never") == result.Success(())
        assert store.entries("never") == result.Success(())
        assert store.find("never", ["call-1"]) == result.Success(())
