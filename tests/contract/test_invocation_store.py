"""What every InvocationStore does: memory, SQLite, PostgreSQL in each form, under one suite (DESIGN sections 4, 7)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace.entries import SummaryScope
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.ports import Fate, SessionLine, StoreFault
from groundtrace.retrieval import Layer, Relevance
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.stores.opening import Store
from groundtrace_testing.records import NOON, STORABLE, a_failure, a_knowledge_row, a_row, an_evaluation, summed_rows
from groundtrace_testing.stores import LASTING_STORES, PARTITIONED, STORES, StoreCase, stores_of

SESSION = "acme/outage"
_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)
shares_a_store = settings(
    max_examples=min(60, settings().max_examples), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=[*STORES, PARTITIONED])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


@pytest.fixture(params=[*LASTING_STORES, PARTITIONED])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


@pytest.fixture
def store(case: StoreCase) -> Store:
    return case.store


def kept(store: Store, *rows: Invocation) -> tuple[Invocation, ...]:
    """Append, insist that all were stored, and read the session back."""
    assert store.append(rows) == result.Success((Fate.STORED,) * len(rows))
    return store.rows(rows[0].session_id).unwrap()


class TestRoundTrip:
    @pytest.mark.parametrize("tool", ["lookup_knowledge", "query_logs", "query_metrics"])
    @pytest.mark.parametrize(
        "row",
        [
            a_row(),
            a_row(support=Support.INDIRECT, partial=True, details='{"partial": ["limit hit"]}'),
            a_row(
                outcome=OutcomeKind.NO_EVIDENCE,
                support=None,
                reason="empty_result",
                output_preview=None,
                output_state=OutputState.NONE,
                output_bytes=0,
            ),
            a_row(
                outcome=OutcomeKind.DEDUPED,
                support=None,
                reason="same_query",
                dedup_reason="same_query",
                details='{"of": ["inv-1"]}',
            ),
            a_failure(),
        ],
        ids=["success", "partial", "no_evidence", "deduped", "failure"],
    )
    def test_each_outcome_of_each_tool_comes_back_equal(self, store: Store, row: Invocation, tool: str) -> None:
        """Field case B21."""
        row = replace(row, tool_name=tool)
        assert kept(store, row) == (row,)

    def test_retrieval_columns_come_back_equal(self, store: Store) -> None:
        rows = (
            a_knowledge_row(),
            a_knowledge_row(id="call-2", retrieval_layer=Layer.NONE, relevance_level=Relevance.NONE),
        )
        assert kept(store, *rows) == rows

    def test_every_field_that_may_be_none_comes_back_as_none(self, store: Store) -> None:
        optional = [field.name for field in fields(Invocation) if "None" in str(field.type)]
        row = a_row(**dict.fromkeys(optional), outcome=OutcomeKind.NO_EVIDENCE, output_state=OutputState.NONE)
        assert kept(store, row) == (row,)

    @pytest.mark.parametrize("basis", Basis)
    @pytest.mark.parametrize("state", OutputState)
    def test_every_word_comes_back(self, store: Store, basis: Basis, state: OutputState) -> None:
        row = a_row(basis=basis, output_state=state)
        assert kept(store, row) == (row,)

    def test_words_come_back_as_words_of_ours(self, store: Store) -> None:
        (row,) = kept(store, a_knowledge_row())
        assert isinstance(row.outcome, OutcomeKind)
        assert isinstance(row.support, Support)
        assert isinstance(row.retrieval_layer, Layer)
        assert isinstance(row.partial, bool)

    def test_an_empty_preview_is_not_a_missing_one(self, store: Store) -> None:
        rows = (a_row(id="a", output_preview=""), a_row(id="b", output_preview=None))
        assert kept(store, *rows) == rows

    def test_numbers_of_64_bits_come_back(self, store: Store) -> None:
        row = a_row(seq=2**63 - 1, output_bytes=2**62, duration_ms=0, l0_count=-(2**63))
        assert kept(store, row) == (row,)

    @shares_a_store
    @given(text=STORABLE, words=st.dictionaries(STORABLE, STORABLE, max_size=4))
    def test_any_text_comes_back(self, store: Store, text: str, words: dict[str, str]) -> None:
        session = f"any/{next(_numbers)}"
        row = a_row(
            session_id=session,
            id=f"{text}.",
            turn_id=text,
            tool_name=text,
            topic_domain=text,
            output_preview=text,
            input_params=json.dumps(words, ensure_ascii=False),
            details=json.dumps(words),
        )
        assert kept(store, row) == (row,)


class TestTimes:
    @pytest.mark.parametrize("micros", [0, 1, 10, 999_999])
    def test_microseconds_are_kept(self, store: Store, micros: int) -> None:
        row = a_row(started_at=NOON.replace(microsecond=micros))
        assert kept(store, row) == (row,)

    @pytest.mark.parametrize("hours", [-12, -3.5, 5.75, 14])
    def test_a_time_of_another_zone_is_the_same_instant_in_utc(self, store: Store, hours: float) -> None:
        local = NOON.astimezone(timezone(timedelta(hours=hours)))
        (row,) = kept(store, a_row(started_at=local))
        assert row.started_at == NOON
        assert row.started_at.utcoffset() == timedelta(0)

    def test_the_same_instant_in_another_zone_is_the_same_content(self, store: Store) -> None:
        elsewhere = a_row(started_at=NOON.astimezone(timezone(timedelta(hours=9))))
        assert len(kept(store, a_row(), elsewhere)) == 1

    def test_the_first_and_the_last_year_are_kept_in_order(self, store: Store) -> None:
        early, late = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        rows = (a_row(id="b", started_at=early), a_row(id="a", started_at=late))
        assert kept(store, *rows) == rows


class TestHostileText:
    @pytest.mark.parametrize(
        "text",
        [
            "\U0001f525\U0001f468\u200d\U0001f469\u200d\U0001f467 caf\u00e9 e\u0301",
            "\u202eevil\u202c \u0627\u0644\u0633\u062c\u0644",
            "Z\u0351\u036b\u0343\u0321 zalgo",
            "'; DROP TABLE tool_invocation; --",
            "%s %(session)s :session ? $1 {brace}",
            'quote " back \\ slash \\u0000 \\x00 \\N',
            "\x01\x02\x07\x1b[31m\x7f\x85\u2028",
            "\ufeff\ufffe\uffff\U0010ffff",
            "NULL",
            " leading and trailing ",
            "line\r\nline\rline\n",
            "0x1F 1e999 NaN",
        ],
    )
    def test_any_spelling_is_kept_in_every_column(self, store: Store, text: str) -> None:
        row = a_failure(
            session_id=text,
            id=text,
            turn_id=text,
            tool_name=text,
            topic_domain=text,
            input_fingerprint=text,
            output_preview=text,
            error_message=text,
            input_params=json.dumps({text: [text]}, ensure_ascii=False),
            details=json.dumps({text: text}),
        )
        assert kept(store, row) == (row,)
        assert store.find(text, [text]) == result.Success((row,))
        assert [(entry.tool_name, entry.errors) for entry in store.entries(text).unwrap()] == [(text, (text,))]
        assert [line.session_id for line in store.sessions().unwrap()] == [text]

    @pytest.mark.parametrize("letter", ["s", "\u00e9", "\U0001f525"])
    def test_keys_of_200_characters_are_kept_apart_by_their_last_one(self, store: Store, letter: str) -> None:
        long = letter * 199
        rows = tuple(a_row(session_id=long + "x", id=long + last) for last in "ab")
        assert kept(store, *rows) == rows
        assert store.rows(long + "y") == result.Success(())

    def test_look_alikes_are_different_keys(self, store: Store) -> None:
        ids = sorted(["e\u0301", "\u00e9", "E", "e", "\u0435", "e ", "\uff45"])
        assert [row.id for row in kept(store, *(a_row(id=id) for id in ids))] == ids

    def test_replaced_nuls_and_written_escapes_are_both_kept(self, store: Store) -> None:
        """Field case B01: the builder has replaced each NUL; text that spells one is data."""
        params = {"path": "core\u2400dump", "k\u2400ey": 1, "nested": [{"a": "\u2400"}], "literal": "text \\u0000 text"}
        row = a_row(
            input_params=json.dumps(params, ensure_ascii=False),
            output_preview="ELF\u2400\x01\x02 done",
            details='{"escaped": "\\u0001 and \\\\u0000"}',
        )
        (back,) = kept(store, row)
        assert back == row
        assert json.loads(back.input_params) == params

    def test_json_that_escapes_a_nul_is_kept(self, store: Store) -> None:
        """Field case B01, for a builder that would leave the escape: no store falls over it."""
        row = a_row(input_params='{"path": "core\\u0000dump", "half": "\\ud83d"}')
        assert kept(store, row) == (row,)

    def test_numbers_that_are_none_are_kept_as_the_builder_wrote_them(self, store: Store) -> None:
        """Field case B03."""
        row = a_row(input_params='{"threshold": "NaN", "max": "Infinity", "min": null, "ok": 1.5}')
        assert kept(store, row) == (row,)

    def test_a_typed_parameter_is_kept_to_the_last_digit(self, store: Store) -> None:
        """Field case B04: no store reads a number of JSON as a number of its own."""
        digits = "9" * 5_000
        row = a_row(input_params=f'{{"dec": "0.10", "float": 0.10, "zeros": 1.500, "exp": 1E400, "long": {digits}}}')
        assert kept(store, row) == (row,)

    def test_parameters_keep_the_order_and_the_spelling_of_their_keys(self, store: Store) -> None:
        """Field case B07: a store that sorts keys would change the text and whatever is computed from it."""
        row = a_row(input_params='{"b":1, "aa": {"z":[1,2],"y":null},  "a":"x", "b":2}')
        assert kept(store, row) == (row,)

    def test_parameters_of_64_kib_are_kept(self, store: Store) -> None:
        row = a_row(input_params=json.dumps({"q": "\U0001f525" * 16_000}, ensure_ascii=False))
        assert kept(store, row) == (row,)


class TestRefusedRows:
    @pytest.mark.parametrize(
        "bad",
        [
            {"output_preview": "a\x00b"},
            {"id": "\x00"},
            {"topic_domain": "half \ud83d pair"},
            {"input_params": '{"a": NaN}'},
            {"details": "{broken"},
            {"retrieval_details": ""},
            {"input_params": "[" * 100_000},
            {"seq": 2**63},
            {"output_bytes": -(2**63) - 1},
            {"started_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - what is tested
            {"started_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
            {"id": "i" * 2_601},
        ],
        ids=lambda bad: next(iter(bad)),
    )
    def test_a_row_that_cannot_be_kept_refuses_its_batch_whole(self, store: Store, bad: dict[str, object]) -> None:
        told = store.append([a_row(id="good"), a_row(**{"id": "bad", **bad})]).failure()
        assert (told.fault, told.operation, told.retryable) == (StoreFault.REFUSED_ROW, "append", False)
        assert store.rows(SESSION) == result.Success(())
        assert store.append([a_row(id="good")]) == result.Success((Fate.STORED,))

    def test_a_refusal_names_the_column_and_not_the_value(self, store: Store) -> None:
        told = store.append([a_row(output_preview="hunter2\x00")]).failure()
        assert "tool_invocation.output_preview" in told.message
        assert "hunter2" not in told.message
        assert "\n" not in told.message

    def test_asking_for_what_cannot_be_kept_finds_nothing(self, store: Store) -> None:
        kept(store, a_row())
        for impossible in ("\x00", "\ud83d"):
            assert store.rows(impossible) == result.Success(())
            assert store.find(impossible, ["call-1"]) == result.Success(())
            assert store.find(SESSION, [impossible, "call-1"]) == result.Success((a_row(),))
            assert store.entries(impossible) == result.Success(())


class TestFates:
    def test_an_empty_batch_has_no_fates(self, store: Store) -> None:
        assert store.append([]) == result.Success(())

    def test_the_same_row_again_is_stored_and_kept_once(self, store: Store) -> None:
        """Field case B11, ack lost after commit, as a store sees it."""
        kept(store, a_row())
        assert kept(store, a_row()) == (a_row(),)

    @pytest.mark.parametrize(
        "change",
        [
            {"success": False},
            {"output_preview": None},
            {"started_at": NOON + timedelta(microseconds=1)},
            {"details": '{"x": 1}'},
            {"input_params": '{"limit": 100, "selector": "{app=\\"checkout\\"}"}'},
            {"turn_id": None},
            {"seq": 1},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_other_content_under_a_key_is_refused_and_the_first_row_stays(
        self, store: Store, change: dict[str, object]
    ) -> None:
        """Field case B11, id reused with other content."""
        kept(store, a_row())
        batch = [a_row(id="before"), a_row(**change), a_row(id="later")]
        assert store.append(batch) == result.Success((Fate.STORED, Fate.ID_CONFLICT, Fate.STORED))
        assert store.find(SESSION, ["call-1"]) == result.Success((a_row(),))
        assert len(store.rows(SESSION).unwrap()) == 3

    def test_the_rules_hold_inside_one_batch(self, store: Store) -> None:
        batch = [a_row(), a_row(), a_row(seq=5), a_row(id="z"), a_row()]
        fates = (Fate.STORED, Fate.STORED, Fate.ID_CONFLICT, Fate.STORED, Fate.STORED)
        assert store.append(batch) == result.Success(fates)
        assert store.find(SESSION, ["call-1"]) == result.Success((a_row(),))

    def test_two_real_calls_with_the_same_parameters_are_two_rows(self, store: Store) -> None:
        """Field case B11, two real calls."""
        assert len(kept(store, a_row(id="c-4"), a_row(id="c-5"))) == 2

    def test_the_same_id_in_another_session_is_another_row(self, store: Store) -> None:
        fates = store.append([a_row(session_id="one"), a_row(session_id="two", seq=7)])
        assert fates == result.Success((Fate.STORED, Fate.STORED))
        assert store.rows("two") == result.Success((a_row(session_id="two", seq=7),))

    def test_a_large_batch_is_kept_whole(self, store: Store) -> None:
        batch = [a_row(id=f"{number:05}", seq=number) for number in range(2_500)]
        assert len(store.append(batch[::-1]).unwrap()) == 2_500
        assert store.rows(SESSION, limit=5_000) == result.Success(tuple(batch))


class TestOrder:
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


class TestSummary:
    @shares_a_store
    @given(rows=summed_rows())
    def test_the_summary_of_a_store_equals_the_pure_one(self, store: Store, rows: list[Invocation]) -> None:
        session = f"summed/{next(_numbers)}"
        rows = [replace(row, session_id=session) for row in rows]
        assert is_successful(store.append(rows))
        assert store.entries(session) == result.Success(entries_of(summarize(rows)))

    @pytest.mark.parametrize(
        "long",
        [
            {"tool_name": "t" * 20_000},
            {"topic_domain": "\U0001f525" * 2_000},
            {"input_fingerprint": "f" * 3_000},
            {"input_fingerprint": "two words"},
            {"input_fingerprint": ""},
            {"session_id": "\U0001f525" * 200, "tool_name": "\u00e9" * 200, "topic_domain": "\uffee" * 200},
        ],
        ids=lambda long: next(iter(long)),
    )
    def test_names_of_any_length_are_counted_with_the_others(self, store: Store, long: dict[str, Any]) -> None:
        rows = [a_row(id="1", **long), a_row(id="2", **long), a_row(id="3", **{**long, "input_fingerprint": "words"})]
        rows.append(a_failure(id="4", session_id=rows[0].session_id))
        assert kept(store, *rows[::-1]) == tuple(rows)
        assert store.entries(rows[0].session_id) == result.Success(entries_of(summarize(rows)))
        assert store.entries_within(SummaryScope()) == result.Success(entries_of(summarize(rows)))

    def test_a_refused_row_counts_nowhere(self, store: Store) -> None:
        kept(store, a_row())
        store.append([a_failure(id="call-1")])
        assert store.entries(SESSION) == result.Success(entries_of(summarize([a_row()])))

    def test_a_summary_of_many_rows_equals_the_pure_one(self, store: Store) -> None:
        rows = [
            (a_failure if number % 3 else a_row)(
                id=str(number),
                seq=number,
                topic_domain=str(number % 4),
                input_fingerprint=str(number % 50),
                **({"error_message": f"error {number % 9}"} if number % 3 else {}),
            )
            for number in range(1_500)
        ]
        store.append(rows)
        assert store.entries(SESSION) == result.Success(entries_of(summarize(rows)))


class TestSummaryOfAScope:
    @shares_a_store
    @given(rows=summed_rows(), data=st.data())
    def test_the_summary_of_many_sessions_equals_the_pure_one(
        self, store: Store, rows: list[Invocation], data: st.DataObject
    ) -> None:
        place = next(_numbers)
        sessions = [f"{place}/{name}" for name in ("a", "b", "\u00e9")]
        rows = [replace(row, session_id=data.draw(st.sampled_from(sessions))) for row in rows]
        assert is_successful(store.append(rows))
        named = data.draw(st.lists(st.sampled_from([*sessions, "never", "half \ud83d"])))
        since, until = (data.draw(st.none() | st.sampled_from(_BOUNDS)) for _ in "12")
        scope = SummaryScope(sessions=tuple(named), since=since, until=until)
        covered = [row for row in rows if row.session_id in named and scope.covers(row.started_at)]
        assert store.entries_within(scope) == result.Success(entries_of(summarize(covered)))

    @shares_a_store
    @given(rows=summed_rows(), since=st.sampled_from(_BOUNDS), until=st.sampled_from(_BOUNDS))
    def test_the_summary_of_a_time_equals_the_pure_one(
        self, store: Store, rows: list[Invocation], since: datetime, until: datetime
    ) -> None:
        # Each example has a year of its own in the one store.
        years = timedelta(days=400 * next(_numbers))
        rows = [
            replace(row, session_id=f"{row.seq}", started_at=row.started_at + years, id=f"{years} {row.id}")
            for row in rows
        ]
        assert is_successful(store.append(rows))
        scope = SummaryScope(since=since + years, until=until + years)
        covered = [row for row in rows if scope.covers(row.started_at)]
        assert store.entries_within(scope) == result.Success(entries_of(summarize(covered)))

    def test_no_bound_covers_the_first_and_the_last_instant(self, store: Store) -> None:
        early, late = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        rows = kept(store, a_row(id="1", started_at=early), a_row(id="2", started_at=late))
        whole = result.Success(entries_of(summarize(rows)))
        assert store.entries_within(SummaryScope()) == whole
        assert store.entries_within(SummaryScope(sessions=(SESSION, SESSION))) == whole
        assert store.entries_within(SummaryScope(until=late)) == result.Success(entries_of(summarize(rows[:1])))
        assert store.entries_within(SummaryScope(until=early)) == result.Success(())

    def test_bounds_in_another_zone_are_the_same_instants(self, store: Store) -> None:
        kept(store, a_row())
        elsewhere = NOON.astimezone(timezone(timedelta(hours=-7)))
        (entry,) = store.entries_within(SummaryScope(since=elsewhere)).unwrap()
        assert entry.calls == 1
        assert store.entries_within(SummaryScope(until=elsewhere)) == result.Success(())

    def test_no_session_named_is_no_row(self, store: Store) -> None:
        kept(store, a_row())
        assert store.entries_within(SummaryScope(sessions=())) == result.Success(())

    @pytest.mark.parametrize("scope", [SummaryScope(), SummaryScope(sessions=(SESSION,)), SummaryScope(since=NOON)])
    def test_a_scope_of_too_many_rows_is_refused_and_never_cut(self, store: Store, scope: SummaryScope) -> None:
        kept(store, a_row(id="1"), a_row(id="2"), a_row(id="3"))
        told = store.entries_within(scope, most=2).failure()
        assert (told.fault, told.operation, told.retryable) == (StoreFault.TOO_MANY, "entries_within", False)
        assert "more than 2 rows" in told.message
        assert is_successful(store.entries_within(scope, most=3))
        assert is_successful(store.entries_within(scope, most=2**70))
        assert store.entries_within(scope, most=-1).failure().fault is StoreFault.TOO_MANY


class TestSessions:
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


class TestSeveralWriters:
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


class TestAStoreThatIsDown:
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

    def test_it_works_again_once_it_is_back(self, lasting: StoreCase) -> None:
        lasting.store.append([a_row()])
        lasting.take_down()
        assert lasting.store.append([a_row(id="call-2")]).failure().retryable
        assert lasting.bring_back is not None
        lasting.bring_back()
        assert len(kept(lasting.store, a_row(id="call-2"))) == 2

    def test_a_store_that_was_away_from_the_start_is_used_once_it_is_there(self, lasting: StoreCase) -> None:
        lasting.take_down()
        assert lasting.store.append([a_row()]).failure().fault is StoreFault.UNAVAILABLE
        assert lasting.bring_back is not None
        lasting.bring_back()
        assert kept(lasting.store, a_row()) == (a_row(),)

    def test_a_closed_store_says_that_it_is_closed(self, store: Store) -> None:
        store.close()
        store.close()
        told = store.append([a_row()]).failure()
        assert told.fault is StoreFault.UNAVAILABLE
        assert "closed" in told.message


class TestAnotherProcess:
    def test_what_one_store_keeps_another_one_reads(self, lasting: StoreCase) -> None:
        lasting.store.append([a_row()])
        assert lasting.reopen().rows(SESSION) == result.Success((a_row(),))
