"""A finished call waits as a snapshot: nothing that happens to it later reaches its row (section 4)."""

import sys
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.encoding import FrozenParams, encode_params, freeze_params, frozen
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.outcomes import Basis, DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.pending_row import (
    HELD,
    OBJECTS,
    BegunCall,
    PendingRow,
    pending,
    pending_end,
    pending_retrieval,
    pending_retrieval_end,
)
from groundtrace.recording import RecordRules, record, record_retrieval
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Hit, Layer, Relevance, Retrieval

RULES = RecordRules(redactor=Redactor(b"k" * 32))
START = datetime(2026, 3, 8, 12, tzinfo=UTC)
SUCCESS = outcomes.Success(support=Support.DIRECT, output="3 lines")
SECRET = "Zq9x8w7v6u5t"


RETRIEVAL = Retrieval(
    layer=Layer.L1,
    l0_count=4,
    l1_count=1,
    relevance=Relevance.HIGH,
    hits=(Hit(uri="disk.md#fix", layer=Layer.L1, score=2.5, coverage=0.8, content_hash="ab"),),
    filters={"service": "web"},
)


class Text(str):
    """A text with a class, and thus a state, of its own."""

    told = "before"

    @override
    def __str__(self) -> str:
        return self.told


class Raw(bytes):
    """The same of bytes."""


class Moving(tzinfo):
    """A zone that changes its mind."""

    hours = 1

    @override
    def utcoffset(self, moment: datetime | None, /) -> timedelta:
        return timedelta(hours=self.hours)

    @override
    def dst(self, moment: datetime | None, /) -> None:
        return None

    @override
    def tzname(self, moment: datetime | None, /) -> str:
        return "moving"


class Raising(tzinfo):
    """A zone that answers once."""

    asked = 0

    @override
    def utcoffset(self, moment: datetime | None, /) -> timedelta:
        self.asked += 1
        if self.asked > 1:
            raise RuntimeError("not again")
        return timedelta(0)

    @override
    def dst(self, moment: datetime | None, /) -> None:
        return None

    @override
    def tzname(self, moment: datetime | None, /) -> str:
        return "raising"


def call(**changes: Any) -> ToolCall:
    given: dict[str, Any] = {
        "session_id": "s-1",
        "id": "c-1",
        "tool_name": "query_logs",
        "input_params": {"selector": '{app="api"}', "limit": 100},
        "started_at": START,
        "duration_ms": 12,
    }
    return ToolCall(**(given | changes))


def waiting(outcome: outcomes.Outcome = SUCCESS, **changes: Any) -> PendingRow:
    return pending(call(**changes), outcome, rules=RULES)


TEXTS = st.text(max_size=40) | st.sampled_from(
    ["password=hunter2hunter2", "a\0b", "\ud83d", "x" * 70_000, "[redacted key 0123ab]", " ", "e\u0301"]
)
VISIBLE = TEXTS.map(lambda text: f"x{text}")
OUTPUTS = TEXTS | TEXTS.map(Text) | st.binary(max_size=40) | st.binary(max_size=40).map(Raw)
NOTES = st.lists(TEXTS | TEXTS.map(Text), max_size=3).map(tuple)
BASES = st.sampled_from(Basis)
ANY_OUTCOME: st.SearchStrategy[outcomes.Outcome] = st.one_of(
    st.builds(outcomes.Success, support=st.just(Support.INDIRECT), output=OUTPUTS, partial=NOTES, basis=BASES),
    st.builds(outcomes.Success, support=st.sampled_from(Support), output=OUTPUTS, basis=BASES),
    st.builds(
        outcomes.NoEvidence,
        reason=st.sampled_from(NoEvidenceReason),
        output=st.none() | OUTPUTS | st.binary(max_size=9).map(bytearray),
        partial=NOTES,
        basis=BASES,
    ),
    st.builds(
        outcomes.Deduped,
        reason=st.sampled_from(DedupReason),
        of=st.lists(st.text(max_size=9).map(lambda text: f"x{text}"), min_size=1, max_size=3).map(tuple),
        inherited=st.none() | st.sampled_from(OutcomeKind),
        basis=BASES,
    ),
    st.builds(
        outcomes.Failure,
        kind=st.sampled_from(FailureKind),
        message=VISIBLE | VISIBLE.map(Text),
        retryable=st.booleans(),
        output=st.none() | OUTPUTS,
        basis=BASES,
    ),
)
SCALARS = TEXTS | TEXTS.map(Text) | st.integers() | st.floats() | st.none() | st.booleans() | st.binary(max_size=9)
PARAMS = st.recursive(
    SCALARS | st.sampled_from([print, UTC, {1, 2}, b"\xff", bytearray(b"a"), Support.DIRECT, range(3), START]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=3),
    max_leaves=8,
)
CALLS = st.builds(
    call,
    tool_name=VISIBLE,
    turn_id=st.none() | TEXTS,
    topic_domain=st.none() | TEXTS,
    scope=st.none() | TEXTS.map(Text),
    input_params=PARAMS,
    details=st.none() | st.dictionaries(st.text(max_size=6), PARAMS, max_size=2),
)


