"""An HTTP answer is what its status declares; one of 2xx may declare an error, or not be what was asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Outcome
from groundtrace.shapes.http import HTTP, HTTP_JSON, http_outcome
from groundtrace.shapes.http_answer import HttpAnswer

JSON = {"Content-Type": "application/json; charset=utf-8"}
HTML = {"content-type": "text/html"}
PAGE = "<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>"


def read(answer: dict[str, object], /) -> Outcome:
    """What a mapping amounts to, found by its fields; as a text it has to be the same."""
    found = classify_output({"headers": {}, **answer})
    assert outcomes.kind_of(classify_output(json.dumps({"headers": {}, **answer}))) is outcomes.kind_of(found)
    return found


def failure(outcome: Outcome, /) -> outcomes.Failure:
    assert isinstance(outcome, outcomes.Failure)
    assert outcome.basis is Basis.DECLARED
    return outcome


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (500, '{"detail":"the database is down"}', FailureKind.UNAVAILABLE, "status 500: the database is down"),
        (404, '{"message":"no such index: logs-7"}', FailureKind.ERROR, "status 404: no such index: logs-7"),
        (400, "", FailureKind.ERROR, "status 400"),
        (400, "bad request: unknown field", FailureKind.ERROR, "status 400: bad request: unknown field"),
        (401, "", FailureKind.DENIED, "status 401"),
        (
            403,
            '{"error":{"type":"forbidden","message":"no role"}}',
            FailureKind.DENIED,
            "status 403: forbidden: no role",
        ),
        (408, "", FailureKind.TIMEOUT, "status 408"),
        (502, "<html><title>502 Bad Gateway</title></html>", FailureKind.UNAVAILABLE, "status 502: 502 Bad Gateway"),
        (503, '{"errors":["warming up","no leader"]}', FailureKind.UNAVAILABLE, "status 503: warming up; no leader"),
        (504, "upstream request timeout", FailureKind.TIMEOUT, "status 504: upstream request timeout"),
    ],
)
def test_a_status_of_4xx_or_5xx_is_a_failure_that_says_it(
    status: int, body: str, kind: FailureKind, words: str
) -> None:
    """Field case C03: s500_json, s404_json, s400_empty."""
    broken = failure(read({"status": status, "body": body}))
    assert (broken.kind, broken.message) == (kind, words)


def test_a_failed_call_that_was_handed_on_as_empty_is_a_failure() -> None:
    """Field case C03: failed_but_empty_object."""
    answer = HttpAnswer(status=400, body="bad request")
    broken = failure(http_outcome(answer, inner=classify_output, output="{}"))
    assert (broken.message, broken.output) == ("status 400: bad request", "{}")


@pytest.mark.parametrize(
    ("later", "words"), [("30", "; retry after 30 s"), ("Mon, 30 Nov 2026 17:00:00 GMT", "2026 17:00:00 GMT")]
)
def test_a_rate_limit_keeps_when_to_come_back(later: str, words: str) -> None:
    broken = failure(read({"status_code": 429, "headers": {"Retry-After": later}, "text": "slow down"}))
    assert (broken.kind, broken.retryable) == (FailureKind.RATE_LIMITED, True)
    assert words in broken.message
    assert broken.message.endswith(": slow down")


@pytest.mark.parametrize("status", [204, 205])
def test_no_content_is_no_evidence(status: int) -> None:
    """Field case C03: s204."""
    outcome = read({"status": status, "body": ""})
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.EMPTY_RESULT


@pytest.mark.parametrize(
    "body", ['{"rows":[{"v":1}]}', '{"rows":[{"v":1}],"error":null}', '{"errors":[],"data":{"a":1}}']
)
def test_an_answer_with_data_is_its_body(body: str) -> None:
    """Field case C03: s200_data."""
    outcome = read({"status": 200, "headers": JSON, "body": body})
    assert outcome == outcomes.Success(support=outcomes.Support.INDIRECT, output=body)


@pytest.mark.parametrize("body", ["[]", '{"items":[]}', "null", " \n", '{"status":"success","data":{"alerts":[]}}'])
def test_an_answer_with_an_empty_body_is_no_evidence(body: str) -> None:
    assert isinstance(read({"status": 200, "headers": JSON, "body": body}), outcomes.NoEvidence)


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("https://sso.example.test/login?next=%2Fapi", FailureKind.DENIED),
        ("/oauth2/authorize?state=s3cret", FailureKind.DENIED),
        ("https://new.example.test/v2/logs", FailureKind.ERROR),
        ("/blogging/signage", FailureKind.ERROR),
    ],
)
def test_a_redirect_that_was_not_followed_is_a_failure(location: str, kind: FailureKind) -> None:
    """Field case C03: s302_login."""
    broken = failure(read({"status": 302, "headers": {"Location": location}, "body": ""}))
    assert broken.kind is kind
    assert location.partition("?")[0] in broken.message
    assert "s3cret" not in broken.message


def test_an_answer_that_is_not_sent_again_is_no_evidence() -> None:
    outcome = read({"status": 304, "body": ""})
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.PARTIAL_EMPTY


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (PAGE, FailureKind.DENIED),
        ("<html><title>Sign in</title></html>", FailureKind.DENIED),
        ("<html><body>It works!</body></html>", FailureKind.BAD_OUTPUT),
    ],
)
def test_a_page_in_place_of_json_is_a_failure(body: str, kind: FailureKind) -> None:
    """Field case C03: s200_login_page."""
    answer = {"status": 200, "headers": HTML, "body": body}
    assert failure(classify_output(answer, shape=HTTP_JSON)).kind is kind
    assert failure(read({"status": 200, "headers": JSON, "body": body})).kind is kind
    assert isinstance(read(answer), outcomes.Success)


@pytest.mark.parametrize("body", ['{"rows":[{"v":1},{"v"', "[1, 2", '{"a": NaN', "{", '"cut'])
def test_json_that_is_cut_is_bad_output(body: str) -> None:
    """Field case C03: s200_cut_json."""
    broken = failure(read({"status": 200, "headers": JSON, "body": body}))
    assert broken.kind is FailureKind.BAD_OUTPUT
    assert broken.output == body


def test_long_json_that_is_cut_is_found_by_its_end() -> None:
    body = "[" + "1," * 1_000_000
    assert failure(classify_output({"status": 200, "headers": JSON, "body": body})).kind is FailureKind.BAD_OUTPUT
    assert isinstance(classify_output({"status": 200, "headers": JSON, "body": body + "1]"}), outcomes.Success)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ('{"error":"quota exceeded"}', FailureKind.ERROR, "quota exceeded"),
        ('{"error":{"code":429,"message":"slow down"}}', FailureKind.RATE_LIMITED, "slow down"),
        ('{"error":{"status":"UNAUTHENTICATED","message":"no token"}}', FailureKind.DENIED, "no token"),
        ('{"errors":[{"message":"field x"},{"message":"field y"}],"data":null}', FailureKind.ERROR, "field x; field y"),
        ('{"ok":false,"error":"channel_not_found"}', FailureKind.ERROR, "channel_not_found"),
        ('{"success":false,"message":"no such user"}', FailureKind.ERROR, "no such user"),
        ('{"success":false}', FailureKind.ERROR, "says that it failed"),
        ('{"status":"fail","data":{"id":"missing"}}', FailureKind.ERROR, "says that it failed"),
        ('{"status":"error","errorType":"timeout","error":"too long"}', FailureKind.TIMEOUT, "timeout: too long"),
        (
            '{"kind":"Status","status":"Failure","message":"pods is forbidden","code":403}',
            FailureKind.DENIED,
            "pods is forbidden",
        ),
    ],
)
def test_an_error_that_the_body_declares_is_a_failure(body: str, kind: FailureKind, words: str) -> None:
    broken = failure(read({"status": 200, "headers": JSON, "body": body}))
    assert broken.kind is kind
    assert words in broken.message
    assert broken.output == body


@pytest.mark.parametrize(
    "body",
    [
        '{"data":{"user":{"id":1}},"errors":[{"message":"field x timed out"}]}',
        '{"error":"one shard is away","rows":[1,2]}',
    ],
)
def test_data_beside_an_error_is_partial(body: str) -> None:
    outcome = read({"status": 200, "headers": JSON, "body": body})
    assert isinstance(outcome, outcomes.Success)
    assert len(outcome.partial) == 1


@pytest.mark.parametrize(
    "body",
    [
        '{"rows":[{"error":"refused"}]}',
        '[{"level":"error"}]',
        '{"error_rate":0.2}',
        '{"error":false,"n":1}',
        '{"errors":41}',
    ],
)
def test_errors_that_were_asked_for_are_data(body: str) -> None:
    """Field case C06."""
    outcome = read({"status": 200, "headers": JSON, "body": body})
    assert isinstance(outcome, outcomes.Success)
    assert outcome.partial == ()


@pytest.mark.parametrize("status", [202, 206, 207])
def test_an_answer_that_is_not_whole_is_partial(status: int) -> None:
    found, empty = (read({"status": status, "body": body}) for body in ("line 1", ""))
    assert isinstance(found, outcomes.Success)
    assert isinstance(empty, outcomes.NoEvidence)
    assert f"status {status}" in found.partial[0]
    assert empty.reason is NoEvidenceReason.PARTIAL_EMPTY


@pytest.mark.parametrize(
    "row",
    [
        {"status": 500, "path": "/cart", "body": "", "headers": {}},
        {"status": 500, "body": "x"},
        {"status": 7, "headers": {}, "body": ""},
        {"status": "500", "headers": {}, "body": ""},
        {"status": True, "headers": {}, "body": "x"},
    ],
)
def test_a_row_that_tells_of_answers_is_data(row: dict[str, object]) -> None:
    assert isinstance(classify_output(row), outcomes.Success)


def test_a_tool_that_names_the_shape_may_leave_its_fields_out() -> None:
    row = {"status": 500, "path": "/cart"}
    assert failure(classify_output(row, shape=HTTP)).message == "status 500"


@given(st.integers(-1_000, 1_000), st.one_of(st.none(), st.text(), st.binary(), st.lists(st.integers())))
def test_any_status_with_any_body_has_an_outcome(status: int, body: object) -> None:
    outcome = classify_output({"status": status, "headers": {}, "body": body})
    if 400 <= status <= 599:
        assert f"status {status}" in failure(outcome).message


def test_lines_of_json_are_no_broken_json() -> None:
    lines = b'{"a":1}\n{"a":2}\n'
    headers = {"content-type": "application/x-ndjson"}
    answer = HttpAnswer(status=200, headers=headers, body=lines, accepts="application/json")
    assert isinstance(http_outcome(answer, inner=classify_output), outcomes.Success)
