"""What an MCP tool gave: its flag declares a failure, its content or structured content holds the data."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Outcome, OutcomeKind

LOKI_WITH_A_WARNING = json.dumps(
    {"status": "success", "warnings": ["one ingester is away"], "data": {"resultType": "streams", "result": []}}
)


def text(words: str, /) -> dict[str, object]:
    return {"type": "text", "text": words}


def read(*blocks: dict[str, object], flag: object = False, **more: object) -> Outcome:
    """What a result amounts to; as an object, and as a text, it has to be the same."""
    body = {"content": list(blocks), "isError": flag, **more}
    found = classify_output(body)
    assert classify_output(SimpleNamespace(**body)) == found
    kinds = {outcomes.kind_of(classify_output(form)) for form in (json.dumps(body), {"jsonrpc": "2.0", "result": body})}
    assert kinds == {outcomes.kind_of(found)}
    return found


@pytest.mark.parametrize(
    ("blocks", "more", "words"),
    [
        ([text("Unknown tool: list_podz")], {}, "Unknown tool: list_podz"),
        ([text("call failed"), text("invalid header value")], {}, "call failed; invalid header value"),
        ([], {}, "without a text"),
        ([], {"structuredContent": {"rows": []}}, "without a text"),
        ([{"type": "resource", "resource": {"uri": "x:1", "text": "read only"}}], {}, "read only"),
    ],
)
def test_a_flag_that_is_set_is_a_failure(blocks: list[dict[str, object]], more: dict[str, object], words: str) -> None:
    """Field case C01: unknown_tool, two_blocks, empty_content, structured_and_error."""
    outcome = read(*blocks, flag=True, **more)
    assert isinstance(outcome, outcomes.Failure)
    assert words in outcome.message


def test_the_flag_is_read_in_both_spellings() -> None:
    """Field case C01: snake_case_flag."""
    outcome = classify_output({"content": [text("pushing is switched off")], "is_error": True})
    assert isinstance(outcome, outcomes.Failure)
    assert outcome.message == "pushing is switched off"


@pytest.mark.parametrize("flag", ["false", "true", 0, 1, None])
def test_a_flag_that_is_no_boolean_declares_nothing(flag: object) -> None:
    """Field case C01: flag_is_string."""
    assert isinstance(classify_output({"content": [text("3 lines")], "isError": flag}), outcomes.Success)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"content": [text("[]")]}, OutcomeKind.NO_EVIDENCE),
        ({"content": [text("3 lines")], "_meta": {"n": 1}}, OutcomeKind.SUCCESS),
        ({"content": [], "structuredContent": {"result": []}}, OutcomeKind.NO_EVIDENCE),
        ({"content": [text("[]")], "page": 3}, OutcomeKind.SUCCESS),
        ({"content": [{"type": "paragraph", "text": "[]"}]}, OutcomeKind.SUCCESS),
    ],
)
def test_a_flag_that_is_left_out_is_not_set(body: dict[str, object], kind: OutcomeKind) -> None:
    assert outcomes.kind_of(classify_output(body)) is kind


@pytest.mark.parametrize(
    ("blocks", "kind"),
    [
        ([text("[]")], OutcomeKind.NO_EVIDENCE),
        ([text(""), text("No results found")], OutcomeKind.NO_EVIDENCE),
        ([text(""), text("3 lines")], OutcomeKind.SUCCESS),
        ([{**text(""), "row": 3}], OutcomeKind.SUCCESS),
        ([{"type": "image"}], OutcomeKind.SUCCESS),
        ([{"type": "pod", "text": ""}], OutcomeKind.SUCCESS),
    ],
)
def test_a_bare_list_of_blocks_is_what_they_hold(blocks: list[object], kind: OutcomeKind) -> None:
    assert {outcomes.kind_of(classify_output(form)) for form in (blocks, json.dumps(blocks))} == {kind}


def test_words_of_failure_in_a_good_result_are_evidence() -> None:
    """Field case C01: ok_with_error_word."""
    outcome = read(text('level=error msg="pool exhausted" count=41'))
    assert isinstance(outcome, outcomes.Success)
    assert outcome.output == 'level=error msg="pool exhausted" count=41'


@pytest.mark.parametrize(
    ("code", "kind"), [(-32602, FailureKind.ERROR), (-32001, FailureKind.TIMEOUT), (-32700, FailureKind.BAD_OUTPUT)]
)
def test_an_error_of_the_protocol_is_a_failure(code: int, kind: FailureKind) -> None:
    """Field case C01: jsonrpc_error."""
    outcome = classify_output({"jsonrpc": "2.0", "id": 7, "error": {"code": code, "message": "Unknown tool: x"}})
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.message) == (kind, "Unknown tool: x")


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [text("")],
        [text("[]")],
        [text("No results found")],
        [text(""), text("{}")],
        [{"type": "image", "data": "", "mimeType": "image/png"}],
        [{"type": "resource", "resource": {"uri": "logs://x", "text": " "}}],
    ],
)
def test_content_that_holds_nothing_is_no_evidence(blocks: list[dict[str, object]]) -> None:
    assert isinstance(read(*blocks), outcomes.NoEvidence)


@pytest.mark.parametrize("structured", [{"result": []}, {"rows": [], "total": 0}, {}])
def test_structured_content_decides_before_the_text_that_repeats_it(structured: dict[str, object]) -> None:
    outcome = read(text(json.dumps(structured)), structuredContent=structured)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.basis is outcomes.Basis.DECLARED


@pytest.mark.parametrize("structured", [{"result": 0}, {"result": False}, {"pods": ["cart-0"]}])
def test_structured_content_with_a_value_is_evidence(structured: dict[str, object]) -> None:
    outcome = read(text(json.dumps(structured)), structuredContent=structured)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.output == json.dumps(structured)


def test_a_text_that_declares_its_own_outcome_is_read_by_it() -> None:
    outcome = read(text(LOKI_WITH_A_WARNING))
    assert isinstance(outcome, outcomes.NoEvidence)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.PARTIAL_EMPTY, ("one ingester is away",))


def test_what_one_of_several_blocks_did_not_see_makes_all_partial() -> None:
    outcome = read(text("3 lines"), text(LOKI_WITH_A_WARNING))
    assert isinstance(outcome, outcomes.Success)
    assert outcome.partial == ("one ingester is away",)
    assert outcome.output == f"3 lines\n{LOKI_WITH_A_WARNING}"


def test_a_link_names_what_it_does_not_show() -> None:
    outcome = read({"type": "resource_link", "uri": "file:///var/log/app.log", "name": "app.log"})
    assert isinstance(outcome, outcomes.Success)
    assert outcome.support is outcomes.Support.INDIRECT
    assert outcome.partial == ("file:///var/log/app.log is named, and what it holds is not shown",)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "x:1", "blob": "aGk="}},
        {"type": "resource", "resource": {"uri": "x:1", "text": "3 lines"}},
    ],
)
def test_an_image_and_an_embedded_resource_are_evidence(block: dict[str, object]) -> None:
    assert outcomes.kind_of(read(block)) is OutcomeKind.SUCCESS


def test_results_in_results_end_somewhere() -> None:
    body: object = "3 lines"
    for _ in range(60):
        body = {"jsonrpc": "2.0", "id": 1, "result": body}
    assert isinstance(classify_output(body), outcomes.Success)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"isError": True}, "without a text"),
        ({"content": None, "isError": True}, "without a text"),
        ({"content": "no such queue", "isError": True}, "no such queue"),
        ({"content": ["no such", "queue"], "is_error": True}, "no such; queue"),
        ({"isError": True, "structuredContent": {"code": 7}, "_meta": {}}, "without a text"),
    ],
)
def test_the_flag_declares_a_failure_whatever_stands_in_place_of_blocks(body: dict[str, object], words: str) -> None:
    """Field case C01: other ways to leave the blocks out."""
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.Failure)
    assert words in outcome.message


@pytest.mark.parametrize("body", [{"isError": True, "pod": "cart-0"}, {"isError": False}, {"content": "3 lines"}])
def test_an_object_that_holds_more_than_a_result_does_is_a_value(body: dict[str, object]) -> None:
    assert isinstance(classify_output(body), outcomes.Success)


@pytest.mark.parametrize("held", ["", "  ", None, [], "No matches.", {"rows": []}])
def test_what_the_sdks_wrap_is_read_without_its_wrapping(held: object) -> None:
    assert isinstance(read(text(""), structuredContent={"result": held}), outcomes.NoEvidence)


@pytest.mark.parametrize("held", [0, False, "3 lines"])
def test_a_wrapped_value_is_a_value(held: object) -> None:
    assert isinstance(read(structuredContent={"result": held}), outcomes.Success)


def test_structured_content_without_members_says_nothing_beside_a_text() -> None:
    assert isinstance(read(text("3 rows"), structuredContent={}), outcomes.Success)
    assert isinstance(read(structuredContent={}), outcomes.NoEvidence)


def test_an_error_of_the_protocol_that_is_a_text_is_a_failure() -> None:
    outcome = classify_output({"jsonrpc": "2.0", "id": 4, "error": "the server is shutting down"})
    assert isinstance(outcome, outcomes.Failure)
    assert outcome.message == "the server is shutting down"
