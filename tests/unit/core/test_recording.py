"""The recorder's persisted semantics: what a successful, failed, empty or repeated call leaves behind (section 4)."""

import json
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.encoding import encode, fingerprint
from groundtrace.invocation import Invocation, OutputState, ToolCall
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.recording import (
    RecordRules,
    classify_foreign,
    duration_from,
    milliseconds_from,
    outcome_of,
    record,
    record_retrieval,
    row_digest,
)
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Hit, Layer, Mode, Relevance, Retrieval

RULES = RecordRules(redactor=Redactor(b"k" * 32))
START = datetime(2026, 3, 8, 12, tzinfo=UTC)
PARAMS: dict[str, object] = {"selector": '{app="api"}', "limit": 100}
OUTCOMES: dict[str, outcomes.Outcome] = {
    "success": outcomes.Success(support=Support.DIRECT, output="3 lines"),
    "partial": outcomes.Success(support=Support.INDIRECT, output="3 lines", partial=("limit of 3 hit",)),
    "no_evidence": outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, output=""),
    "empty_partial": outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=("one file unread",)),
    "deduped": outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("inv-1",), inherited=OutcomeKind.SUCCESS),
    "failure": outcomes.Failure(kind=FailureKind.TIMEOUT, message="TimeoutError: 5 s", retryable=True),
    "broken_off": outcomes.Failure(kind=FailureKind.CANCELLED, message="cancelled", output="2 of 3 lines"),
}
RETRIEVAL = Retrieval(
    layer=Layer.L1,
    l0_count=4,
    l1_count=2,
    relevance=Relevance.HIGH,
    floor=0.45,
    hits=(Hit(uri="disk.md#fix", layer=Layer.L1, score=2.5, coverage=0.8, content_hash="ab"),),
    filters={"service": "db"},
    index_revision="r1",
)


class Nowhere(tzinfo):
    """A zone that does not say where it is."""

    @override
    def utcoffset(self, moment: datetime | None, /) -> None:
        return None

    @override
    def dst(self, moment: datetime | None, /) -> None:
        return None

    @override
    def tzname(self, moment: datetime | None, /) -> None:
        return None


def call(**changes: Any) -> ToolCall:
    given: dict[str, Any] = {
        "session_id": "s-1",
        "id": "c-1",
        "tool_name": "query_logs",
        "input_params": PARAMS,
        "started_at": START,
        "duration_ms": 12,
    }
    return ToolCall(**(given | changes))


def row_of(outcome: outcomes.Outcome, **changes: Any) -> Invocation:
    return record(call(**changes), outcome, rules=RULES)


def details(row: Invocation) -> Any:
    return json.loads(row.details)


@pytest.mark.parametrize("tool", ["lookup_knowledge", "query_logs", "query_metrics"])
@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)
def test_every_call_leaves_a_whole_row_whatever_its_outcome(outcome: outcomes.Outcome, tool: str) -> None:
    """Field case B21."""
    row = row_of(outcome, tool_name=tool)
    assert (row.session_id, row.id, row.tool_name, row.topic_domain) == ("s-1", "c-1", tool, "api")
    assert json.loads(row.input_params) == PARAMS
    assert row.input_fingerprint == fingerprint(encode(PARAMS))
    assert (row.started_at, row.duration_ms) == (START, 12)
    assert row.success is not isinstance(outcome, outcomes.Failure)
    assert (row.output_preview is None) == (row.output_state is OutputState.NONE)
    assert (row.error_message is not None) == isinstance(outcome, outcomes.Failure)
    assert (row.dedup_reason is not None) == isinstance(outcome, outcomes.Deduped)
    retrieval = (row.retrieval_layer, row.l0_count, row.l1_count, row.relevance_level, row.retrieval_details)
    assert retrieval == (None,) * 5
    assert outcome_of(row) == outcome


