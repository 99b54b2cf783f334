"""Objects of the real libraries are read by the name of their class, and nothing of them is consumed."""

from __future__ import annotations

import email.message
import http.client
import io
import sqlite3
import subprocess
import sys
import urllib.error
from collections.abc import Callable
from typing import Any

import httpx
import httpx2
import pytest
import requests

from groundtrace import classify_output, kind_of, outcomes
from groundtrace.outcomes import FailureKind, Outcome
from groundtrace.shapes.exceptions import failure_of
from groundtrace_app.recorded import recorded
from groundtrace_testing.recorder_bench import SESSION, recorder_bench


def of_requests(status: int, body: bytes | None, headers: dict[str, str]) -> requests.Response:
    made = requests.Response()
    made.status_code, made.raw = status, io.BytesIO(body or b"")
    made.headers.update(headers)
    if body is not None:
        assert made.content == body
    return made


CLIENTS: dict[str, Callable[[int, bytes, dict[str, str]], object]] = {
    "httpx": lambda status, body, headers: httpx.Response(status, content=body, headers=headers),
    "httpx2": lambda status, body, headers: httpx2.Response(status, content=body, headers=headers),
    "requests": of_requests,
}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("client", CLIENTS)
class TestHttpClients:
    @pytest.mark.parametrize(
        ("status", "body", "headers", "kind"),
        [
            (200, b'{"rows":[1]}', JSON, None),
            (429, b"slow down", {"Retry-After": "9"}, FailureKind.RATE_LIMITED),
            (403, b"", {}, FailureKind.DENIED),
            (503, b"", {}, FailureKind.UNAVAILABLE),
            (200, b'{"rows":[1', JSON, FailureKind.BAD_OUTPUT),
            (200, b'{"error":"no index"}', JSON, FailureKind.ERROR),
            (302, b"", {"Location": "/login"}, FailureKind.DENIED),
        ],
    )
    def test_the_status_decides(
        self, client: str, status: int, body: bytes, headers: dict[str, str], kind: FailureKind | None
    ) -> None:
        outcome = classify_output(CLIENTS[client](status, body, headers))
        assert getattr(outcome, "kind", None) is kind
        if status == 429:
            assert "retry after 9 s: slow down" in getattr(outcome, "message", "")

    @pytest.mark.parametrize(("status", "body"), [(204, b""), (200, b"[]"), (200, b"")])
    def test_nothing_is_no_evidence(self, client: str, status: int, body: bytes) -> None:
        assert isinstance(classify_output(CLIENTS[client](status, body, JSON)), outcomes.NoEvidence)


class TestBodiesThatNobodyRead:
    def test_a_stream_of_httpx_stays_unread(self) -> None:
        answer = httpx.Response(200, stream=httpx.ByteStream(b"line"))
        assert isinstance(classify_output(answer), outcomes.NoEvidence)
        assert not answer.is_stream_consumed
        assert answer.read() == b"line"

    def test_a_stream_of_requests_stays_unread(self) -> None:
        answer = of_requests(200, None, {})
        answer.raw = io.BytesIO(b"line")
        assert isinstance(classify_output(answer), outcomes.NoEvidence)
        assert answer.content == b"line"

    def test_an_answer_of_the_standard_library_stays_unread(self) -> None:
        class Socket:
            def makefile(self, mode: str) -> io.BytesIO:
                return io.BytesIO(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nline")

        answer = http.client.HTTPResponse(Socket())  # type: ignore[arg-type]
        answer.begin()
        bench = recorder_bench()
        assert recorded(lambda: answer, recorder=bench.recorder, session_id=SESSION)() is answer
        assert answer.read() == b"line"
        assert "was not read when the call returned" in bench.row().details
        bench.close()

    def test_a_page_that_a_client_was_led_to_is_a_refusal(self) -> None:
        request = httpx.Request("GET", "https://sso.example.test/login")
        page = b"<html><title>Welcome</title></html>"
        led = httpx.Response(200, content=page, request=request, history=[httpx.Response(302)])
        asked = httpx.Response(200, content=page, request=request)
        assert getattr(classify_output(led), "kind", None) is FailureKind.DENIED
        assert isinstance(classify_output(asked), outcomes.Success)


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_an_exception_of_a_client_carries_its_status(library: Any) -> None:
    answer = library.Response(429, headers={"Retry-After": "9"}, request=library.Request("GET", "https://db.test"))
    with pytest.raises(library.HTTPStatusError) as caught:
        answer.raise_for_status()
    failure = failure_of(caught.value)
    assert (failure.kind, failure.retryable) == (FailureKind.RATE_LIMITED, True)
    assert failure.message.endswith("; retry after 9 s")


def test_an_exception_of_the_standard_library_carries_its_status() -> None:
    headers = email.message.Message()
    headers["Retry-After"] = "9"
    error = urllib.error.HTTPError("https://db.test", 429, "Too Many Requests", headers, None)
    failure = failure_of(error)
    assert failure.kind is FailureKind.RATE_LIMITED
    assert failure.message == "HTTPError: HTTP Error 429: Too Many Requests; retry after 9 s"
    error.close()


def of_cursor(statement: str) -> tuple[Outcome, list[Any]]:
    bench = recorder_bench()
    base = sqlite3.connect(":memory:")
    base.execute("create table t (n)")
    cursor = recorded(lambda: base.execute(statement), recorder=bench.recorder, session_id=SESSION)()
    outcome, left = classify_output(cursor), cursor.fetchall()
    assert bench.row().outcome == kind_of(outcome)
    base.close()
    bench.close()
    return outcome, left


def test_a_cursor_is_read_by_its_count_and_keeps_its_rows() -> None:
    assert of_cursor("insert into t values (1), (2)") == (
        outcomes.Success(support=outcomes.Support.INDIRECT, output="2 rows affected"),
        [],
    )
    assert kind_of(of_cursor("delete from t")[0]) == "no_evidence"
    outcome, left = of_cursor("select 1")
    assert (kind_of(outcome), left) == ("no_evidence", [(1,)])


def test_a_process_that_really_ran_is_read() -> None:
    code = "import sys; print('line'); sys.exit(3)"
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    outcome = classify_output(ran)
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.message, outcome.output) == ("exit code 3: line", "line\n")
