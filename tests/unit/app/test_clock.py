"""Clocks and ids: UUIDv7 by RFC 9562, in the order in which they are made."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from groundtrace_app.clock import IdMaker, SystemClock, uuid7

MILLISECONDS = st.integers(min_value=0, max_value=2**48 - 1)
TAILS = st.integers(min_value=0, max_value=2**74 - 1)


@given(MILLISECONDS, TAILS)
def test_an_id_is_a_uuid_of_version_7_that_holds_its_time_and_tail(milliseconds: int, tail: int) -> None:
    made = UUID(uuid7(milliseconds, tail))
    assert (made.version, made.variant) == (7, RFC_4122)
    assert made.int >> 80 == milliseconds
    assert (made.int >> 64 & 0xFFF) << 62 | made.int & (1 << 62) - 1 == tail


@given(MILLISECONDS, TAILS, MILLISECONDS, TAILS)
def test_ids_sort_as_text_by_time_and_then_tail(one: int, tail: int, other: int, other_tail: int) -> None:
    assert (uuid7(one, tail) < uuid7(other, other_tail)) == ((one, tail) < (other, other_tail))


def test_the_id_of_the_standards_example() -> None:
    assert uuid7(0x017F22E279B0, 0xCC3 << 62 | 0x18C4DC0C0C07398F) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(st.lists(st.integers(min_value=0, max_value=10**6), min_size=2, max_size=50))
def test_ids_grow_whatever_the_wall_clock_does(times: list[int]) -> None:
    ids = IdMaker()
    made = [ids.next_id(one) for one in times]
    assert made == sorted(set(made))


def test_many_ids_of_one_millisecond_stay_in_order() -> None:
    ids = IdMaker()
    made = [ids.next_id(1) for _ in range(20_000)]
    assert made == sorted(set(made))


def test_ids_of_many_threads_are_distinct_and_each_threads_are_in_order() -> None:
    clock = SystemClock()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: [clock.new_id() for _ in range(2_000)], range(8)))
    assert all(one == sorted(one) for one in made)
    assert len({one for ids in made for one in ids}) == 16_000


def test_an_id_holds_the_wall_clock_of_its_making() -> None:
    before = time.time_ns() // 1_000_000
    made = UUID(SystemClock().new_id()).int >> 80
    assert before <= made <= time.time_ns() // 1_000_000


def test_the_system_clock_tells_utc_and_a_time_that_never_goes_back() -> None:
    clock = SystemClock()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()


def test_a_forked_child_gives_ids_of_its_own_that_still_grow() -> None:
    program = """
import os
from groundtrace_app.clock import IdMaker
ids = IdMaker()
print(ids.next_id(1), flush=True)
if os.fork():
    os.wait()
print(ids.next_id(1), flush=True)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment, timeout=30
    )
    before, *after = done.stdout.split()
    assert len(set(after)) == 2
    assert all(before < one for one in after)


@given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1))
def test_an_id_of_a_given_time_holds_it_and_later_ones_of_one_time_are_larger(moments: list[datetime]) -> None:
    ids = IdMaker()
    made = [(moment, ids.id_at(moment)) for moment in moments + moments]
    assert len({id for _, id in made}) == len(made)
    for moment, id in made:
        assert UUID(id).version == 7
        assert UUID(id).int >> 80 == min(max(0, round(moment.timestamp() * 1_000)), (1 << 48) - 1)
    for moment in moments:
        of_one_time = [id for at, id in made if at == moment]
        assert of_one_time == sorted(of_one_time)