def test_a_successful_call_says_how_far_it_carries() -> None:
    row = row_of(OUTCOMES["success"])
    assert (row.outcome, row.support, row.reason, row.partial) == (OutcomeKind.SUCCESS, Support.DIRECT, None, False)
    assert (row.output_preview, row.output_state, row.output_bytes) == ("3 lines", OutputState.FULL, 7)
    assert row.details == "{}"


def test_a_partial_call_says_what_was_not_seen() -> None:
    row = row_of(OUTCOMES["partial"])
    assert (row.support, row.partial, details(row)) == (Support.INDIRECT, True, {"partial": ["limit of 3 hit"]})


def test_an_empty_call_succeeded_and_has_no_blank_output() -> None:
    row = row_of(OUTCOMES["no_evidence"])
    assert (row.outcome, row.success, row.reason) == (OutcomeKind.NO_EVIDENCE, True, "no_match")
    assert (row.support, row.error_message, row.output_preview, row.output_state) == (
        None,
        None,
        None,
        OutputState.NONE,
    )
    assert row.output_bytes == 0
    assert row_of(OUTCOMES["empty_partial"]).output_bytes is None


def test_a_repeat_names_what_it_repeats_and_is_no_evidence_of_its_own() -> None:
    row = row_of(OUTCOMES["deduped"])
    assert (row.outcome, row.success, row.support) == (OutcomeKind.DEDUPED, True, None)
    assert (row.reason, row.dedup_reason) == ("same_query", "same_query")
    assert details(row) == {"of": ["inv-1"], "inherited": "success"}


def test_a_failed_call_says_why() -> None:
    row = row_of(OUTCOMES["failure"])
    assert (row.outcome, row.success, row.reason) == (OutcomeKind.FAILURE, False, "timeout")
    assert (row.error_message, row.support) == ("TimeoutError: 5 s", None)
    assert details(row) == {"retryable": True}


def test_a_retrieval_is_told_in_its_columns() -> None:
    row = record_retrieval(call(tool_name="lookup_knowledge"), RETRIEVAL, OUTCOMES["success"], rules=RULES)
    assert (row.retrieval_layer, row.l0_count, row.l1_count, row.relevance_level) == (Layer.L1, 4, 2, Relevance.HIGH)
    assert json.loads(row.retrieval_details or "") == {
        "mode": "search",
        "floor": 0.45,
        "filters": {"service": "db"},
        "index_revision": "r1",
        "l2_count": 0,
        "hits": [{"uri": "disk.md#fix", "layer": "L1", "score": 2.5, "coverage": 0.8, "content_hash": "ab"}],
    }


def test_a_retrieval_that_failed_before_the_search_has_no_counts() -> None:
    row = record_retrieval(call(), None, OUTCOMES["failure"], rules=RULES)
    assert (row.retrieval_layer, row.l0_count, row.l1_count, row.relevance_level) == (None,) * 4
    fetched = Retrieval(mode=Mode.ADDRESS, layer=Layer.L2, l1_count=1, l2_count=1)
    assert record_retrieval(call(), fetched, OUTCOMES["success"], rules=RULES).l0_count == 0


def test_secrets_are_nowhere_in_a_row_and_are_counted() -> None:
    """Field case B19."""
    params = {
        "api_key": "sk-test-IIIIJJJJKKKKLLLL",
        "headers": {"Authorization": "Bearer eyJhbGciOiJub25lIn0.e31."},
        "url": "https://ann:pw90210@api.example.test/v1/q?token=tok-445566&q=error+rate",
        "max_tokens": 4096,
    }
    failure = outcomes.failure_from(RuntimeError("401 for https://api.example.test/v1/q?token=tok-445566"))
    row = row_of(
        replace(failure, output="password=hunter2"),
        input_params=params,
        topic_domain="token=tok-445566",
        details={"dsn": "postgresql://app:s3cr3t@db.example.test/x"},
    )
    whole = repr(row)
    for secret in ("sk-test-IIII", "eyJhbGciOi", "pw90210", "tok-445566", "s3cr3t", "hunter2"):
        assert secret not in whole
    shown = json.loads(row.input_params)
    assert shown["max_tokens"] == 4096
    assert "@api.example.test/v1/q?token=[redacted token " in shown["url"]
    assert shown["url"].endswith("&q=error+rate")
    token = shown["url"].split("token=")[1].split("&")[0]
    assert f"token={token}" in (row.error_message or "")
    assert details(row)["redactions"] == {"authorization": 1, "key": 1, "password": 2, "token": 2}
    again = row_of(replace(failure, message=row.error_message or ""), input_params=shown)
    assert (again.input_params, again.input_fingerprint) == (row.input_params, row.input_fingerprint)
    assert again.error_message == row.error_message