@given(CALLS, ANY_OUTCOME)
def test_a_finished_snapshot_is_the_row_that_is_recorded_whatever_the_call(
    given_call: ToolCall, outcome: outcomes.Outcome
) -> None:
    waits = pending(given_call, outcome, rules=RULES)
    row = waits.finish()
    assert row == record(given_call, outcome, rules=RULES)
    assert waits.finish() == row
    assert (waits.session_id, waits.id) == (row.session_id, row.id)


def _spoil(value: Any) -> None:
    """Change all of a value that can be changed."""
    if isinstance(value, dict):
        for inner in list(value.values()):
            _spoil(inner)
        value["spoiled"] = True
    elif isinstance(value, list | bytearray):
        for inner in value:
            _spoil(inner)
        value.append(1)  # of both
    elif isinstance(value, Text):
        value.told = "after"


@given(PARAMS, ANY_OUTCOME)
def test_nothing_that_is_done_to_a_call_later_reaches_its_row(params: object, outcome: outcomes.Outcome) -> None:
    details = {"theirs": params}
    made = call(input_params=params, details=details)
    expected = record(made, outcome, rules=RULES)
    waits = pending(made, outcome, rules=RULES)
    for part in (details, getattr(outcome, "output", None)):
        _spoil(part)
    assert waits.finish() == expected


def test_a_retrieval_is_snapshot_as_well() -> None:
    filters = {"service": "db"}
    retrieval = replace(RETRIEVAL, filters=filters)
    expected = record_retrieval(call(), retrieval, SUCCESS, rules=RULES)
    waits = pending_retrieval(call(), retrieval, SUCCESS, rules=RULES)
    filters["service"] = "web"
    assert waits.finish() == expected
    failed = pending_retrieval(call(), None, SUCCESS, rules=RULES)
    assert failed.finish() == record(call(), SUCCESS, rules=RULES)


@given(CALLS, ANY_OUTCOME)
def test_a_call_frozen_when_it_began_leaves_the_same_row(given_call: ToolCall, outcome: outcomes.Outcome) -> None:
    expected = record_retrieval(given_call, RETRIEVAL, outcome, rules=RULES)
    begun = BegunCall(
        given_call.session_id,
        given_call.id,
        given_call.turn_id,
        given_call.seq,
        given_call.tool_name,
        given_call.topic_domain,
        given_call.scope,
        freeze_params(given_call.input_params),
        given_call.started_at,
        frozen(given_call.details),
    )
    for made in (given_call.input_params, given_call.details, given_call.tool_name, given_call.scope):
        _spoil(made)
    waits = pending_retrieval_end(begun, RETRIEVAL, outcome, duration_ms=12, rules=RULES)
    assert waits.finish() == expected
    plain = pending_end(begun, outcome, duration_ms=12, rules=RULES).finish()
    assert plain == replace(
        expected,
        retrieval_layer=None,
        l0_count=None,
        l1_count=None,
        relevance_level=None,
        retrieval_details=None,
        details=plain.details,
    )
    assert SECRET not in repr(begun._replace(params=freeze_params({"token": SECRET}), turn_id=SECRET))


def test_a_buffer_that_is_used_again_keeps_what_it_held() -> None:
    buffer: Any = bytearray(b"2 of 3 lines")
    view: Any = memoryview(buffer)
    broken_off = outcomes.Failure(kind=FailureKind.CANCELLED, message="cancelled", output=buffer)
    waits = [waiting(broken_off), waiting(replace(broken_off, output=view))]
    buffer[:] = b"overwritten!"
    assert [one.finish().output_preview for one in waits] == ["2 of 3 lines"] * 2


