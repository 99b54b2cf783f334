"""The parts of the MCP proxy alone: pumps, copies that come too fast, streams of events, sessions, ends in words."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import threading
import time
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.invocation import Invocation
from groundtrace.json_text import JsonValue
from groundtrace.mcp_traffic_lines import LINE_HELD
from groundtrace.outcomes import FailureKind, failure_because
from groundtrace_app.mcp_proxy.background import Background
from groundtrace_app.mcp_proxy.call_log import CallLog
from groundtrace_app.mcp_proxy.http_exchange import Exchange
from groundtrace_app.mcp_proxy.http_sessions import MOST_SESSIONS, HttpSessions
from groundtrace_app.mcp_proxy.listening import listen_on
from groundtrace_app.mcp_proxy.pump import PIECE, PumpEnd, pump
from groundtrace_app.mcp_proxy.server_process import how_it_ended
from groundtrace_app.mcp_proxy.sse import EventStream
from groundtrace_app.mcp_proxy.watch import Side, Watch
from groundtrace_app.mcp_server.standard_input import input_lines
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace

SESSION = "night-1"
LEFT = failure_because(FailureKind.CANCELLED, "the client left")
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "pod-3"}]}}


@pytest.fixture
def trace() -> Iterator[Trace]:
    opened = open_trace(Settings(store="memory:")).unwrap()
    yield opened
    opened.close()


def rows_of(trace: Trace) -> list[str]:
    trace.sink.flush(SESSION, deadline=10)
    return [told(row) for row in trace.store.rows(SESSION).unwrap()]


def told(row: Invocation) -> str:
    return " ".join(filter(None, (row.tool_name, row.outcome, row.reason)))


def asked(id: int = 1, tool: str = "pods") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}}).encode() + b"\n"


def answered(id: int = 1) -> bytes:
    return json.dumps({**ANSWER, "id": id}).encode() + b"\n"


def piped(data: bytes) -> tuple[bytes, list[bytes], PumpEnd]:
    """What comes out of a pump into which `data` is written, what was seen of it, and how it ended."""
    source, fed = os.pipe()
    read, target = os.pipe()
    seen: list[bytes] = []
    came: list[bytes] = []

    def feed() -> None:
        with os.fdopen(fed, "wb") as writer:
            writer.write(data)

    def take() -> None:
        with os.fdopen(read, "rb") as reader:
            came.append(reader.read())

    threads = [threading.Thread(target=work) for work in (feed, take)]
    for thread in threads:
        thread.start()
    end = pump(source, target, seen.append)
    os.close(target)
    os.close(source)
    for thread in threads:
        thread.join(10)
    return came[0], seen, end


@pytest.mark.parametrize("data", [b"", b"no line feed", bytes(range(256)) * 3_000])
def test_a_pump_hands_on_every_byte_and_shows_each_once(data: bytes) -> None:
    came, seen, end = piped(data)
    assert came == b"".join(seen) == data
    assert max(map(len, seen), default=0) <= PIECE
    assert end is PumpEnd.WRITER_ENDED


def test_a_pump_whose_reader_has_left_says_so() -> None:
    source, fed = os.pipe()
    read, target = os.pipe()
    os.close(read)
    os.write(fed, b"to nobody")
    assert pump(source, target, lambda piece: None) is PumpEnd.READER_LEFT
    for descriptor in (source, fed, target):
        os.close(descriptor)


def test_copies_that_come_too_fast_are_left_out_and_their_calls_are_not_recorded(trace: Trace) -> None:
    held, go_on, read = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        go_on.wait(10)

    background = Background(most_waiting=400)
    watch = Watch(background, CallLog(trace.recorder, session_id=SESSION).of_one_stream())
    watch.saw(Side.CLIENT, asked(1))
    background.put(hold)
    assert held.wait(10)
    watch.saw(Side.SERVER, answered(1)[:40])
    watch.saw(Side.SERVER, answered(1)[40:] + b"x" * 400)
    background.put(read.set)
    go_on.set()
    assert read.wait(10)
    watch.saw(Side.SERVER, b"the rest of a torn line\n")
    watch.saw(Side.CLIENT, asked(2))
    watch.saw(Side.SERVER, answered(2))
    watch.ended(LEFT)
    background.close(deadline=10)
    assert rows_of(trace) == ["pods failure not_recorded", "pods success"]


def test_an_answer_that_is_nested_too_deep_is_not_taken_for_none(trace: Trace) -> None:
    background = Background()
    watch = Watch(background, CallLog(trace.recorder, session_id=SESSION).of_one_stream())
    watch.saw(Side.CLIENT, asked(1))
    watch.saw(Side.SERVER, b'{"id":1,"result":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n")
    watch.ended(LEFT)
    background.close(deadline=10)
    assert rows_of(trace) == ["pods failure not_recorded"]


def test_work_that_breaks_stops_no_other(trace: Trace) -> None:
    background = Background()
    watch = Watch(background, CallLog(trace.recorder, session_id=SESSION, server="k8s").of_one_stream())
    background.put(lambda: dict[str, None]()["nothing"])
    watch.saw(Side.CLIENT, asked())
    watch.saw(Side.SERVER, answered().rstrip())
    watch.ended(LEFT)
    background.close(deadline=10)
    assert rows_of(trace) == ["k8s/pods success"]


EVENT = b"event: message\r\nid: 7\r\ndata: " + json.dumps(ANSWER).encode() + b"\r\n\r\n"


@given(st.integers(1, 40), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_an_event_is_read_however_its_stream_is_cut(piece: int, end: bytes, bom: bytes) -> None:
    stream = EventStream()
    data = b": hello\n\n" + EVENT + b"data: {\ndata: }\n\n"
    data = bom + data.replace(b"\r\n", b"\n").replace(b"\n", end)
    lines = [line for at in range(0, len(data), piece) for line in stream.feed(data[at : at + piece])]
    assert [line.message() for line in (*lines, *stream.finish())] == [ANSWER, {}]
    assert stream.resumable


@pytest.mark.parametrize(
    ("stream", "messages"),
    [
        (b"data: {\nid: 8\nevent: message\ndata: }\n\n", [{}]),
        (b"data: ping\n\ndata: {}\n\n\n\n\ndata: []\n\n", [{}, []]),
        (b'data: {"a": 1}\ndata: {"b": 2}\n\n', [{"a": 1}, {"b": 2}]),
        (b"data: {\ndata: }", [{}]),
        (b"data: {\n\ndata: }\n\n", []),
        (b"data:\n\n", []),
    ],
    ids=["fields_between", "no_message", "two_in_one_event", "no_end", "torn", "empty"],
)
def test_an_event_is_its_data_lines_up_to_a_blank_line(stream: bytes, messages: list[JsonValue]) -> None:
    events = EventStream()
    assert [line.message() for line in (*events.feed(stream), *events.finish())] == messages


def test_an_event_of_very_many_lines_takes_linear_time() -> None:
    events, began = EventStream(), time.process_time()
    (line,) = events.feed(b"data: [\n" + b"data: 1,\n" * 40_000 + b"data: 1]\n\n")
    assert line.message() == [1] * 40_001
    assert time.process_time() - began < 5


def test_an_event_without_an_end_is_held_to_a_bound() -> None:
    events = EventStream()
    told = [line for _ in range(50) for line in events.feed(b"data: " + b"x" * 100_000 + b"\n")]
    assert [(line.message(), line.length > LINE_HELD) for line in told] == [(None, True)]


def exchange(
    background: Background, sessions: HttpSessions, method: str = "POST", session: bytes | None = None
) -> Exchange:
    return Exchange(background, sessions, method, {} if session is None else {b"mcp-session-id": session})


def streamed(one: Exchange, *pieces: bytes) -> None:
    one.answered(200, {b"content-type": b"text/event-stream"})
    for piece in pieces:
        one.answer(piece)
    one.ended()


def test_an_answer_may_come_on_a_stream_that_is_taken_up_again(trace: Trace) -> None:
    background, sessions = Background(), HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    first, later = exchange(background, sessions, session=b"s"), exchange(background, sessions, "GET", session=b"s")
    first.asked(asked(), last=True)
    streamed(first, b"id: 1\ndata:\n\n")
    later.asked(b"", last=True)
    streamed(later, EVENT)
    background.close(deadline=10)
    assert rows_of(trace) == ["pods success"]


def _raw_deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body", "told"),
    [
        (b"gzip", gzip.compress(answered()[:20]) + gzip.compress(answered()[20:]), "pods success"),
        (b"deflate", zlib.compress(answered()), "pods success"),
        (b"deflate", _raw_deflated(answered()), "pods success"),
        (b"GZIP", gzip.compress(b" " * 3_000_000 + answered()), "pods success"),
        (b"gzip", b"no gzip", "pods failure not_recorded"),
        (b"gzip", gzip.compress(answered())[:30], "pods failure not_recorded"),
    ],
    ids=["two_members", "deflate", "deflate_without_a_header", "well_packed", "broken", "cut_off"],
)
def test_an_answer_is_read_in_each_encoding_that_is_known(
    encoding: bytes, body: bytes, told: str, trace: Trace
) -> None:
    background, sessions = Background(), HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    headers = {b"content-encoding": b"gzip"}
    one = Exchange(background, sessions, "POST", headers)
    one.asked(gzip.compress(asked()), last=True)
    one.answered(200, {b"content-encoding": encoding})
    for at in range(0, len(body), 4_000):
        one.answer(body[at : at + 4_000])
    one.ended()
    background.close(deadline=10)
    assert rows_of(trace) == [told]


@pytest.mark.parametrize(("status", "kind"), [(401, "denied"), (429, "rate_limited"), (500, "unavailable")])
def test_the_status_says_more_than_the_code_of_an_error(status: int, kind: str, trace: Trace) -> None:
    background, sessions = Background(), HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    one = exchange(background, sessions)
    one.asked(asked(1), last=True)
    one.answered(status, {})
    one.answer(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}')
    one.ended()
    background.close(deadline=10)
    assert rows_of(trace) == [f"pods failure {kind}"]


def test_a_call_of_a_stream_that_cannot_be_taken_up_again_has_failed(trace: Trace) -> None:
    background, sessions = Background(), HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    one = exchange(background, sessions, session=b"s")
    one.asked(asked(), last=True)
    streamed(one, b": nothing\n\n")
    background.close(deadline=10)
    assert rows_of(trace) == ["pods failure unavailable"]


def test_ids_of_two_sessions_are_two_calls_and_an_ended_session_ends_its_own(trace: Trace) -> None:
    background, sessions = Background(), HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    for name in (b"a", b"b"):
        one = exchange(background, sessions, session=name)
        one.asked(asked(1, f"pods-{name.decode()}"), last=True)
        streamed(one, b"id: 1\n\n")
    streamed(exchange(background, sessions, "GET", session=b"b"), EVENT)
    gone = exchange(background, sessions, "DELETE", session=b"a")
    gone.answered(200, {})
    gone.ended()
    background.close(deadline=10)
    assert sorted(rows_of(trace)) == ["pods-a failure not_recorded", "pods-b success"]


def test_so_many_sessions_are_followed_and_no_more(trace: Trace) -> None:
    sessions = HttpSessions(CallLog(trace.recorder, session_id=SESSION))
    first = sessions.of(b"first")
    for number in range(MOST_SESSIONS):
        sessions.of(str(number).encode())
    assert sessions.of(b"first") is not first


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "exit code 0"), (7, "exit code 7"), (-signal.SIGSEGV, "by SIGSEGV"), (-200, "by signal 200")],
)
def test_the_end_of_a_server_is_told_in_words(code: int, words: str) -> None:
    assert words in how_it_ended(code)


@pytest.mark.parametrize("place", ["127.0.0.1:http", "127.0.0.1:70000", "example.org:80", "10.1.1.1:0", ""])
def test_a_place_that_is_not_this_machines_own_is_refused(place: str) -> None:
    assert listen_on(place).swap().map(lambda problem: problem.where).unwrap() == "--listen"


@pytest.mark.parametrize("data", [b"", b"one\ntwo\n", b"one\r\n\ntwo", b"\xff\n" + b"y" * 200_000])
def test_standard_input_is_read_line_by_line(data: bytes) -> None:
    source, fed = os.pipe()

    def feed() -> None:
        with os.fdopen(fed, "wb") as writer:
            writer.write(data)

    async def read() -> list[str]:
        return [line async for line in input_lines(source)]

    thread = threading.Thread(target=feed)
    thread.start()
    lines = asyncio.run(read())
    thread.join(10)
    os.close(source)
    assert "".join(lines) == data.decode("utf-8", "replace")
    assert all(line.endswith("\n") for line in lines[:-1])
