"""What becomes of appended rows: kept once, refused as the key of another, or refused with their batch."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import count

import pytest
from returns import result

from groundtrace.ports import Fate, StoreFault
from groundtrace_adapters.conformance.cases import StoreSuite
from groundtrace_adapters.conformance.keeping import SESSION, kept
from groundtrace_adapters.conformance.records import (
    NOON,
    a_row,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class RefusedRows(StoreSuite):
    """A row that cannot be kept is told."""

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


class Fates(StoreSuite):
    """Keys decide the fate of a row."""

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
