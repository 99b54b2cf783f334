"""Calls in the traffic of MCP: each request ends once, whatever the order, the ids and the kind of its end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.mcp_traffic import CallEnded, CallOpened, McpTraffic
from groundtrace.mcp_traffic_answers import outcome_of_error, outcome_of_result
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support

GONE = outcomes.failure_because(FailureKind.UNAVAILABLE, "the server ended with exit code 9")


def asked(id: JsonValue, tool: str = "list_pods", **params: JsonValue) -> dict[str, JsonValue]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": params}}


def answer(id: JsonValue, *texts: str, **more: JsonValue) -> dict[str, JsonValue]:
    content: list[JsonValue] = [{"type": "text", "text": text} for text in texts]
    return {"jsonrpc": "2.0", "id": id, "result": {"content": content, **more}}


def notice(method: str, **params: JsonValue) -> dict[str, JsonValue]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def text(*texts: str, **more: JsonValue) -> JsonValue:
    return answer(1, *texts, **more)["result"]


def success(output: str) -> outcomes.Success:
    return outcomes.Success(support=Support.INDIRECT, output=output)


def test_a_call_is_opened_with_its_tool_and_parameters_and_ended_by_its_answer() -> None:
    traffic = McpTraffic()
    opened = traffic.client_sent(asked(4, app="shop"))
    assert opened == (CallOpened(call=1, tool="list_pods", params={"app": "shop"}, request_id=4),)
    assert traffic.server_sent(answer(4, "shop-0 Running")) == (CallEnded(call=1, outcome=success("shop-0 Running")),)
    assert len(traffic) == 0


def test_answers_come_out_of_order_and_ids_of_any_kind_are_told_apart() -> None:
    traffic = McpTraffic()
    for id in (1, "1", 2.0, "two"):
        traffic.client_sent(asked(id))
    ended = [traffic.server_sent(answer(id, f"to {id!r}"))[0] for id in ("two", 2, "1", 1.0)]
    assert [one.call for one in ended] == [4, 3, 2, 1]
    assert ended[0].outcome == success("to 'two'")


def test_a_batch_holds_many_calls_and_many_answers() -> None:
    traffic = McpTraffic()
    assert len(traffic.client_sent([asked(1), notice("ping"), asked(2)])) == 2
    assert [one.call for one in traffic.server_sent([answer(2, "b"), answer(1, "a")])] == [2, 1]


def test_a_request_of_the_server_under_the_same_id_is_no_answer() -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    assert traffic.server_sent({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}) == ()
    assert traffic.client_sent({"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}) == ()
    assert traffic.server_sent(notice("notifications/progress", progressToken=1, progress=0.5)) == ()
    assert len(traffic.server_sent(answer(1, "done"))) == 1


def test_an_answer_of_nobodys_request_and_a_second_one_end_nothing() -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    assert traffic.server_sent(answer(2, "whose?")) == ()
    assert len(traffic.server_sent(answer(1, "first"))) == 1
    assert traffic.server_sent(answer(1, "second")) == ()


@pytest.mark.parametrize(
    ("reason", "kind", "basis"),
    [
        ("the user pressed escape", FailureKind.CANCELLED, Basis.DECLARED),
        (None, FailureKind.CANCELLED, Basis.DECLARED),
        ("timed out after 2.5s", FailureKind.TIMEOUT, Basis.INFERRED),
        ("McpError: MCP error -32001: Request timed out", FailureKind.TIMEOUT, Basis.INFERRED),
        ("the page says: Request timed out, so stop", FailureKind.CANCELLED, Basis.DECLARED),
    ],
)
def test_a_cancelled_call_ends_then_and_a_late_answer_is_dropped(
    reason: str | None, kind: FailureKind, basis: Basis
) -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked("r-1"))
    (ended,) = traffic.client_sent(notice("notifications/cancelled", requestId="r-1", reason=reason))
    assert isinstance(ended, CallEnded)
    assert isinstance(ended.outcome, outcomes.Failure)
    assert (ended.outcome.kind, ended.outcome.basis) == (kind, basis)
    assert traffic.server_sent(answer("r-1", "late")) == ()


def test_what_the_server_cancels_is_its_own_request() -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    assert traffic.server_sent(notice("notifications/cancelled", requestId=1)) == ()
    assert len(traffic) == 1


def test_all_that_is_open_ends_with_the_server() -> None:
    traffic = McpTraffic()
    traffic.client_sent([asked(1), asked(2)])
    assert traffic.ended(GONE) == (CallEnded(call=1, outcome=GONE), CallEnded(call=2, outcome=GONE))
    assert traffic.ended(GONE) == ()


def test_beyond_the_most_open_calls_the_oldest_ends_as_not_recorded() -> None:
    traffic = McpTraffic(most_open=2)
    traffic.client_sent([asked(1), asked(2)])
    opened, ended = traffic.client_sent(asked(3))
    assert isinstance(opened, CallOpened)
    assert isinstance(ended, CallEnded)
    assert ended.call == 1
    assert isinstance(ended.outcome, outcomes.Failure)
    assert ended.outcome.kind is FailureKind.NOT_RECORDED


def test_a_call_that_runs_as_a_task_ends_with_the_result_of_the_task() -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    assert traffic.server_sent({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t-9"}}}) == ()
    traffic.client_sent({"jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": {"taskId": "t-9"}})
    assert traffic.server_sent(answer(2, "12 rows")) == (CallEnded(call=1, outcome=success("12 rows")),)


@pytest.mark.parametrize(("status", "kind"), [("failed", FailureKind.ERROR), ("cancelled", FailureKind.CANCELLED)])
def test_a_task_that_fails_ends_its_call(status: str, kind: FailureKind) -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    traffic.server_sent({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t-9"}}})
    told = notice("notifications/tasks/status", taskId="t-9", status=status, statusMessage="no quota")
    (ended,) = traffic.server_sent(told)
    assert ended.outcome == outcomes.failure_because(kind, f"the task {status}: no quota")


def test_a_call_that_asks_for_input_goes_on_when_it_is_taken_up_again() -> None:
    traffic = McpTraffic()
    traffic.client_sent(asked(1))
    asks: JsonValue = {"resultType": "input_required", "requestState": "s-7"}
    assert traffic.server_sent({"jsonrpc": "2.0", "id": 1, "result": asks}) == ()
    again = asked(2)
    again["params"] = {"name": "list_pods", "inputResponses": {}, "requestState": "s-7"}
    assert traffic.client_sent(again) == ()
    assert [one.call for one in traffic.server_sent(answer(2, "done"))] == [1]


CASES: tuple[tuple[str, JsonValue, type, str], ...] = (
    ("unknown tool", text("Unknown tool: list_podz", isError=True), outcomes.Failure, "Unknown tool: list_podz"),
    ("two blocks", text("no luck", "header b'Bearer ' is illegal", isError=True), outcomes.Failure, "is illegal"),
    ("no content", text(isError=True), outcomes.Failure, "without a text"),
    ("rows and a flag", text(isError=True, structuredContent={"rows": []}), outcomes.Failure, "reported an error"),
    ("snake case", text("pushing is off", is_error=True), outcomes.Failure, "pushing is off"),
    ("error words", text('level=error msg="pool is empty" count=7', isError=False), outcomes.Success, ""),
    ("a flag of text", text("5 lines", isError="false"), outcomes.Success, ""),
    ("a flag of text that says true", text("5 lines", isError="true"), outcomes.Success, ""),
    ("no flag", text("5 lines"), outcomes.Success, ""),
    ("no block", text(isError=False), outcomes.NoEvidence, ""),
    ("blank", text(" \n", isError=False), outcomes.NoEvidence, ""),
    ("blank, wrapped", text("", isError=False, structuredContent={"result": ""}), outcomes.NoEvidence, ""),
    ("empty list", text("[]", isError=False), outcomes.NoEvidence, ""),
    ("empty list, wrapped", text(isError=False, structuredContent={"result": []}), outcomes.NoEvidence, ""),
    ("no results", text("No matches found.", isError=False), outcomes.NoEvidence, ""),
    ("zero", text("0", isError=False, structuredContent={"result": 0}), outcomes.Success, ""),
    ("structured", text(isError=False, structuredContent={"rows": [{"v": 1}]}), outcomes.Success, ""),
    ("two empty blocks", text("", "[]", isError=False), outcomes.NoEvidence, ""),
    ("one block says something", text("", "pod-3", isError=False), outcomes.Success, ""),
)


@pytest.mark.parametrize(("result", "kind", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_flag_of_a_result_decides_and_then_what_is_in_it(result: JsonValue, kind: type, words: str) -> None:
    """Field case C01, and other results of the same kinds."""
    outcome = outcome_of_result(result)
    assert type(outcome) is kind
    assert words in getattr(outcome, "message", "")


def test_an_error_of_json_rpc_is_a_failure_with_its_words() -> None:
    """Field case C01, variant `jsonrpc_error`."""
    traffic = McpTraffic()
    traffic.client_sent(asked(7))
    error: JsonValue = {"code": -32602, "message": "Unknown tool: list_podz", "data": {"known": 3}}
    (ended,) = traffic.server_sent({"jsonrpc": "2.0", "id": 7, "error": error})
    assert isinstance(ended.outcome, outcomes.Failure)
    assert (ended.outcome.kind, ended.outcome.message) == (FailureKind.ERROR, "Unknown tool: list_podz")
    assert '"known":3' in str(ended.outcome.output)


def test_an_error_that_is_a_text_ends_its_call_too() -> None:
    traffic = McpTraffic()
    traffic.client_sent({"id": 3, "method": "tools/call", "params": {"name": "look"}})
    (ended,) = traffic.server_sent({"jsonrpc": "2.0", "id": 3, "error": "shutting down"})
    assert isinstance(ended.outcome, outcomes.Failure)
    assert ended.outcome.message == "shutting down"


def test_an_error_without_words_is_told_by_its_code() -> None:
    told = outcome_of_error({"code": -32603, "message": " "})
    assert isinstance(told, outcomes.Failure)
    assert "-32603" in told.message


def test_a_shortened_answer_is_partial_and_an_empty_one_proves_no_absence() -> None:
    mark = ("much was left out",)
    kept = outcomes.Success(support=Support.INDIRECT, output="a", partial=mark)
    assert outcome_of_result(text("a"), marks=mark) == kept
    empty = outcome_of_result(text(""), marks=mark)
    assert isinstance(empty, outcomes.NoEvidence)
    assert (empty.reason, empty.partial) == (NoEvidenceReason.PARTIAL_EMPTY, mark)


IDS = st.one_of(st.integers(-5, 5), st.sampled_from(["1", "2", "a"]))
TRAFFIC = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), IDS),
        st.tuples(st.just("answer"), IDS),
        st.tuples(st.just("cancel"), IDS),
        st.tuples(st.just("task"), IDS),
        st.tuples(st.just("error"), IDS),
    ),
    max_size=60,
)


def events_of(traffic: McpTraffic, kind: str, id: JsonValue) -> tuple[Any, ...]:
    match kind:
        case "ask":
            return traffic.client_sent(asked(id))
        case "answer":
            return traffic.server_sent(answer(id, "x"))
        case "cancel":
            return traffic.client_sent(notice("notifications/cancelled", requestId=id))
        case "task":
            return traffic.server_sent({"jsonrpc": "2.0", "id": id, "result": {"task": {"taskId": f"t{id}"}}})
        case _:
            return traffic.server_sent({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "no"}})


@given(TRAFFIC)
def test_every_call_ends_exactly_once_whatever_passes(steps: list[tuple[str, int | str]]) -> None:
    traffic = McpTraffic(most_open=5)
    events = [event for kind, id in steps for event in events_of(traffic, kind, id)]
    events += traffic.ended(GONE)
    opened = [event.call for event in events if isinstance(event, CallOpened)]
    ended = [event.call for event in events if isinstance(event, CallEnded)]
    assert opened == list(range(1, len(opened) + 1))
    assert sorted(ended) == opened
    assert len(traffic) == 0


JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from("id method params result error content isError name x".split()), inner),
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=6))
def test_no_json_breaks_it(messages: list[JsonValue]) -> None:
    traffic = McpTraffic()
    for message in messages:
        traffic.client_sent(message)
        traffic.server_sent(message)
    assert len(traffic.ended(GONE)) >= 0
