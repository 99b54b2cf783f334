"""Paths in a JSON stream: as the library names them, and bounded however deeply a stranger nests."""

import io
import json
from pathlib import Path
from typing import Any

import ijson  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.transcripts.files import file_at, pieces_of
from groundtrace_adapters.transcripts.nesting import prefixed
from groundtrace_adapters.transcripts.parts import BROKEN, parts_of
from groundtrace_adapters.transcripts.pieces import Unread

_NAMES = st.sampled_from(["a", "b", "item", ""])
_JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=10,
)


def events(value: Any) -> Any:
    return ijson.basic_parse(io.BytesIO(json.dumps(value).encode()), use_float=True)


@given(_JSON.map(lambda value: {"a": value}))
def test_a_value_stands_where_the_library_says(value: Any) -> None:
    assert list(prefixed(events(value))) == list(ijson.parse(io.BytesIO(json.dumps(value).encode()), use_float=True))


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"spans":['])
def test_an_object_nested_without_an_end_is_told(opening: bytes) -> None:
    (told,) = parts_of(io.BytesIO(b'{"around":' + opening * 50_000))
    assert isinstance(told, Unread)
    assert told.why == BROKEN


def test_the_simulations_of_a_large_object_are_read_one_by_one() -> None:
    made = [{"id": "s1", "messages": []}, {"id": "s2", "messages": []}]
    found = list(parts_of(io.BytesIO(json.dumps({"info": {"n": 1}, "simulations": made}).encode())))
    assert [getattr(one, "value", None) for one in found] == [{"info": {"n": 1}, "simulations": [one]} for one in made]


@pytest.mark.parametrize("indent", [None, 1])
def test_the_good_part_of_a_torn_object_is_read(tmp_path: Path, indent: int | None) -> None:
    made = [{"id": f"s{number}", "task_id": "1", "messages": [], "turn_idx": 0} for number in range(4)]
    text = json.dumps({"info": {"n": 1}, "simulations": made}, indent=indent)
    place = tmp_path / "torn.json"
    place.write_text(text[: text.index("s3")])
    *records, torn = pieces_of(file_at(place))
    assert len(records) == 3
    assert isinstance(torn, Unread)
