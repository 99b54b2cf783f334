"""Outputs of tools that nobody declared: what holds nothing is no evidence, a measured zero is (section 3)."""

from __future__ import annotations

import json

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import Support

EMPTY = {
    "empty": "",
    "blank": "\t \r\n",
    "nbsp_zero_width": "\u200b\u00a0\ufeff",
    "json_list": " [] ",
    "json_object": "{ }",
    "json_null": "null",
    "py_none": "None",
    "json_empty_string": '""',
    "nested_empty": '{"items":[],"count":0}',
    "phrase": "Nothing found",
    "phrase_dot": "No matches found.",
    "phrase_lower": "no data",
    "loki_streams": '{"status":"success","data":{"resultType":"streams","result":[],"stats":{}}}',
    "loki_stream_without_values": json.dumps(
        {"status": "success", "data": {"resultType": "streams", "result": [{"stream": {"app": "cart"}, "values": []}]}}
    ),
    "es_zero": '{"took":2,"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"total":0,"hits":[]}}',
    "list_of_blank": '["", " \\n"]',
}
VALUES = {
    "zero": "0",
    "false": "false",
    "zero_in_list": "[0, 0]",
    "zero_field": '{"failed_logins":0}',
    "doc_quotes_phrase": "If a panel says 'No data', look at the scrape first.",
}
NO_RELEVANT = "Added 5 pieces of evidence, 0 of which were relevant. Best evidence(s):\n\n1. \n"


@pytest.mark.parametrize("name", EMPTY)
def test_what_holds_nothing_is_no_evidence(name: str) -> None:
    """Field case C05: the variant that the name says."""
    assert isinstance(classify_output(EMPTY[name]), outcomes.NoEvidence)


@pytest.mark.parametrize("name", VALUES)
def test_a_value_and_a_sentence_about_nothing_are_evidence(name: str) -> None:
    """Field case C05: the variant that the name says."""
    outcome = classify_output(VALUES[name])
    assert outcome == outcomes.Success(support=Support.INDIRECT, output=VALUES[name])


def test_what_only_one_tool_says_is_weak_evidence_at_most() -> None:
    """Field case C05: paperqa_style. The tool's own rule may say more; see `classify` of `recorded`."""
    outcome = classify_output(NO_RELEVANT)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.support is Support.INDIRECT


@pytest.mark.parametrize("value", [0, False, 0.0, {"error_rate": 0}, {"count": 0}, [0], ["false"], b"0"])
def test_a_measured_zero_is_evidence_as_a_value_too(value: object) -> None:
    assert isinstance(classify_output(value), outcomes.Success)


@pytest.mark.parametrize("text", ["\ufeff[]", "\ufeff\r\n{}\r\n", b"\xef\xbb\xbf[]"])
def test_a_byte_order_mark_does_not_hide_an_empty_answer(text: str | bytes) -> None:
    assert isinstance(classify_output(text), outcomes.NoEvidence)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"error": "no such pod"}, "failure"),
        ([{"error": "no such pod"}], "success"),
        ({"error": "no such pod", "pod": "cart-0"}, "success"),
        ({"status": "error", "message": "disk full"}, "success"),
        ([{"max": None}], "success"),
        ({"success": True, "data": None}, "no_evidence"),
        ({"content": [], "structuredContent": {"result": ""}, "isError": False}, "no_evidence"),
        ({"result": ""}, "success"),
    ],
)
def test_what_could_be_read_in_two_ways_is_read_as_the_page_says(value: object, kind: str) -> None:
    assert outcomes.kind_of(classify_output(value)) == kind
