"""Runs of benchmarks and of HolmesGPT: every call is read once, with what its recorder said of how it ended."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, DedupReason, FailureKind, OutcomeKind
from groundtrace.transcripts.events import Format, Record, Returned
from groundtrace.transcripts.flags import NOTHING, READS_AS_FAILURE, flagged
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.holmesgpt import HOLMESGPT
from groundtrace.transcripts.joined import Finding
from groundtrace.transcripts.tau2_bench import TAU2_BENCH
from groundtrace.transcripts.tau_bench import TAU_BENCH
from groundtrace.transcripts.toolbench import CUT, DOUBTED, TOOLBENCH
from groundtrace_testing.transcripts import (
    ODD,
    Imported,
    asks,
    brings,
    details,
    imported,
    output_of,
    places,
    says,
    with_other,
)

SUCCESS, NO_EVIDENCE, DEDUPED, FAILURE = OutcomeKind


def trajectory(task: JsonValue, trial: JsonValue, *messages: JsonValue) -> JsonValue:
    return {"task_id": task, "trial": trial, "reward": 1.0, "info": {}, "traj": list(messages)}


TAU: list[JsonValue] = [
    trajectory(
        0, 0, says("user", "seat?"), asks(("c1", "find", "{}")), brings("c1", "4A"), says("assistant", "it is 4A")
    ),
    trajectory(
        0, 1, says("user", "seat?"), asks(("c1", "find", "{}")), brings("c1", "4B"), says("assistant", "it is 4B")
    ),
]


def turn(role: str, content: JsonValue, *calls: JsonValue, at: str | None = None, **more: JsonValue) -> JsonValue:
    return {"role": role, "content": content, "tool_calls": list(calls) or None, "timestamp": at, **more}


def calls(call_id: str, name: str, by: str = "assistant", **params: JsonValue) -> JsonValue:
    return {"id": call_id, "name": name, "arguments": params, "requestor": by}


SIMULATION: JsonValue = {
    "id": "sim-1",
    "task_id": "7",
    "start_time": "2026-03-08T12:00:00.000000",
    "termination_reason": "user_stop",
    "messages": [
        turn("assistant", "Hello"),
        turn("user", "no signal"),
        turn("assistant", None, calls("a", "get_line", line="L1"), calls("b", "get_bill")),
        {"role": "tool", "id": "a", "content": '{"line": "L1"}', "requestor": "assistant", "error": False},
        {"role": "tool", "id": "b", "content": "Error: no such bill", "requestor": "assistant", "error": True},
        turn("user", None, calls("u", "toggle_data", by="user"), at="2026-03-08T12:00:05.000000"),
        {"role": "tool", "id": "u", "content": "on", "requestor": "user", "timestamp": "2026-03-08T12:00:07"},
        turn("assistant", "all is well"),
    ],
}  # fmt: skip
TAU2: list[JsonValue] = [{"timestamp": "2026-03-08", "info": {}, "simulations": [SIMULATION]}]


def node(kind: str, description: str, *children: JsonValue, **more: JsonValue) -> JsonValue:
    return {"node_type": kind, "description": description, "children": list(children), "pruned": False, **more}


def called(tool: str, given: JsonValue, observation: JsonValue, code: int, *children: JsonValue) -> JsonValue:
    seen = {"observation": observation, "observation_code": code}
    return node("Action", tool, node("Action Input", json.dumps(given), *children, **seen))


def answered(error: str, response: str) -> str:
    return json.dumps({"error": error, "response": response})


ANSWER: JsonValue = {"return_type": "give_answer", "final_answer": "it is Sangria"}
DONE = json.dumps({"response": "successfully giving the final answer."})
BRANCH = called(
    "list_drinks", {}, answered("", "[{'id': 1, 'title': 'Sangria'}]"), 0, called("Finish", ANSWER, DONE, 3)
)
TREE: list[JsonValue] = [
    {
        "win": True,
        "tree": {
            "size": 9,
            "tree": node(
                "Action Input",
                "",
                called("no_such", {}, answered("No such function name: no_such", ""), 1),
                node("Thought", "another way", BRANCH, called("slow", {"q": 1}, answered("Timeout error...", ""), 5)),
            ),
        },
        "compare_candidates": [[{"node_type": "Action", "description": "list_drinks"}]],
        "answer_generation": {"query": "a drink?", "final_answer": json.dumps(ANSWER), "train_messages": []},
    }
]


def result(status: JsonValue, **more: JsonValue) -> JsonValue:
    return {"schema_version": "v1", "status": status, "error": None, "return_code": 0, "params": {"pod": "a"}, **more}


def held(status: JsonValue, body: str, name: str = "one", **more: JsonValue) -> JsonValue:
    call: dict[str, JsonValue] = {"toolset_name": "kubernetes/logs", "tool_name": "fetch_pod_logs", "match_params": {}}
    return {**call, "result": result(status, **more), "body": body, "folder": "runs/07_crash", "file": name}


HOLMES: list[JsonValue] = [
    held("success", "3 lines", "a"),
    held("error", "", "b", error="pods not found", return_code=1),
    held("no_data", "LOG QUERY METADATA\n- Pod: a", "c"),
]

INVESTIGATION: list[JsonValue] = [
    {
        "ask": "why?",
        "analysis": "it is down",
        "tool_calls": [
            {"tool_call_id": "c1", "tool_name": "get", "result": result("success", data="2 pods")},
            {"tool_call_id": "c2", "tool_name": "list", "result": "3 nodes"},
        ],
        "messages": [{"role": "tool", "tool_call_id": "c1", "content": "2 pods"}],
    }
]

RUNS = {"file/task 0 trial 0", "file/task 0 trial 1"}
DRINKS = answered("", "[{'id': 1, 'title': 'Sangria'}]")
_Row = tuple[Format, Sequence[JsonValue], set[str], list[str | None], list[str]]
ALL: dict[str, _Row] = {
    "tau-bench": (TAU_BENCH, TAU, RUNS, ["4A", "4B"], ["it is 4A", "it is 4B"]),
    "tau2-bench": (TAU2_BENCH, TAU2, {"sim-1"}, ['{"line": "L1"}', None, "on"], ["Hello", "all is well"]),
    "tau2-bench, one": (TAU2_BENCH, [SIMULATION], {"sim-1"}, ['{"line": "L1"}', None, "on"], ["Hello", "all is well"]),
    "toolbench": (TOOLBENCH, TREE, {"file/line 1"}, [None, DRINKS, None], ["it is Sangria"]),
    "holmesgpt": (HOLMESGPT, HOLMES, {"runs/07_crash"}, ["3 lines", None, "LOG QUERY METADATA\n- Pod: a"], []),
    "holmesgpt answer": (HOLMESGPT, INVESTIGATION, {"file"}, ["2 pods", "3 nodes"], ["it is down"]),
}  # fmt: skip


def in_order(told: Imported) -> list[outcomes.Outcome]:
    return [one.outcome for one in sorted(told.calls, key=lambda one: (one.call.session_id, one.call.seq))]


@pytest.mark.parametrize(("form", "records", "sessions", "outputs", "answers"), ALL.values(), ids=ALL)
def test_every_call_and_answer_of_a_run_is_read(
    form: Format, records: Sequence[JsonValue], sessions: set[str], outputs: list[str | None], answers: list[str]
) -> None:
    assert format_of([Record(place="", value=one) for one in records]) is form
    told = imported(records, form)
    assert {one.call.session_id for one in told.calls} == sessions
    ordered = sorted(told.calls, key=lambda one: (one.call.session_id, one.call.seq))
    assert [None if isinstance(one.outcome, outcomes.Failure) else output_of(one) for one in ordered] == outputs
    assert [one.text for one in told.answers] == answers
    assert not told.findings.unknown
    assert told.findings.found[Finding.ORPHAN] == told.findings.found[Finding.MISSING_RESULT] == 0


def test_the_same_call_is_run_again_in_another_trial() -> None:
    told = imported(TAU, TAU_BENCH)
    assert told.kinds == [SUCCESS, SUCCESS]
    assert told.findings.sessions == 2
    assert len({one.call.id for one in told.calls}) == 2


def test_an_identical_repeat_whose_output_changed_is_a_success_of_its_own() -> None:
    asked = [says("user", "seat?"), asks(("a", "find", "{}")), brings("a", "4A"), asks(("b", "find", "{}"))]
    told = imported([trajectory(1, 0, *asked, brings("b", "4A was sold"))], TAU_BENCH)
    assert told.kinds == [SUCCESS, SUCCESS]
    assert [output_of(one) for one in told.calls] == ["4A", "4A was sold"]


def test_a_call_of_the_simulated_user_says_whose_it_was() -> None:
    told = imported(TAU2, TAU2_BENCH)
    assert details(told.by_peer("u").call)["called_by"] == "user"
    assert "called_by" not in details(told.by_peer("a").call)


def test_a_simulation_without_times_begins_when_it_says() -> None:
    told = imported(TAU2, TAU2_BENCH)
    assert told.by_peer("a").call.started_at == datetime(2026, 3, 8, 12, tzinfo=UTC)
    assert told.by_peer("u").call.duration_ms == 2_000
    assert details(told.by_peer("a").call)["started_at"].__class__ is str


def test_results_that_share_a_message_are_each_their_call_s() -> None:
    several: list[JsonValue] = [
        {"role": "tool", "id": "a", "content": "1"},
        {"role": "tool", "id": "b", "content": "2"},
    ]
    message: JsonValue = {"role": "tool", "tool_messages": several}
    both = turn("assistant", None, calls("a", "x"), calls("b", "y"))
    told = imported([{"id": "s", "task_id": "1", "turn_idx": 0, "messages": [both, message]}], TAU2_BENCH)
    assert told.outputs == {"x": "1", "y": "2"}


def test_a_tree_s_branches_are_not_read_twice() -> None:
    told = imported(TREE, TOOLBENCH)
    assert [one.call.tool_name for one in told.calls] == ["no_such", "list_drinks", "slow"]
    assert told.answers[0].question == "a drink?"


@pytest.mark.parametrize(
    ("code", "error", "response", "kind"),
    [
        (1, "No such function name: x", "", FailureKind.ERROR),
        (5, "Timeout error...", "", FailureKind.TIMEOUT),
        (8, "Unauthorized", "", FailureKind.DENIED),
        (10, "Rate limit per minute error...", "", FailureKind.RATE_LIMITED),
        (12, "request invalid, data error. status_code=500", "", FailureKind.ERROR),
        (0, "Function executing error...\nExceeded 30 redirects.", "", FailureKind.ERROR),
    ],
)
def test_what_an_observation_declares_is_taken(code: int, error: str, response: str, kind: FailureKind) -> None:
    tree: JsonValue = {
        "answer_generation": {},
        "tree": {"tree": node("Action Input", "", called("x", {}, answered(error, response), code))},
    }
    (one,) = imported([tree], TOOLBENCH).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert (one.outcome.kind, one.outcome.basis) == (kind, Basis.DECLARED)
    assert one.outcome.message == error


def test_a_word_for_an_error_in_an_answer_is_no_failure() -> None:
    seen = answered("Message error...", "{'result': [{'title': 'Error 404'}]}")
    tree: JsonValue = {"answer_generation": {}, "tree": {"tree": node("Action Input", "", called("x", {}, seen, 11))}}
    assert imported([tree], TOOLBENCH).kinds == [SUCCESS]


def test_an_answer_that_its_recorder_cut_is_partial_and_keeps_its_flag() -> None:
    seen = answered("Message error...", "{'result': [{'title': 'Error 404'}]}")[:60] + "..."
    tree: JsonValue = {"answer_generation": {}, "tree": {"tree": node("Action Input", "", called("x", {}, seen, 11))}}
    (one,) = imported([tree], TOOLBENCH).calls
    assert isinstance(one.outcome, outcomes.Success)
    assert {CUT, DOUBTED} <= set(one.outcome.partial)


def test_a_branch_that_was_given_up_has_no_answer() -> None:
    given: JsonValue = {"return_type": "give_up_and_restart"}
    tree: JsonValue = {
        "tree": {"tree": node("Action Input", "", called("Finish", given, "{}", 4))},
        "answer_generation": {"query": "q", "final_answer": json.dumps(given)},
    }
    told = imported([tree], TOOLBENCH)
    assert (told.calls, told.answers) == ((), ())


def test_chains_tried_one_after_the_other_are_read() -> None:
    steps = [node("Thought", "look"), node("Action", "get"), node("Action Input", '{"k": 1}', observation="2 pods")]
    told = imported([{"win": True, "trys": [{"chain": steps}, {"chain": steps}], "answer_generation": {}}], TOOLBENCH)
    assert [(one.call.tool_name, output_of(one)) for one in told.calls] == [("get", "2 pods")] * 2


def test_a_node_without_an_observation_is_a_call_without_a_result() -> None:
    tree: JsonValue = {
        "tree": {"tree": node("Action Input", "", node("Action", "x", node("Action Input", "{}")))},
        "answer_generation": {},
    }
    told = imported([tree], TOOLBENCH)
    assert told.kinds == [FAILURE]
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_the_status_of_a_result_decides() -> None:
    first, second, third = in_order(imported(HOLMES, HOLMESGPT))
    assert isinstance(first, outcomes.Success)
    assert isinstance(second, outcomes.Failure)
    assert (second.message, second.basis) == ("pods not found", Basis.DECLARED)
    assert isinstance(third, outcomes.NoEvidence)
    assert third.basis is Basis.DECLARED


def test_a_success_with_nothing_in_it_is_no_evidence() -> None:
    assert imported([held("success", " \n")], HOLMESGPT).kinds == [NO_EVIDENCE]


@pytest.mark.parametrize(("status", "kind"), [("success", NO_EVIDENCE), ("no_data", NO_EVIDENCE), ("error", FAILURE)])
def test_a_result_without_data_is_what_its_status_says(status: str, kind: OutcomeKind) -> None:
    call: JsonValue = {"tool_call_id": "c", "tool_name": "get", "result": result(status, data=None)}
    assert imported([{"tool_calls": [call]}], HOLMESGPT).kinds == [kind]


def test_the_exit_code_that_a_body_tells_is_not_overruled_by_the_shell_around_it() -> None:
    body = "Command `kubectl get pod -A | grep shop` failed with return code 1\nstdout:\n\nstderr:\n"
    assert imported([held("success", body)], HOLMESGPT).kinds == [NO_EVIDENCE]


REFUSALS = (
    "Refusing to run this tool because it has already been called in this session with the very same parameters.",
    "Refusing to run this tool because the same call without a filter has already run and found nothing.\nMove on",
    "Duplicate tool call; the first result stands above.",
)


@pytest.mark.parametrize("error", REFUSALS)
def test_a_refused_repeat_is_no_failure(error: str) -> None:
    told = imported([held("success", "3 lines", "a"), held("error", "", "b", error=error)], HOLMESGPT)
    first, second = in_order(told)
    assert isinstance(second, outcomes.Deduped)
    assert (second.reason, second.inherited) == (DedupReason.REFUSED_REPEAT, SUCCESS)
    assert second.of == (told.by_peer("a").call.id,)
    assert isinstance(first, outcomes.Success)
    assert details(told.by_peer("b").call)["flag"] == "failed"
    assert told.findings.found[Finding.CONTRADICTED] == 1


def test_a_refusal_that_is_none_of_a_repeat_is_a_failure() -> None:
    refused = held("error", "", error="Refusing to list secrets: the role may not")
    assert imported([refused], HOLMESGPT).kinds == [FAILURE]


def test_data_under_a_flag_of_none_stays_no_evidence_and_both_are_kept() -> None:
    told = imported([held("no_data", '[{"name": "web-7", "what": "redeployed"}]')], HOLMESGPT)
    (one,) = told.calls
    assert isinstance(one.outcome, outcomes.NoEvidence)
    assert one.outcome.output == '[{"name": "web-7", "what": "redeployed"}]'
    assert details(one.call)["flag"] == "no data"
    assert told.findings.found[Finding.CONTRADICTED] == 1


EMPTY = Returned(place="", call_id="c", output="Could not find changes", failed=False, empty=True)


def failure(basis: Basis) -> outcomes.Failure:
    return outcomes.Failure(kind=FailureKind.ERROR, message="m", output="Could not find changes", basis=basis)


def test_nothing_found_in_words_of_a_failure_is_no_proof_of_absence() -> None:
    outcome, flag = flagged(EMPTY, failure(Basis.INFERRED))
    assert isinstance(outcome, outcomes.NoEvidence)
    assert (outcome.output, outcome.partial, outcome.basis) == (EMPTY.output, (READS_AS_FAILURE,), Basis.DECLARED)
    assert flag == NOTHING


def test_a_declared_failure_stands_over_a_flag_of_nothing() -> None:
    assert flagged(EMPTY, failure(Basis.DECLARED)) == (failure(Basis.DECLARED), NOTHING)


def test_a_call_that_waited_for_approval_was_denied() -> None:
    (outcome,) = in_order(imported([held("approval_required", "", error="kubectl delete needs approval")], HOLMESGPT))
    assert isinstance(outcome, outcomes.Failure)
    assert outcome.kind is FailureKind.DENIED


_PLACES = [(form, records[0], path) for form, records, *_ in ALL.values() for path in places(records[0])]


@given(st.sampled_from(_PLACES), st.sampled_from(ODD))
def test_any_value_in_place_of_any_other_is_read_or_counted(
    case: tuple[Format, JsonValue, tuple[str | int, ...]], other: JsonValue
) -> None:
    form, record, path = case
    changed = with_other(record, path, other)
    assert form.fits(changed) in (True, False)
    told = imported([changed], form)
    assert told.findings.calls.total() == len(told.calls)
    assert len({one.call.id for one in told.calls}) == len(told.calls)
