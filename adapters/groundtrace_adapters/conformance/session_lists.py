"""The listing of sessions: the latest first, in pages."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace.ports import SessionLine
from groundtrace_adapters.conformance.cases import StoreSuite
from groundtrace_adapters.conformance.keeping import kept, shares_a_store
from groundtrace_adapters.conformance.records import (
    NOON,
    a_row,
    an_evaluation,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class Sessions(StoreSuite):
    """Sessions are listed by their latest call."""

    @shares_a_store
    @given(data=st.data())
    def test_the_list_is_that_of_all_records_by_their_latest_call(self, store: Store, data: st.DataObject) -> None:
        place = next(_numbers)
        names, minutes = st.sampled_from("abcde"), st.integers(0, 4)
        calls = [
            a_row(session_id=f"{place}/{name}", id=f"{place}-{number}", started_at=NOON + timedelta(minutes=minute))
            for number, (name, minute) in enumerate(data.draw(st.lists(st.tuples(names, minutes), max_size=12)))
        ]
        judged = [
            an_evaluation(session_id=f"{place}/{name}", id=str(number), created_at=NOON + timedelta(minutes=minute))
            for number, (name, minute) in enumerate(data.draw(st.lists(st.tuples(names, minutes), max_size=6)))
        ]
        assert is_successful(store.append(calls))
        assert all(is_successful(store.save(one)) for one in judged)
        limit = data.draw(st.integers(3, 40))
        listed: list[SessionLine] = []
        while page := store.sessions(before=listed[-1] if listed else None, limit=limit).unwrap():
            assert len(page) <= limit
            listed += page
        assert listed == sorted(listed, key=lambda line: (-line.last_at.timestamp(), line.session_id))
        assert len({line.session_id for line in listed}) == len(listed)
        own = [line for line in listed if line.session_id.startswith(f"{place}/")]
        assert {line.session_id for line in own} == {row.session_id for row in calls} | {
            one.session_id for one in judged
        }
        for line in own:
            times = [row.started_at for row in calls if row.session_id == line.session_id]
            lone = [one.created_at for one in judged if one.session_id == line.session_id]
            assert line.rows == len(times)
            assert (line.first_at, line.last_at) == (min(times or lone), max(times or lone))
            assert (line.decision is None) == (not lone)

    def test_the_latest_session_is_first_and_ids_decide_between_equals(self, store: Store) -> None:
        hour = timedelta(hours=1)
        store.append(
            [
                a_row(session_id="old", started_at=NOON - hour),
                a_row(session_id="b"),
                a_row(session_id="B"),
                a_row(session_id="\U0001f525"),
                a_row(session_id="\uffee"),
                a_row(session_id="new", id="1", started_at=NOON - 2 * hour),
                a_row(session_id="new", id="2", started_at=NOON + hour),
            ]
        )
        lines = store.sessions().unwrap()
        assert [line.session_id for line in lines] == ["new", "B", "b", "\uffee", "\U0001f525", "old"]
        assert (lines[0].first_at, lines[0].last_at, lines[0].rows) == (NOON - 2 * hour, NOON + hour, 2)
        assert lines[0].decision is None

    def test_pages_of_sessions_follow_each_other(self, store: Store) -> None:
        store.append(
            [a_row(session_id=f"s{number}", started_at=NOON + timedelta(minutes=number // 3)) for number in range(11)]
        )
        whole = store.sessions().unwrap()
        first = store.sessions(limit=4).unwrap()
        second = store.sessions(before=first[-1], limit=4).unwrap()
        third = store.sessions(before=second[-1], limit=4).unwrap()
        assert first + second + third == whole
        assert store.sessions(before=third[-1]) == result.Success(())

    def test_what_stands_behind_a_session_that_never_ends_is_listed_too(self, store: Store) -> None:
        minute = timedelta(minutes=1)
        busy = [a_row(session_id="busy", id=f"{number:03}", started_at=NOON + minute) for number in range(300)]
        old = [a_row(session_id=f"old-{number}", started_at=NOON - number * minute) for number in range(4)]
        store.append([*busy, *old, a_row(session_id="busy", id="first", started_at=NOON - 9 * minute)])
        whole = store.sessions().unwrap()
        assert [(line.session_id, line.rows) for line in whole] == [("busy", 301), *((f"old-{n}", 1) for n in range(4))]
        assert store.sessions(before=whole[0], limit=1) == result.Success(whole[1:2])
        assert store.sessions(limit=2) == result.Success(whole[:2])

    def test_the_latest_decision_stands_in_the_listing(self, store: Store) -> None:
        kept(store, a_row())
        store.save(an_evaluation(id="2", created_at=NOON + timedelta(minutes=1), decision="REJECT"))
        store.save(an_evaluation(id="1", decision="PASS"))
        (line,) = store.sessions().unwrap()
        assert (line.rows, line.decision, line.last_at) == (1, "REJECT", NOON)

    def test_a_session_that_never_reached_a_call_is_listed_by_its_evaluations(self, store: Store) -> None:
        store.save(an_evaluation(session_id="lone", decision="LOW_CONFID", created_at=NOON))
        store.save(an_evaluation(session_id="lone", id="2", decision="REJECT", created_at=NOON + timedelta(hours=1)))
        (line,) = store.sessions().unwrap()
        assert (line.session_id, line.rows, line.decision) == ("lone", 0, "REJECT")
        assert (line.first_at, line.last_at) == (NOON, NOON + timedelta(hours=1))