def test_two_secrets_make_two_calls() -> None:
    one, same, other = (
        row_of(OUTCOMES["success"], input_params={"token": token}) for token in ("aa11bb", "aa11bb", "cc")
    )
    assert one.input_fingerprint == same.input_fingerprint != other.input_fingerprint


def test_the_fingerprint_is_taken_before_parameters_are_cut() -> None:
    rows = [row_of(OUTCOMES["success"], input_params={"q": "x" * 100_000 + end}) for end in "ab"]
    assert rows[0].input_fingerprint != rows[1].input_fingerprint
    for row in rows:
        assert len(row.input_params.encode()) <= 64 * 1024
        assert "characters left out]" in row.input_params


def test_parameters_in_json_text_are_one_call_with_the_object() -> None:
    """Field case D01, variant json_text_args."""
    text = row_of(OUTCOMES["success"], input_params='{"limit": 100, "selector": "{app=\\"api\\"}"}')
    assert text == row_of(OUTCOMES["success"])


def test_hostile_text_is_stored_visibly_in_every_column() -> None:
    """Field case B01."""
    row = row_of(
        outcomes.Success(support=Support.INDIRECT, output="ELF\0\x01\x02 done\ud83d", partial=("a\0",)),
        session_id="s\0",
        id="c\ud83d",
        turn_id="t\0",
        tool_name="tool\0",
        topic_domain="topic\0",
        input_params={"path": "core\0dump", "k\0ey": 1, "nested": [{"a": "\0"}], "literal": "text \\u0000 text"},
        details={"a\0": "\0"},
    )
    assert "\0" not in repr(row)
    assert "\\x00" not in repr(row)
    assert "ud83d" not in repr(row)
    assert (row.session_id, row.id, row.output_preview) == ("s\u2400", "c\ufffd", "ELF\u2400\x01\x02 done\ufffd")
    params = json.loads(row.input_params)
    assert params == {
        "path": "core\u2400dump",
        "k\u2400ey": 1,
        "nested": [{"a": "\u2400"}],
        "literal": "text \\u0000 text",
    }


def test_numbers_that_json_cannot_say_are_stored_as_words_and_not_as_zero() -> None:
    """Field case B03."""
    row = row_of(OUTCOMES["success"], input_params={"threshold": float("nan"), "max": float("inf"), "ok": 1.5})
    assert row.input_params == '{"max":"Infinity","ok":1.5,"threshold":"NaN"}'


def test_long_names_are_cut_visibly() -> None:
    row = row_of(OUTCOMES["success"], tool_name="t" * 300, topic_domain="d" * 300)
    assert (len(row.tool_name), row.tool_name[-4:]) == (200, "t...")
    assert (len(row.topic_domain), row.topic_domain[-4:]) == (200, "d...")


def test_times_are_utc() -> None:
    row = row_of(OUTCOMES["success"], started_at=datetime(2026, 3, 8, 20, tzinfo=timezone(timedelta(hours=8))))
    assert row.started_at == START
    assert row.started_at.tzinfo is UTC
    edge = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8)))
    assert row_of(OUTCOMES["success"], started_at=edge).started_at.tzinfo is UTC


