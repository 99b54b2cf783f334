"""From a call to a stored row and back: what the builder makes, every store keeps to the letter (DESIGN section 4)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import count
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from returns import result
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.outcomes import DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.ports import Fate
from groundtrace.reading import row_digest
from groundtrace.recording import RecordRules, outcome_of, record, record_retrieval
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Hit, Layer, Relevance, Retrieval
from groundtrace_adapters.stores.opening import Store
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_testing.records import NOON
from groundtrace_testing.stores import PARTITIONED, STORES, StoreCase, stores_of

RULES = RecordRules(redactor=Redactor(b"k" * 32))
FOUND = outcomes.Success(support=Support.DIRECT, output="3 lines")
_numbers = count(1)


@pytest.fixture(params=[*STORES, PARTITIONED])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


@pytest.fixture
def store(case: StoreCase) -> Store:
    return case.store


def called(params: object, *, tool: str = "query_logs", session: str = "s-1", id: str = "c-1") -> ToolCall:
    return ToolCall(
        session_id=session, id=id, tool_name=tool, input_params=params, started_at=NOON, duration_ms=12, turn_id="t-1"
    )


def stored(store: Store, row: Invocation) -> Invocation:
    """Append, insist that it was stored, and read it back."""
    assert store.append([row]) == result.Success((Fate.STORED,))
    (back,) = store.find(row.session_id, [row.id]).unwrap()
    assert back == row
    return back


class Level(Enum):
    HIGH = "high"


@dataclass
class Window:
    start: int
    end: int


class Query(BaseModel):
    q: str


class Client:
    @override
    def __repr__(self) -> str:
        return "<Client key=sk-test-0123456789abcdef0123>"


HOSTILE: dict[str, object] = {
    "nul": {"path": "core\x00dump", "k\x00ey": 1, "nested": [{"a": "\x00"}], "literal": "text \\u0000 text"},
    "surrogates": {"half": "\ud83d", "\udc00": "other half"},
    "no numbers": {"threshold": math.nan, "max": math.inf, "min": -math.inf, "ok": 1.5},
    "types": {
        "dec": Decimal("0.10"),
        "dt": datetime(2026, 3, 8, 2, 30, tzinfo=UTC),
        "date": date(2026, 3, 8),
        "delta": timedelta(seconds=90),
        "uuid": UUID(int=1),
        "bytes": b"\xff\xfe\x00",
        "set": {"b", "a", "c"},
        "tuple": (1, 2),
        "enum": Level.HIGH,
        "path": Path("/var/log/app.log"),
        "dataclass": Window(1, 2),
        "model": Query(q="x"),
        "function": len,
        "object": Client(),
    },
    "order": {"b": 1, "aa": {"z": [1, 2], "y": None}, "a": "x"},
    "huge number": {"n": 10**5_000},
    "large": {"q": "\U0001f525" * 100_000},
    "text": "not even an object",
    "nothing": None,
}


@pytest.mark.parametrize("params", HOSTILE.values(), ids=HOSTILE)
def test_whatever_a_tool_was_given_is_kept_as_it_was_built(store: Store, params: object) -> None:
    """Field cases B01, B03, B04 and B07."""
    row = record(called(params), FOUND, rules=RULES)
    back = stored(store, row)
    assert back.input_fingerprint == row.input_fingerprint
    assert "\x00" not in repr(back)
    json.loads(back.input_params, parse_constant=pytest.fail)


def test_a_replaced_nul_keeps_the_length_and_other_control_characters_stay(store: Store) -> None:
    """Field case B01."""
    row = record(
        called({"path": "core\x00dump", "literal": "text \\u0000 text"}),
        outcomes.Success(support=Support.DIRECT, output="ELF\x00\x01\x02 done"),
        rules=RULES,
    )
    back = stored(store, row)
    params = json.loads(back.input_params)
    assert len(params["path"]) == 9
    assert params["literal"] == "text \\u0000 text"
    assert back.output_preview is not None
    assert "\x01\x02 done" in back.output_preview


def test_the_key_of_a_call_is_the_same_before_and_after_every_store(store: Store) -> None:
    """Field case B07: equal parameters in any order of keys have one key; another order of a list or type has not."""
    one = {"b": 1, "aa": {"z": [1, 2], "y": None}, "a": "x"}
    same = {"a": "x", "aa": {"y": None, "z": [1, 2]}, "b": 1}
    others: list[object] = [{**one, "aa": {"z": [2, 1], "y": None}}, {**one, "b": "1"}, {**one, "b": 1.5}]
    keys = [
        stored(store, record(called(params, id=str(number)), FOUND, rules=RULES)).input_fingerprint
        for number, params in enumerate([one, same, *others])
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


class TestEveryOutcome:
    """Field case B21."""

    OUTCOMES = (
        FOUND,
        outcomes.Success(support=Support.INDIRECT, output="a part", partial=("hit limit of 100",)),
        outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=""),
        outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=("2 files unread",)),
        outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("inv-1",), inherited=OutcomeKind.SUCCESS),
        outcomes.Failure(kind=FailureKind.TIMEOUT, message="TimeoutError: 5 s", retryable=True),
    )

    @pytest.mark.parametrize("tool", ["query_logs", "query_metrics"])
    @pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: type(outcome).__name__)
    def test_the_outcome_of_a_stored_row_is_the_one_recorded(
        self, store: Store, outcome: outcomes.Outcome, tool: str
    ) -> None:
        params = {"selector": '{app="api"}', "limit": 100}
        back = stored(store, record(called(params, tool=tool), outcome, rules=RULES))
        assert outcome_of(back) == outcome
        assert json.loads(back.input_params) == params
        assert (back.tool_name, back.duration_ms, back.retrieval_layer) == (tool, 12, None)
        assert back.success is (not isinstance(outcome, outcomes.Failure))

    @pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: type(outcome).__name__)
    def test_what_a_knowledge_call_considered_is_kept_with_it(self, store: Store, outcome: outcomes.Outcome) -> None:
        retrieval = Retrieval(
            layer=Layer.L1,
            l0_count=4,
            l1_count=2,
            relevance=Relevance.HIGH,
            hits=(Hit(uri="disk.md#mend", layer=Layer.L1, score=2.5, coverage=0.8, content_hash="ab"),),
        )
        call = called({"query": "disk full"}, tool="lookup_knowledge")
        back = stored(store, record_retrieval(call, retrieval, outcome, rules=RULES))
        assert (back.retrieval_layer, back.l0_count, back.l1_count) == (Layer.L1, 4, 2)
        assert back.retrieval_details is not None
        assert "disk.md#mend" in back.retrieval_details
        assert outcome_of(back) == outcome


@settings(max_examples=min(60, settings().max_examples), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    params=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    ),
    output=st.text() | st.binary(),
    message=st.text(),
)
def test_any_call_is_kept_as_it_was_built(store: Store, params: object, output: str | bytes, message: str) -> None:
    session = f"any/{next(_numbers)}"
    found = outcomes.Success(support=Support.DIRECT, output=output)
    broken = outcomes.failure_because(FailureKind.ERROR, message)
    stored(store, record(called(params, session=session, id="1"), found, rules=RULES))
    stored(store, record(called(params, session=session, id="2"), broken, rules=RULES))


@given(output=st.text() | st.none(), dedup=st.none() | st.sampled_from(["other", " "]), success=st.booleans())
def test_the_first_digest_is_the_core_s(output: str | None, dedup: str | None, success: bool) -> None:  # noqa: FBT001 - Hypothesis passes it by name
    row = record(called({"q": output, "d": dedup, "s": success}), FOUND, rules=RULES)
    assert INVOCATIONS.first_digest(row) == row_digest(row)
