"""Streams cut into lines, and lines too long to hold: shortened, they are JSON still, and no id or flag is lost."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.mcp_traffic_lines import LINE_HELD, Line, Lines
from groundtrace.mcp_traffic_long import BUDGET, TEXT_BYTES, Shortening

JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=20,
)


def shortened(data: bytes, piece: int = 64 * 1024) -> bytes | None:
    under_way = Shortening()
    for at in range(0, len(data), piece):
        under_way.feed(data[at : at + piece])
    return under_way.finish()


def messages(stream: bytes, piece: int, *, held: int = LINE_HELD) -> list[Line]:
    lines = Lines(held=held)
    done = [line for at in range(0, len(stream), piece) for line in lines.feed(stream[at : at + piece])]
    last = lines.finish()
    return done if last is None else [*done, last]


@given(st.lists(st.binary(max_size=20).map(lambda one: one.replace(b"\n", b"")), max_size=6), st.integers(1, 30))
def test_lines_are_the_same_however_the_stream_is_cut(parts: list[bytes], piece: int) -> None:
    assert [line.data for line in messages(b"\n".join(parts), piece)] == [part for part in parts if part]


@given(JSON, st.integers(1, 40))
def test_what_fits_comes_out_of_the_shortening_as_it_was(value: Any, piece: int) -> None:
    for escaped in (True, False):
        data = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
        assert shortened(data, piece) == data


@given(JSON, st.integers(1, 40))
def test_a_long_line_of_small_texts_is_read_as_it_is(value: Any, piece: int) -> None:
    (line,) = messages(json.dumps([value]).encode(), piece, held=1)
    assert line.message() == [value]
    assert line.shortened


@pytest.mark.parametrize("first", ["id", "result"])
def test_a_long_text_keeps_its_beginning_and_every_flag_around_it(first: str) -> None:
    result = {"content": [{"type": "text", "text": 'a"\\\n\u00e9' * 400_000}], "isError": True}
    message = {"jsonrpc": "2.0", "id": 7, "result": result}
    ordered = {first: message[first], **message}
    (line,) = messages(json.dumps(ordered).encode(), 65_536, held=BUDGET)
    read: Any = line.message()
    kept = read["result"]["content"][0]["text"]
    assert (read["id"], read["result"]["isError"]) == (7, True)
    assert result["content"][0]["text"].startswith(kept)  # type: ignore[index]
    assert TEXT_BYTES // 4 < len(kept) <= TEXT_BYTES
    assert f"{line.length:,} bytes" in line.marks()[0]


@pytest.mark.parametrize("packed", ["alone", "batch"])
def test_a_long_list_keeps_its_first_members_and_the_id_behind_it(packed: str) -> None:
    rows = [{"n": number, "deep": [[number]], "t": "x, ] }" * 9} for number in range(20_000)]
    message: Any = {"result": {"content": [], "structuredContent": {"rows": rows, "n": 1}, "isError": False}, "id": "z"}
    (line,) = messages(json.dumps([message] if packed == "batch" else message).encode(), 65_536, held=BUDGET)
    read: Any = line.message()
    read = read[0] if packed == "batch" else read
    kept = read["result"]["structuredContent"]["rows"]
    assert read["id"] == "z"
    assert kept[:-1] == rows[: len(kept) - 1]
    assert 1_000 < len(kept) < len(rows)


@functools.cache
def beyond_the_budget() -> Shortening:
    """A line under way inside a list of which enough is kept."""
    under_way = Shortening()
    under_way.feed(b'{"result":{"content":[],"structuredContent":[[' + b'"' + b"q" * 50 + b'",')
    under_way.feed((b'["' + b"r" * 400 + b'"],') * 3_000)
    return under_way


@given(st.lists(JSON, min_size=1), st.integers(1, 40))
def test_what_is_left_out_ends_where_it_ends(values: list[Any], piece: int) -> None:
    under_way = copy.deepcopy(beyond_the_budget())
    data = json.dumps(values).encode()[1:] + b',1],"isError":true},"id":5}'
    for at in range(0, len(data), piece):
        under_way.feed(data[at : at + piece])
    read = json.loads(under_way.finish() or b"null")
    assert (read["id"], read["result"]["isError"]) == (5, True)


def test_a_line_of_any_length_is_held_within_bounds() -> None:
    lines = Lines()
    lines.feed(b'{"id": 1, "result": {"content": [{"type": "text", "text": "')
    for _ in range(400):
        lines.feed(b"y" * 65_536)
    (line,) = lines.feed(b'"}]}}\n')
    assert line.length > 26_000_000
    assert line.data is not None
    assert len(line.data) < 2 * TEXT_BYTES


@pytest.mark.parametrize("noise", [b"[" * 3_000_000, b'"' + b"a" * 3_000_000, b"x" * 3_000_000, b"1" * 3_000_000])
def test_a_long_line_that_is_no_whole_json_is_given_up_and_the_next_one_read(noise: bytes) -> None:
    bad, good = messages(noise + b'\n{"id": 1}\n', 65_536, held=BUDGET)
    assert bad.message() is None
    assert good.message() == {"id": 1}


@pytest.mark.parametrize("line", [b"starting up...", b"", b"  ", b"{", b"\xff\xfe", b"[" * 9_999])
def test_a_line_that_is_no_json_is_no_message(line: bytes) -> None:
    assert Line(data=line, length=len(line)).message() is None


def test_a_message_that_is_nested_too_deep_is_told_from_noise() -> None:
    deep = Line(data=b'{"id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}", length=200_018)
    assert (deep.message(), deep.is_beyond_reading) == (None, True)
    for noise in (b"starting up", b'{"id":1,"resu', b"", b"null", b'{"id":1}'):
        assert not Line(data=noise, length=len(noise)).is_beyond_reading
    assert Line(data=None, length=9, shortened=True).is_beyond_reading


def test_a_number_of_many_digits_hides_no_message() -> None:
    line = Line(data=b'{"id":1,"result":' + b"7" * 5_000 + b"}", length=5_018)
    assert line.message() == {"id": 1, "result": "7" * 5_000}


def test_carriage_returns_and_a_byte_order_mark_do_not_hide_a_message() -> None:
    assert [one.message() for one in messages(b'\xef\xbb\xbf{"id": 1}\r\n\r\n{"id": 2}', 5)] == [
        {"id": 1},
        None,
        {"id": 2},
    ]


def test_behind_a_gap_the_torn_line_is_dropped_and_the_next_one_read() -> None:
    lines = Lines()
    lines.feed(b'{"id": 1, "result": "abc')
    lines.gap()
    assert lines.feed(b'xyz"}\n{"id": 2}\n') == [Line(data=b'{"id": 2}', length=9)]