def test_a_row_does_not_follow_later_changes() -> None:
    """Field case B18."""
    params: dict[str, Any] = {"filters": ["svc=api"], "opts": {"limit": 10}}
    row = row_of(OUTCOMES["success"], input_params=params)
    params["filters"].append("svc=db")
    params["opts"]["limit"] = 9_999
    assert json.loads(row.input_params) == {"filters": ["svc=api"], "opts": {"limit": 10}}
    with pytest.raises(FrozenInstanceError):
        row.seq = 2  # type: ignore[misc]  # the mistake that is refused
    assert not hasattr(row, "__dict__")


def test_two_builds_are_equal_and_so_are_their_digests() -> None:
    """Field case B04."""
    rows = [row_of(OUTCOMES["success"], input_params={"set": {"b", "a"}, "f": print}) for _ in range(2)]
    assert rows[0] == rows[1]
    assert hash(rows[0]) == hash(rows[1])
    assert row_digest(rows[0]) == row_digest(rows[1])
    assert replace(rows[0], seq=1) != rows[0]


@pytest.mark.parametrize("column", [column.name for column in fields(Invocation)])
def test_the_digest_covers_every_column(column: str) -> None:
    row = row_of(OUTCOMES["success"])
    changed: dict[str, Any] = {column: "other" if column != "started_at" else START + timedelta(microseconds=1)}
    assert row_digest(replace(row, **changed)) != row_digest(row)


def test_a_policy_of_ones_own_names_the_topic_and_cannot_break_the_row() -> None:
    def own(params: JsonValue, explicit: str | None, scope: str | None) -> str:
        return f" Team-{scope} "

    def broken(params: JsonValue, explicit: str | None, scope: str | None) -> str:
        raise RuntimeError("no")

    assert record(call(scope="A"), OUTCOMES["success"], rules=replace(RULES, topic_policy=own)).topic_domain == "team-a"
    assert record(call(), OUTCOMES["success"], rules=replace(RULES, topic_policy=broken)).topic_domain == "api"


def test_a_callers_details_are_kept_beside_ours() -> None:
    row = row_of(OUTCOMES["deduped"], details={"clock_skew": True, "of": "not theirs to say"})
    assert details(row) == {"clock_skew": True, "of": ["inv-1"], "inherited": "success"}
    huge = row_of(OUTCOMES["deduped"], details={"a": "x" * 200_000})
    assert len(huge.details.encode()) <= 64 * 1024
    assert outcome_of(huge) == OUTCOMES["deduped"]


def test_a_callers_details_never_shorten_what_ours_say() -> None:
    """Field case B21: a shortened reference would be a call that never was."""
    nested: object = "v"
    for _ in range(5):
        nested = {f"k{number}": nested for number in range(14)}
    ids = tuple(f"01a22d89-1976-7644-a57c-{number:012}" for number in range(outcomes.MOST_REFERENCES))
    repeat = outcomes.Deduped(reason=DedupReason.SAME_DOCUMENTS, of=ids, inherited=OutcomeKind.SUCCESS)
    row = row_of(repeat, details={"theirs": nested})
    assert outcome_of(row) == repeat
    assert len(row.details.encode()) <= 64 * 1024
    assert "left out" in row.details


def test_references_of_any_letters_fit_in_a_row() -> None:
    ids = tuple("\x01" * 197 + f"{number:03}" for number in range(outcomes.MOST_REFERENCES))
    repeat = outcomes.Deduped(reason=DedupReason.SAME_DOCUMENTS, of=ids)
    assert outcome_of(row_of(repeat, details={"a": "x" * 200_000})) == repeat


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"id": "i" * 201}, "id"),
        ({"id": "\u200b"}, "id"),
        ({"started_at": START.replace(tzinfo=None)}, "zone"),
        ({"started_at": START.replace(tzinfo=Nowhere())}, "zone"),
        ({"seq": -1}, "64 bits"),
        ({"seq": 2**63}, "64 bits"),
        ({"duration_ms": -1}, "64 bits"),
        ({"duration_ms": 2**63}, "64 bits"),
        ({"duration_ms": float("nan")}, "64 bits"),
    ],
)
def test_a_call_that_no_store_can_keep_is_refused(changes: dict[str, Any], what: str) -> None:
    """Field cases B09 and B11: an id without end is a key that no index takes."""
    with pytest.raises(ValueError, match=what):
        call(**changes)


