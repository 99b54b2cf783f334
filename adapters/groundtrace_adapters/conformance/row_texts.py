"""What a store gives back of rows: every field, every time and every text equal to what was appended."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result

from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.retrieval import Layer, Relevance
from groundtrace_adapters.conformance.cases import StoreSuite
from groundtrace_adapters.conformance.keeping import kept, shares_a_store
from groundtrace_adapters.conformance.records import (
    NOON,
    STORABLE,
    a_failure,
    a_knowledge_row,
    a_row,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class RoundTrip(StoreSuite):
    """Rows come back equal."""

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


class Times(StoreSuite):
    """Times come back as the same instants."""

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


class HostileText(StoreSuite):
    """Any text comes back."""

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
