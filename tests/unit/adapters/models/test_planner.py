"""The planner of the rules: which calls a question calls for, and no more than it may make."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.outcomes import OutcomeKind
from groundtrace.plan import parse_plan
from groundtrace.roles import PlanRequest, Shown, ToolSpec
from groundtrace.sources import Description
from groundtrace_adapters.models.rules.planner import CALLS, plan
from groundtrace_testing.shown_rows import at, entry, knowledge_shown, logs_shown, passage, shown

NOW = datetime(2031, 5, 8, 9, 30, tzinfo=UTC)
PODS = ("order-service-5b67c48447-fj8b7", "order-other-service-6cdbf9b4cc-swvb5")
LOGS = ToolSpec(
    name="query_logs",
    purpose="",
    parameters={},
    source=Description(
        name="logs", entities={"pod": PODS, "app": ("checkout",)}, earliest=at("10:00:00"), latest=at("18:00:00")
    ),
)
METRICS = ToolSpec(
    name="query_metrics",
    purpose="",
    parameters={},
    source=Description(
        name="metrics",
        entities={"pod": PODS, "app": ("checkout",)},
        metrics=("CpuUsageRate(%)", "connections", "latency_p90_seconds", "memory_bytes", "queue_depth"),
        earliest=at("10:00:00"),
        latest=at("18:00:00"),
    ),
)
KNOWLEDGE = ToolSpec(
    name="lookup_knowledge",
    purpose="",
    parameters={},
    source=Description(name="runbooks", titles=("KubePodCrashLooping", "Disk full")),
)
ALL = (LOGS, METRICS, KNOWLEDGE)


def calls(
    question: str, *, tools: Sequence[ToolSpec] = ALL, seen: Sequence[Shown] = (), step: int = 1
) -> list[tuple[str, Mapping[str, object]]]:
    text = plan(PlanRequest(question=question, now=NOW, tools=tuple(tools), seen=tuple(seen), step=step))
    return [(call.tool, call.params) for call in parse_plan(text).unwrap()]


def test_a_named_pod_is_asked_for_by_its_field_in_the_asked_stretch() -> None:
    first = dict(calls("what went wrong with order-service at 11:52?"))["query_logs"]
    assert first["fields"] == {"pod": PODS[0]}
    assert (first["start"], first["end"]) == ("2031-05-06T11:51:00Z", "2031-05-06T11:54:00Z")


def test_the_metrics_of_a_named_thing_are_read_with_half_an_hour_before() -> None:
    params = dict(calls("why was checkout slow at 11:52?"))["query_metrics"]
    assert params["selector"] == '{__name__=~"latency_p90_seconds", app="checkout"}'
    assert params["start"] == "2031-05-06T11:21:00Z"


def test_a_metric_that_the_question_writes_out_is_read() -> None:
    selector = str(dict(calls("how high was queue_depth at 11:52?"))["query_metrics"]["selector"])
    assert "queue_depth" in selector


def test_a_name_with_special_characters_is_written_as_a_pattern_for_itself() -> None:
    selector = str(dict(calls("how high was the cpu of checkout at 11:52?"))["query_metrics"]["selector"])
    assert selector == r'{__name__=~"CpuUsageRate\\(%\\)", app="checkout"}'


def test_without_a_named_thing_all_things_are_looked_at() -> None:
    planned = calls("what went wrong at 11:52?")
    assert {tool for tool, _ in planned} == {"query_logs", "query_metrics"}
    assert not any("fields" in params for _, params in planned)
    assert all("pod=" not in str(params.get("selector")) for _, params in planned)


def test_a_name_that_the_logs_know_by_no_field_is_looked_for_as_a_text() -> None:
    metrics_only = ToolSpec(
        name="query_metrics", purpose="", parameters={}, source=Description(name="m", entities={"app": ("billing",)})
    )
    assert (
        dict(calls("what did billing do at 11:52?", tools=(LOGS, metrics_only)))["query_logs"]["pattern"] == "billing"
    )


@pytest.mark.parametrize(
    "question",
    ["how do I mend a full disk?", "what does KubePodCrashLooping mean?", "what should we do when connections run out?",
     "which runbook covers full disks?"],
)  # fmt: skip
def test_a_question_for_a_procedure_asks_the_runbooks_alone(question: str) -> None:
    assert [tool for tool, _ in calls(question)] == ["lookup_knowledge"]


def test_an_alert_is_looked_up_by_its_name() -> None:
    assert calls("what does KubePodCrashLooping mean?")[0][1]["query"] == "KubePodCrashLooping"


def test_what_happened_at_a_time_is_no_procedure() -> None:
    assert "query_logs" in dict(calls("how do I explain the errors at 11:52?"))


def test_a_severe_entry_is_looked_up_in_the_runbooks_next() -> None:
    seen = (logs_shown("e1", [entry("11:52:00", "FATAL: no space left on device", pod=PODS[0])]),)
    planned = calls("what went wrong at 11:52?", seen=seen, step=2)
    assert planned[0][0] == "lookup_knowledge"
    assert "space left device" in str(planned[0][1]["query"])


@pytest.mark.parametrize("outcome", [OutcomeKind.SUCCESS, OutcomeKind.DEDUPED])
def test_the_section_that_tells_what_to_do_is_fetched_next(outcome: OutcomeKind) -> None:
    text = knowledge_shown("e1", [passage("Disk full", "Impact", "A full disk stops all writes.")]).text
    seen = (shown("e1", "lookup_knowledge", text, params={"query": "full disk"}, partial=False, outcome=outcome),)
    planned = calls("how do I mend a full disk?", seen=seen, step=2)
    assert planned == [("lookup_knowledge", {"uri": "disk-full.md#mitigation"})]


def test_when_nothing_severe_was_found_every_entry_of_the_thing_is_asked_for() -> None:
    empty = shown("e1", "query_logs", "", params={}, partial=False, outcome=OutcomeKind.NO_EVIDENCE)
    planned = calls("what did order-service do at 11:52?", tools=(LOGS,), seen=(empty,), step=2)
    assert [tool for tool, _ in planned] == ["query_logs"]
    assert "pattern" not in planned[0][1]


def test_no_call_is_made_twice() -> None:
    tool, params = calls("what did order-service do at 11:52?", tools=(LOGS,))[0]
    seen = (shown("e1", tool, "", params=params, partial=False, outcome=OutcomeKind.NO_EVIDENCE),)
    assert (tool, params) not in calls("what did order-service do at 11:52?", tools=(LOGS,), seen=seen, step=2)


def test_a_question_without_a_time_looks_at_the_last_hour_of_long_data() -> None:
    params = dict(calls("what went wrong?"))["query_logs"]
    assert (params["start"], params["end"]) == ("2031-05-06T17:00:00Z", "2031-05-06T18:00:01Z")


def test_enough_is_seen_after_the_last_step() -> None:
    assert calls("what went wrong at 11:52?", step=4) == []


def test_without_tools_there_is_nothing_to_plan() -> None:
    assert calls("what went wrong at 11:52?", tools=()) == []


@given(st.text(max_size=300))
def test_any_question_gets_a_bounded_plan(question: str) -> None:
    assert len(calls(question)) <= CALLS


@pytest.mark.parametrize(
    "question",
    [
        "when did the first deadlock of checkout happen?",
        "when did checkout last log a deadlock?",
        "how many deadlocks did checkout log?",
        "when did the deadlocks of checkout start?",
    ],
)
def test_without_a_time_a_total_a_first_and_a_last_are_looked_for_in_all_logs(question: str) -> None:
    searches = [params for tool, params in calls(question) if tool == "query_logs"]
    assert searches
    assert all("start" not in params and "end" not in params for params in searches)


def test_words_that_nothing_says_are_looked_for_themselves() -> None:
    seen = (logs_shown("e1", [entry("11:52:00", "ERROR: no room", app="checkout")]),)
    patterns = [str(params.get("pattern")) for _, params in calls("was the breaker open at 11:52?", seen=seen, step=2)]
    assert "(?i)break" in patterns


def test_a_question_for_logs_is_asked_for_entries_of_any_wording() -> None:
    searches = [params for tool, params in calls("show me the logs of checkout at 11:52") if tool == "query_logs"]
    assert "pattern" not in searches[0]
