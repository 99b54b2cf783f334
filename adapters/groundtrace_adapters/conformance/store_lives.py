"""Several writers, a store that is down and comes back, and another process."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count

from returns import result

from groundtrace.entries import SummaryScope
from groundtrace.ports import Fate, StoreFault
from groundtrace_adapters.conformance.cases import StoreCase, StoreSuite
from groundtrace_adapters.conformance.keeping import SESSION, kept
from groundtrace_adapters.conformance.records import (
    NOON,
    a_row,
    an_evaluation,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class SeveralWriters(StoreSuite):
    """Threads share a store."""

    def test_threads_that_write_the_same_rows_keep_each_once(self, case: StoreCase) -> None:
        rows = [a_row(id=f"{number:03}", seq=number) for number in range(60)]
        stores = [case.store, case.reopen()]

        def write(writer: int) -> bool:
            mine = rows if writer % 2 else rows[::-1]
            store = stores[writer % len(stores)]
            return all(
                store.append(mine[start : start + 20]) == result.Success((Fate.STORED,) * 20)
                for start in range(0, 60, 20)
            )

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(write, range(8)))
        assert case.store.rows(SESSION) == result.Success(tuple(rows))

    def test_of_threads_that_write_other_content_under_one_key_one_wins(self, case: StoreCase) -> None:
        stores = [case.store, case.reopen()]
        with ThreadPoolExecutor(8) as pool:
            fates = [
                fate
                for fates in pool.map(lambda number: stores[number % 2].append([a_row(seq=number)]).unwrap(), range(8))
                for fate in fates
            ]
        assert sorted(fates) == [Fate.ID_CONFLICT] * 7 + [Fate.STORED]
        (row,) = case.store.rows(SESSION).unwrap()
        assert fates[row.seq] is Fate.STORED

    def test_readers_see_whole_batches_while_another_thread_writes(self, case: StoreCase) -> None:
        def write() -> None:
            for batch in range(20):
                case.store.append([a_row(id=f"{batch}-{number}") for number in range(10)])

        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            seen = set()
            while not writing.done():
                seen.add(len(case.store.rows(SESSION).unwrap()) % 10)
                seen.add(sum(entry.calls for entry in case.store.entries(SESSION).unwrap()) % 10)
            writing.result()
        assert seen <= {0}


class AStoreThatIsDown(StoreSuite):
    """A store that is down says so."""

    def test_every_method_says_so_in_time_and_none_raises(self, case: StoreCase) -> None:
        """Field case B12, the store's part: a write that cannot be made is a value, and never waits for long."""
        case.store.append([a_row()])
        case.take_down()
        began = time.monotonic()
        try:
            told = [
                case.store.append([a_row(id="2")]).failure(),
                case.store.rows(SESSION).failure(),
                case.store.find(SESSION, ["call-1"]).failure(),
                case.store.entries(SESSION).failure(),
                case.store.entries_within(SummaryScope()).failure(),
                case.store.sessions().failure(),
                case.store.save(an_evaluation()).failure(),
                case.store.evaluations(SESSION).failure(),
                case.store.redaction_key().failure(),
                case.store.check().failure(),
            ]
        finally:
            if case.bring_back is not None:
                case.bring_back()
        assert time.monotonic() - began < 15
        assert {error.fault for error in told} == {StoreFault.UNAVAILABLE}
        assert all(error.retryable for error in told)
        assert [error.operation for error in told] == [
            "append", "rows", "find", "entries", "entries_within", "sessions", "save", "evaluations", "redaction_key",
            "check",
        ]  # fmt: skip

    def test_a_closed_store_says_that_it_is_closed(self, store: Store) -> None:
        store.close()
        store.close()
        told = store.append([a_row()]).failure()
        assert told.fault is StoreFault.UNAVAILABLE
        assert "closed" in told.message


class LastingAStoreThatIsDown(StoreSuite):
    """A store that outlives its process works again once it is back."""

    def test_it_works_again_once_it_is_back(self, case: StoreCase) -> None:
        case.store.append([a_row()])
        case.take_down()
        assert case.store.append([a_row(id="call-2")]).failure().retryable
        assert case.bring_back is not None
        case.bring_back()
        assert len(kept(case.store, a_row(id="call-2"))) == 2

    def test_a_store_that_was_away_from_the_start_is_used_once_it_is_there(self, case: StoreCase) -> None:
        case.take_down()
        assert case.store.append([a_row()]).failure().fault is StoreFault.UNAVAILABLE
        assert case.bring_back is not None
        case.bring_back()
        assert kept(case.store, a_row()) == (a_row(),)


class LastingAnotherProcess(StoreSuite):
    """What one store keeps, another one reads."""

    def test_what_one_store_keeps_another_one_reads(self, case: StoreCase) -> None:
        case.store.append([a_row()])
        assert case.reopen().rows(SESSION) == result.Success((a_row(),))
