"""`query_logs`: untrusted parameters in, one true outcome out."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.material import read_material
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support
from groundtrace.sources import LogEntry, SourceError
from groundtrace_adapters.sources.log_files.source import FileLogSource
from groundtrace_adapters.sources.log_memory import MemoryLogSource
from groundtrace_app.tools.answer import EvidenceTool, ToolAnswer
from groundtrace_app.tools.query_logs import QueryLogsTool

START = datetime(2026, 11, 30, 16, 50, tzinfo=UTC)


def entry(second: int, text: str, **fields: str) -> LogEntry:
    return LogEntry(at=START + timedelta(seconds=second), text=text, origin=f"app.log:{second + 1}", fields=fields)


ENTRIES = (
    entry(0, "order 41 accepted", pod="api-0", level="INFO"),
    entry(1, "level=error card refused", pod="api-0", level="ERROR"),
    entry(2, "order 42 accepted", pod="api-1", level="INFO"),
)


def run(params: Mapping[str, object], source: MemoryLogSource | FileLogSource | None = None) -> ToolAnswer:
    tool: EvidenceTool = QueryLogsTool(source or MemoryLogSource(ENTRIES))
    return asyncio.run(tool.run(params, session_id="s", call_id="c"))


def success(answer: ToolAnswer) -> outcomes.Success:
    assert isinstance(answer.outcome, outcomes.Success)
    return answer.outcome


def empty(answer: ToolAnswer) -> outcomes.NoEvidence:
    assert isinstance(answer.outcome, outcomes.NoEvidence)
    return answer.outcome


def failure(answer: ToolAnswer) -> outcomes.Failure:
    assert isinstance(answer.outcome, outcomes.Failure)
    return answer.outcome


def texts(answer: ToolAnswer) -> list[object]:
    return [line["text"] for line in read_material(answer.text) if "text" in line]


def notes(answer: ToolAnswer) -> str:
    return "\n".join(str(line["note"]) for line in read_material(answer.text) if "note" in line)


def test_a_complete_answer_is_direct_and_its_output_is_the_material() -> None:
    answer = run({"pattern": "order"})
    outcome = success(answer)
    assert (outcome.support, outcome.partial, outcome.basis) == (Support.DIRECT, (), Basis.DECLARED)
    assert outcome.output == answer.text
    assert read_material(answer.text)[0] == {
        "at": "2026-11-30T16:50:00Z",
        "origin": "app.log:1",
        "fields": {"pod": "api-0", "level": "INFO"},
        "text": "order 41 accepted",
    }


def test_a_hit_limit_makes_the_answer_indirect_and_says_what_was_not_seen() -> None:
    """Field case C11."""
    answer = run({"limit": 1, "order": "newest"})
    outcome = success(answer)
    assert outcome.support is Support.INDIRECT
    assert "limit of 1 reached: 2 more entries match" in outcome.partial[0]
    assert outcome.partial[0] in notes(answer)
    assert texts(answer) == ["order 42 accepted"]


def test_the_default_limit_is_a_limit_too() -> None:
    """Field case C11: a limit that nobody gave."""
    answer = run({}, MemoryLogSource(entry(number % 60, f"startup line {number}") for number in range(101)))
    assert len(texts(answer)) == 100
    assert "limit of 100 reached: 1 more" in success(answer).partial[0]


@pytest.mark.parametrize(
    "text",
    [
        "level=error msg=refused svc=api",
        "Traceback (most recent call last):\n  File 'w.py', line 3\nValueError: bad",
        "build finished: 0 errors, 0 warnings",
        "no results found",
        "None",
        "null",
        '{"status":"error","port":429,"timeout":5}',
        "401 Unauthorized user=u-17 path=/login",
    ],
)
def test_what_the_entries_say_never_decides_the_outcome(text: str) -> None:
    """Field cases C05 and C06."""
    answer = run({}, MemoryLogSource([entry(0, text)] * 50))
    assert success(answer).support is Support.DIRECT
    assert texts(answer) == [text] * 50


def test_no_entry_is_no_match_and_says_where_was_looked() -> None:
    answer = run({"pattern": "failover", "start": "2026-11-30T16:50:00Z"})
    outcome = empty(answer)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.NO_MATCH, ())
    assert "3 were searched" in notes(answer)
    assert "reaches from 2026-11-30T16:50:00Z to 2026-11-30T16:50:02Z" in notes(answer)


def test_where_entries_were_not_counted_the_answer_says_how_much_was_searched(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_bytes((b"2026-11-30T16:50:00Z order accepted " + b"x" * 960 + b"\n") * 9_000)
    answer = run({"pattern": "failover"}, FileLogSource([tmp_path]))
    assert empty(answer).reason is NoEvidenceReason.NO_MATCH
    assert "no log entry matches; 9 MB were searched" in notes(answer)


def test_an_empty_answer_that_did_not_see_all_is_no_proof_of_absence() -> None:
    """Field case C08."""
    answer = run({"pattern": "failover"}, MemoryLogSource(ENTRIES, unseen=("store 7 was unavailable",)))
    outcome = empty(answer)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.PARTIAL_EMPTY, ("store 7 was unavailable",))
    assert "no proof" in notes(answer)


def test_entries_found_beside_something_unseen_are_indirect() -> None:
    """Field case C08."""
    answer = run({"pattern": "order"}, MemoryLogSource(ENTRIES, unseen=("store 7 was unavailable",)))
    assert success(answer).support is Support.INDIRECT
    assert len(texts(answer)) == 2
    assert "store 7 was unavailable" in notes(answer)


@pytest.mark.parametrize("kind", list(FailureKind))
def test_an_error_of_the_source_is_a_failure_of_its_kind(kind: FailureKind) -> None:
    error = SourceError(kind=kind, message="the disk is gone", retryable=True)
    answer = run({}, MemoryLogSource(broken=error))
    outcome = failure(answer)
    assert (outcome.kind, outcome.message, outcome.retryable) == (kind, "the disk is gone", True)
    assert "the disk is gone" in answer.text


def test_a_missing_folder_is_a_failure_that_says_how_to_mend_it(tmp_path: Path) -> None:
    outcome = failure(run({}, FileLogSource([tmp_path / "absent"])))
    assert outcome.kind is FailureKind.UNAVAILABLE
    assert "correct the path" in outcome.message


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"patern": "x"}, "unknown parameter 'patern'"),
        ({"query": "x", "limit": "many", "regex": 1, "order": "asc"}, "unknown parameter 'query'"),
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"order": "ascending"}, "order"),
        ({"regex": "yes"}, "regex"),
        ({"pattern": 7}, "pattern"),
        ({"pattern": "x" * 10_001}, "pattern"),
        ({"fields": "pod=api-0"}, "fields"),
        ({"fields": {"pod": ["api-0"]}}, "fields.pod"),
        ({"fields": {"pod": ""}}, "fields.pod"),
        ({"fields": {str(number): "x" for number in range(21)}}, "fields"),
        ({"start": "yesterday"}, "start"),
        ({"start": "2026-11-30"}, "start"),
        ({"start": "2026-11-30T16:50:00"}, "start: has no zone"),
        ({"start": datetime(2026, 11, 30)}, "start: has no zone"),  # noqa: DTZ001
        ({"start": True}, "start"),
        ({"start": -1}, "start"),
        ({"start": 10**400}, "start"),
        ({"start": "9" * 5_000}, "start"),
        ({"limit": 10**400}, "limit"),
        ({"limit": "9" * 5_000}, "limit"),
        ({"fields": {"pod": 10**400}}, "fields.pod"),
        ({"start": 1796057400000}, "start"),
        ({"end": float("nan")}, "end"),
        ({"end": "0001-01-01T00:00:00+14:00"}, "end"),
        ({"end": []}, "end"),
        ({"start": "2026-11-30T16:50:00Z", "end": "2026-11-30T16:50:00Z"}, "end"),
        ({"pod": "api-0", "fields": {"pod": "api-1"}}, "pod is given twice"),
        ({"pod": ""}, "pod"),
        ({"pattern": "(", "regex": True}, "character 1"),
    ],
)
def test_bad_parameters_are_one_line_that_names_them(params: dict[str, object], words: str) -> None:
    outcome = failure(run(params))
    assert outcome.kind is FailureKind.ERROR
    assert not outcome.retryable
    assert words in outcome.message
    assert "\n" not in outcome.message


def test_a_refusal_does_not_repeat_the_value() -> None:
    answer = run({"start": "Bearer abcdef", "limit": "hunter2", "fields": {"pod": [{"token": "s3cret"}]}})
    assert not any(secret in answer.text for secret in ("abcdef", "hunter2", "s3cret"))


@pytest.mark.parametrize(
    "start",
    [
        "2026-11-30T16:50:01Z",
        "2026-11-30 16:50:01+00:00",
        "2026-11-30T18:50:01+02:00",
        "20261130T16:50:01Z",
        1796057401,
        1796057401.0,
        "1796057401",
        START + timedelta(seconds=1),
    ],
)
def test_a_moment_may_be_written_in_several_ways(start: object) -> None:
    assert texts(run({"start": start, "end": 1796057402})) == ["level=error card refused"]


@pytest.mark.parametrize(
    "params",
    [
        {"fields": {"pod": "api-1"}},
        {"pod": "api-1"},
        {"pod": "api-1", "fields": {"pod": "api-1", "level": "INFO"}},
        {"fields": {"PodName": "api-1"}, "pattern": None, "regex": None, "start": None},
    ],
)
def test_an_entity_is_a_field_or_a_parameter_of_its_own(params: dict[str, object]) -> None:
    assert texts(run(params)) == ["order 42 accepted"]


def test_a_whole_number_is_taken_as_the_text_of_a_field() -> None:
    source = MemoryLogSource([entry(0, "listening", port="5432")])
    assert texts(run({"fields": {"port": 5432}}, source)) == ["listening"]


def test_the_output_is_bounded_and_cut_between_entries() -> None:
    source = MemoryLogSource(entry(number % 60, "x" * 20_000) for number in range(200))
    answer = run({"limit": 200}, source)
    assert len(answer.text.encode()) <= 1024 * 1024
    assert success(answer).support is Support.INDIRECT
    assert len(texts(answer)) == 52
    assert "148 of 200 found do not fit" in notes(answer)


def test_a_description_tells_parameters_and_what_the_source_holds() -> None:
    tool = QueryLogsTool(MemoryLogSource(ENTRIES))
    spec = asyncio.run(tool.describe())
    assert (spec.name, tool.retrieves) == ("query_logs", False)
    assert {"pattern", "regex", "start", "end", "fields", "limit", "order", "pod"} <= set(spec.parameters)
    assert spec.source.entities["pod"] == ("api-0", "api-1")


def test_a_source_that_cannot_describe_itself_says_why() -> None:
    error = SourceError(kind=FailureKind.DENIED, message="the folder is not readable")
    spec = asyncio.run(QueryLogsTool(MemoryLogSource(broken=error)).describe())
    assert "the folder is not readable" in spec.source.unseen[0]


NAMES = st.sampled_from(["pattern", "regex", "start", "end", "fields", "limit", "order", "pod", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(NAMES, JSON, max_size=5))
def test_whatever_the_parameters_are_there_is_one_outcome(params: dict[str, object]) -> None:
    answer = run(params)
    assert isinstance(answer.outcome, outcomes.Success | outcomes.NoEvidence | outcomes.Failure)
    assert answer.text
    assert answer.retrieval is None
