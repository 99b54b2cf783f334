"""However a text is looked for, it is found where `bytes.find` finds it."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.sources.log_files.needle import Needle

DATA = st.lists(st.text("ab=9.é", max_size=40).map(str.encode), min_size=1, max_size=4)


@given(text=st.text("ab=9.é", min_size=1, max_size=8).map(str.encode), pieces=DATA, start=st.integers(0, 60))
def test_a_text_is_found_where_it_stands(text: bytes, pieces: list[bytes], start: int) -> None:
    needle = Needle(text=text)
    assert [needle.find(piece, start) for piece in pieces] == [piece.find(text, start) for piece in pieces]


@pytest.mark.parametrize(
    ("text", "filling"),
    [
        (b"ERROR", b"no capital here "),
        (b"took=99.9", b"took=12.5ms tooks 1999 =. "),
        (b"\xffbroken", b"bytes that are no text "),
        (b"\0", b"nothing "),
        (b"aaaaaaaa", b"aaaaaaa "),
    ],
)
def test_every_place_is_found_whichever_part_is_looked_for(text: bytes, filling: bytes) -> None:
    chance = random.Random(7)
    data = b"".join(chance.choice([filling] * 200 + [text, text[:-1]]) for _ in range(20_000))
    needle = Needle(text=text)
    assert places(needle.find, data) == places(lambda where, start: where.find(text, start), data)


def places(find: Callable[[bytes, int], int], data: bytes) -> list[int]:
    found = []
    at = find(data, 0)
    while at >= 0:
        found.append(at)
        at = find(data, at + 1)
    return found


def test_a_part_that_becomes_common_is_given_up() -> None:
    needle = Needle(text=b"took=99.9")
    assert needle.find(b"nothing of it " * 6_000, 0) == -1
    common = b"=99.=99.9 " * 6_000
    assert needle.find(common, 0) == -1
    assert needle.find(common + b"took=99.9", 0) == len(common)