@pytest.mark.parametrize("moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)])
@pytest.mark.parametrize("hours", [-23, -1, 0, 1, 23])
def test_the_ends_of_the_calendar_are_recorded_in_any_zone(moment: datetime, hours: int) -> None:
    row = row_of(OUTCOMES["success"], started_at=moment.replace(tzinfo=timezone(timedelta(hours=hours))))
    assert row.started_at.utcoffset() == timedelta(0)
    assert abs(row.started_at - moment) <= timedelta(hours=23)


def test_a_secret_in_a_tools_name_is_redacted() -> None:
    """Field case B19: a planner may write anything as the name of a tool."""
    row = row_of(OUTCOMES["success"], tool_name="query?token=tok-99887766")
    assert row.tool_name.startswith("query?token=[redacted token ")


def test_a_long_message_is_redacted_before_it_is_cut() -> None:
    for at in range(1_950, 2_010, 7):
        row = row_of(outcomes.Failure(kind=FailureKind.ERROR, message=f"{'m ' * (at // 2)} token=Zq9Zq9Zq9Zq9Zq9Zq9"))
        assert len(row.error_message or "") <= 2_000
        assert "Zq9" not in (row.error_message or "")
    assert (
        "Zq9"
        not in (row_of(outcomes.Failure(kind=FailureKind.ERROR, message="Zq9x" * 9_000)).error_message or "")[2_000:]
    )


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
VISIBLE = TEXT.map(lambda text: f"x{text}")
BASES = st.sampled_from(Basis)
NOTES = st.lists(VISIBLE, max_size=3).map(tuple)
ANY_OUTCOME: st.SearchStrategy[outcomes.Outcome] = st.one_of(
    st.builds(
        outcomes.Success,
        support=st.just(Support.INDIRECT),
        output=VISIBLE | VISIBLE.map(str.encode),
        partial=NOTES,
        basis=BASES,
    ),
    st.builds(outcomes.Success, support=st.sampled_from(Support), output=VISIBLE, basis=BASES),
    st.builds(
        outcomes.NoEvidence,
        reason=st.sampled_from(NoEvidenceReason),
        output=st.none() | st.just("") | VISIBLE,
        partial=NOTES,
        basis=BASES,
    ),
    st.builds(
        outcomes.Deduped,
        reason=st.sampled_from(DedupReason),
        of=st.lists(VISIBLE, min_size=1, max_size=3).map(tuple),
        inherited=st.none() | st.sampled_from(OutcomeKind),
        basis=BASES,
    ),
    st.builds(
        outcomes.Deduped,
        reason=st.sampled_from(sorted(outcomes.IMPORTED_DEDUP)),
        of=st.just(()),
        basis=st.just(Basis.INFERRED),
    ),
    st.builds(
        outcomes.Failure,
        kind=st.sampled_from(FailureKind),
        message=VISIBLE,
        retryable=st.booleans(),
        output=st.none() | VISIBLE,
        basis=BASES,
    ),
)


@given(ANY_OUTCOME)
def test_an_outcome_read_back_is_the_outcome_recorded(outcome: outcomes.Outcome) -> None:
    """Where it holds no secret; texts are generated, and some look like one."""
    row = row_of(outcome)
    if "[redacted " not in repr(row):
        assert outcome_of(row) == outcome


@given(
    ANY_OUTCOME,
    st.lists(st.sampled_from(["x" * 900, " \n", "password=hunter2hunter2 ", "é"]), max_size=40).map("".join),
)
def test_a_long_output_comes_back_as_its_preview(outcome: outcomes.Outcome, text: str) -> None:
    if isinstance(outcome, outcomes.Success):
        row = row_of(replace(outcome, output=text))
        assert outcome_of(row) == replace(outcome, output=row.output_preview or "")


@given(
    st.builds(
        Invocation,
        session_id=TEXT, id=TEXT, turn_id=st.none(), seq=st.integers(), tool_name=TEXT, topic_domain=TEXT,
        outcome=st.sampled_from(OutcomeKind), support=st.none() | st.sampled_from(Support), reason=st.none() | TEXT,
        partial=st.booleans(), basis=BASES, input_params=TEXT, input_fingerprint=TEXT, started_at=st.just(START),
        duration_ms=st.none(), success=st.booleans(), output_preview=st.none() | TEXT,
        output_state=st.sampled_from(OutputState), output_bytes=st.none() | st.integers(), output_sha256=st.none(),
        error_message=st.none() | TEXT, retrieval_layer=st.none(), l0_count=st.none(), l1_count=st.none(),
        relevance_level=st.none(), retrieval_details=st.none(), dedup_reason=st.none() | TEXT,
        details=TEXT | st.sampled_from(["null", "[]", '{"of":[" ",1]}', '{"partial":7}', "[" * 9_999]),
    )
)  # fmt: skip
def test_any_row_reads_as_some_outcome_of_its_kind(row: Invocation) -> None:
    assert outcomes.kind_of(outcome_of(row)) is row.outcome


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            {"success": False, "message": "boom"},
            outcomes.Failure(kind=FailureKind.ERROR, message="boom", basis=Basis.INFERRED),
        ),
        (
            {"success": False, "dedup_reason": "same_query", "message": " "},
            outcomes.Failure(kind=FailureKind.ERROR, message="no message was recorded", basis=Basis.INFERRED),
        ),
        (
            {"success": True, "dedup_reason": "seen"},
            outcomes.Deduped(reason=DedupReason.OTHER, of=(), basis=Basis.INFERRED),
        ),
        ({"success": True}, outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, basis=Basis.INFERRED)),
        (
            {"success": True, "output": "x", "relevance": "none"},
            outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, output="x", basis=Basis.INFERRED),
        ),
        (
            {"success": None, "output": "x", "layer": "none"},
            outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, output="x", basis=Basis.INFERRED),
        ),
        (
            {"success": True, "output": "x", "layer": "L1"},
            outcomes.Success(support=Support.INDIRECT, output="x", basis=Basis.INFERRED),
        ),
    ],
)
def test_rows_of_others_classify_in_the_order_of_the_contract(
    columns: dict[str, Any], expected: outcomes.Outcome
) -> None:
    assert classify_foreign(**columns) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (START, START + timedelta(seconds=3.2), (3_200, False)),
        (START, START, (0, False)),
        (START, START + timedelta(microseconds=400), (0, False)),
        (START, START - timedelta(seconds=5), (None, True)),
        (START, None, (None, False)),
        (None, START, (None, False)),
        (START, START.replace(tzinfo=None), (None, False)),
    ],
)
def test_a_duration_that_a_trace_does_not_tell_is_null(
    start: datetime | None, end: datetime | None, expected: tuple[int | None, bool]
) -> None:
    """Field case B09."""
    assert duration_from(start, end) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (12, 12),
        (0.4, 0),
        (12.6, 13),
        (float("nan"), None),
        (float("inf"), None),
        (-1, None),
        ("12", None),
        (None, None),
        (True, None),
        (2**63, None),
        (1e300, None),
    ],
)
def test_stated_milliseconds_are_finite_and_not_negative(value: object, expected: int | None) -> None:
    """Field case B09, variant imported_nan."""
    assert milliseconds_from(value) == expected


def test_what_a_policy_of_ones_own_says_is_redacted_too() -> None:
    rules = replace(RULES, topic_policy=lambda *_: "https://ops:hunter2pw@db.example.test")
    row = record(call(), OUTCOMES["success"], rules=rules)
    assert "hunter2pw" not in repr(row)
    assert "db.example.test" in row.topic_domain
