"""What every EvaluationStore and KeyKeeper does (DESIGN section 8)."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import datetime, timedelta, timezone
from itertools import count, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result

from groundtrace.evaluation import RAW_BYTES, Evaluation
from groundtrace.ports import Fate, StoreFault
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.conformance.cases import StoreCase, StoreSuite
from groundtrace_adapters.conformance.keeping import SESSION, shares_a_store
from groundtrace_adapters.conformance.records import NOON, STORABLE, a_row, an_evaluation
from groundtrace_adapters.stores.opening import Store

_numbers = count(1)


def saved(store: Store, evaluation: Evaluation) -> tuple[Evaluation, ...]:
    """Save, insist that it was stored, and read the session back."""
    assert store.save(evaluation) == result.Success(Fate.STORED)
    return store.evaluations(evaluation.session_id).unwrap()


class Evaluations(StoreSuite):
    """Evaluations come back equal, once and in order."""

    def test_every_verdict_and_cause_comes_back_equal(self, store: Store) -> None:
        pairs = product(Verdict, Cause)
        every = [
            an_evaluation(id=f"{number:03}", decision=verdict, cause=cause)
            for number, (verdict, cause) in enumerate(pairs)
        ]
        assert [store.save(evaluation) for evaluation in every] == [result.Success(Fate.STORED)] * len(every)
        assert store.evaluations(SESSION) == result.Success(tuple(every))

    def test_a_fallback_with_nothing_of_the_verifier_comes_back_equal(self, store: Store) -> None:
        optional = [field.name for field in fields(Evaluation) if "None" in str(field.type)]
        bare = an_evaluation(
            **dict.fromkeys(optional), fallback=True, withheld=True, cited=(), reasons=(), cause=Cause.TIMED_OUT
        )
        assert saved(store, bare) == (bare,)

    def test_a_raw_text_of_64_kib_comes_back_equal(self, store: Store) -> None:
        evaluation = an_evaluation(raw="\u00e9" * (RAW_BYTES // 2), raw_cut=True)
        assert saved(store, evaluation) == (evaluation,)

    @shares_a_store
    @given(text=STORABLE, words=st.lists(STORABLE, max_size=4))
    def test_any_text_comes_back(self, store: Store, text: str, words: list[str]) -> None:
        evaluation = an_evaluation(
            session_id=f"any/{next(_numbers)}",
            id=f"{text}.",
            turn_id=text,
            question=text,
            given=text,
            raw=text,
            reasons=tuple(words),
            cited=tuple(words),
            unknown=(text, *words),
            model=text,
            evidence=json.dumps({text: words}, ensure_ascii=False),
            answer=text,
            shown=text,
        )
        assert saved(store, evaluation) == (evaluation,)

    def test_they_come_by_time_then_id(self, store: Store) -> None:
        ordered = [
            an_evaluation(id="z", created_at=NOON - timedelta(microseconds=1)),
            *(an_evaluation(id=id) for id in ("A", "a", "\u00e9", "\uffee", "\U0001f525")),
            an_evaluation(id="0", created_at=NOON + timedelta(hours=1)),
        ]
        for evaluation in reversed(ordered):
            store.save(evaluation)
        assert store.evaluations(SESSION) == result.Success(tuple(ordered))

    @pytest.mark.parametrize(
        ("latest", "ids"), [(0, ""), (1, "d"), (3, "bcd"), (4, "abcd"), (2**70, "abcd"), (-1, "")], ids=str
    )
    def test_of_many_only_the_latest_are_given_in_the_same_order(self, store: Store, latest: int, ids: str) -> None:
        for number, id in enumerate("abcd"):
            store.save(an_evaluation(id=id, created_at=NOON + timedelta(seconds=number)))
        assert "".join(one.id for one in store.evaluations(SESSION, latest=latest).unwrap()) == ids

    def test_a_time_of_another_zone_is_the_same_instant_in_utc(self, store: Store) -> None:
        (back,) = saved(store, an_evaluation(created_at=NOON.astimezone(timezone(timedelta(hours=-7)))))
        assert (back.created_at, back.created_at.utcoffset()) == (NOON, timedelta(0))

    def test_the_same_evaluation_again_is_kept_once(self, store: Store) -> None:
        saved(store, an_evaluation())
        assert saved(store, an_evaluation()) == (an_evaluation(),)

    def test_another_evaluation_under_the_same_key_is_refused_and_the_first_stays(self, store: Store) -> None:
        saved(store, an_evaluation())
        assert store.save(an_evaluation(decision=Verdict.REJECT)) == result.Success(Fate.ID_CONFLICT)
        assert store.evaluations(SESSION) == result.Success((an_evaluation(),))

    def test_a_row_and_an_evaluation_may_share_a_key(self, store: Store) -> None:
        store.append([a_row(id="same")])
        assert saved(store, an_evaluation(id="same")) == (an_evaluation(id="same"),)

    def test_sessions_are_kept_apart(self, store: Store) -> None:
        saved(store, an_evaluation())
        assert store.evaluations("acme/outage ") == result.Success(())
        assert store.evaluations("\x00") == result.Success(())

    @pytest.mark.parametrize(
        "bad",
        [
            {"raw": "\x00"},
            {"reasons": ("half \udc00 pair",)},
            {"evidence": "[Infinity]"},
            {"created_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - what is tested
            {"attempts": 2**63},
        ],
        ids=lambda bad: next(iter(bad)),
    )
    def test_what_cannot_be_kept_is_refused_by_the_name_of_its_column(
        self, store: Store, bad: dict[str, object]
    ) -> None:
        told = store.save(an_evaluation(**bad)).failure()
        assert (told.fault, told.operation) == (StoreFault.REFUSED_ROW, "save")
        assert f"verifier_evaluation.{next(iter(bad))}" in told.message
        assert store.evaluations(SESSION) == result.Success(())


class LastingEvaluations(StoreSuite):
    """Evaluations outlive the store that saved them."""

    def test_what_is_saved_is_read_by_the_next_store(self, case: StoreCase) -> None:
        saved(case.store, an_evaluation())
        case.store.close()
        assert case.reopen().evaluations(SESSION) == result.Success((an_evaluation(),))


class RedactionKey(StoreSuite):
    """The redaction key is one and stays."""

    def test_it_is_32_bytes_and_stays_the_same(self, case: StoreCase) -> None:
        key = case.store.redaction_key().unwrap()
        assert len(key) == 32
        assert case.store.redaction_key() == case.reopen().redaction_key() == result.Success(key)

    def test_threads_that_ask_first_at_once_get_the_same_one(self, case: StoreCase) -> None:
        stores = [case.store, case.reopen(), case.reopen(), case.reopen()]
        with ThreadPoolExecutor(8) as pool:
            keys = set(pool.map(lambda number: stores[number % 4].redaction_key().unwrap(), range(16)))
        assert len(keys) == 1

    def test_two_stores_have_two_keys(self, store: Store, tmp_path: Path) -> None:
        from groundtrace_adapters.stores.sqlite import SqliteStore

        other = SqliteStore(tmp_path / "other.db")
        assert store.redaction_key() != other.redaction_key()
        other.close()


class LastingRedactionKey(StoreSuite):
    """The redaction key outlives the store that made it."""

    def test_it_outlives_the_store_that_made_it(self, case: StoreCase) -> None:
        key = case.store.redaction_key()
        case.store.close()
        assert case.reopen().redaction_key() == key