def test_a_zone_that_changes_its_mind_changes_no_row() -> None:
    zone = Moving()
    waits = waiting(started_at=datetime(2026, 3, 8, 13, tzinfo=zone))
    zone.hours = 5
    assert waits.finish().started_at == START
    assert waiting(started_at=START.replace(tzinfo=Raising())).finish().started_at == START


def test_parameters_frozen_when_the_call_began_are_taken_as_they_are() -> None:
    params: dict[str, Any] = {"q": "disk full", "opts": {"limit": 10}}
    frozen = freeze_params(params)
    assert freeze_params(frozen) is frozen
    params["opts"]["limit"] = 9_999
    assert encode_params(frozen) == {"q": "disk full", "opts": {"limit": 10}}
    original = {"q": "disk full", "opts": {"limit": 10}}
    assert waiting(input_params=frozen).finish() == waiting(input_params=original).finish()


@pytest.mark.parametrize("output", ["x" * HELD, b"x" * HELD, "\u4e00" * (HELD // 2)])
def test_a_large_output_is_reduced_at_once(output: str | bytes) -> None:
    large = outcomes.Success(support=Support.DIRECT, output=output)
    waits = waiting(large)
    assert waits.weight < 8_192
    assert waits.finish() is waits.finish()
    assert waits.finish() == record(call(), large, rules=RULES)


@pytest.mark.parametrize(
    "changes",
    [
        {"input_params": {"q": "x" * 200_000}},
        {"input_params": {"q": list(range(5_000))}},
        {"details": {"q": "x" * 200_000}},
        {"turn_id": "t" * 200_000},
        {"tool_name": "t" * 200_000},
    ],
)
def test_whatever_is_large_in_a_call_is_reduced_at_once(changes: Mapping[str, Any]) -> None:
    waits = waiting(**changes)
    assert isinstance(waits.finish(), Invocation)
    assert waits.weight < 2 * HELD + 8_192
    assert waits.finish() is waits.finish()


def _held(value: Any, seen: set[int]) -> int:
    if id(value) in seen or isinstance(value, type | RecordRules) or value is UTC:
        return 0
    seen.add(id(value))
    parts: list[Any] = []
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif hasattr(value, "__slots__") and not isinstance(value, str):
        parts = [getattr(value, name) for name in value.__slots__]
    return sys.getsizeof(value) + sum(_held(part, seen) for part in parts)


@pytest.mark.parametrize(
    ("outcome", "changes"),
    [
        (SUCCESS, {}),
        (replace(SUCCESS, output="é" * 5_000 + "\u4e00"), {}),
        (replace(SUCCESS, output=b"x" * 40_000), {}),
        (SUCCESS, {"input_params": {f"k{n}": "v" * n for n in range(60)}}),
        (
            SUCCESS,
            {"input_params": {"rows": [[n + 0.5, f"a{n}", None] for n in range(90)]}, "details": {"a": ["é"] * 9}},
        ),
        (outcomes.Failure(kind=FailureKind.ERROR, message="m" * 9_000, output="o" * 9_000), {}),
        (outcomes.Success(support=Support.INDIRECT, output="", partial=tuple(f"{n}" * 700 for n in range(20))), {}),
        (replace(SUCCESS, output="x" * 200_000), {}),
    ],
)
def test_the_weight_of_a_snapshot_is_about_what_it_holds(outcome: outcomes.Outcome, changes: dict[str, Any]) -> None:
    waits = waiting(outcome, **changes)
    assert _held(waits, set()) / 2 - OBJECTS < waits.weight < 2 * _held(waits, set()) + OBJECTS


def test_a_snapshot_shows_nothing_of_what_it_holds() -> None:
    waits = waiting(
        replace(SUCCESS, output=f"password={SECRET}"), input_params={"token": SECRET}, turn_id=SECRET, id="c-9"
    )
    assert SECRET not in f"{waits!r} {waits}"
    assert SECRET not in repr(replace(waits.finish(), turn_id=None))
    with pytest.raises(FrozenInstanceError):
        waits.weight = 0  # type: ignore[misc]  # the mistake that is refused
    assert not hasattr(waits, "__dict__")


def test_frozen_parameters_show_nothing_of_what_they_hold() -> None:
    assert SECRET not in repr(freeze_params({"token": SECRET}))
    assert isinstance(freeze_params(None), FrozenParams)
