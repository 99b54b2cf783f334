"""Every Python value has one stored form: total, deterministic, strict JSON (section 4)."""

import gc
import json
from collections import OrderedDict, deque, namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr
from typing_extensions import override

from groundtrace.encoding import (
    DEEPEST,
    JsonValue,
    bounded_json,
    canonical,
    encode,
    encode_params,
    fingerprint,
    output_of,
)


class Level(Enum):
    HIGH = "high"


class Port(IntEnum):
    HTTPS = 443


@dataclass
class Window:
    start: int
    end: int


@dataclass
class Lazy:
    name: str

    @override
    def __getattribute__(self, name: str) -> Any:
        if name == "name":
            raise RuntimeError("not loaded")
        return object.__getattribute__(self, name)


class Query(BaseModel):
    q: str
    secret: SecretStr = SecretStr("hunter2")


class Point(NamedTuple):
    x: int
    y: int


Old: Any = namedtuple("Old", "a")


class Client:
    @override
    def __repr__(self) -> str:
        return "<Client key=sk-live-1234567890ABCDEF>"


class Loud(str):
    __slots__ = ()

    @override
    def __str__(self) -> str:
        raise RuntimeError("no text for you")


class Broken:
    @override
    def __str__(self) -> str:
        raise RuntimeError("no text")

    @override
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __iter__(self) -> Iterator[int]:
        raise RuntimeError("no items")

    @override
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("no attribute, not even __class__")


class BrokenMapping(Mapping[str, int]):
    @override
    def __getitem__(self, key: str) -> int:
        raise RuntimeError("gone")

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(("a",))

    @override
    def __len__(self) -> int:
        return 1


class NoOffset(tzinfo):
    @override
    def utcoffset(self, moment: datetime | None) -> timedelta:
        raise RuntimeError("no offset")

    @override
    def dst(self, moment: datetime | None) -> timedelta:
        raise RuntimeError("no offset")

    @override
    def tzname(self, moment: datetime | None) -> str:
        raise RuntimeError("no offset")


def callback() -> None:
    """Do nothing."""


def _loop() -> list[object]:
    loop: list[object] = [1]
    loop.append(loop)
    return loop


def _nested(levels: int) -> object:
    value: object = "core"
    for _ in range(levels):
        value = [value]
    return value


FORMS: list[tuple[str, object, JsonValue]] = [
    ("decimal", Decimal("0.10"), "0.10"),
    ("decimal not a number", Decimal("NaN"), "NaN"),
    ("fraction", Fraction(1, 3), "1/3"),
    ("complex", 1 + 2j, "(1+2j)"),
    ("time with zone", datetime(2026, 3, 8, 2, 30, tzinfo=UTC), "2026-03-08T02:30:00+00:00"),
    (
        "time in another zone",
        datetime(2026, 3, 8, 2, 30, tzinfo=timezone(timedelta(hours=8))),
        "2026-03-08T02:30:00+08:00",
    ),
    ("time without zone", datetime(2026, 3, 8, 2, 30), "2026-03-08T02:30:00"),  # noqa: DTZ001 - it is the case
    ("date", date(2026, 3, 8), "2026-03-08"),
    ("clock time", time(2, 30), "02:30:00"),
    ("duration", timedelta(seconds=90), "PT90S"),
    ("negative duration", timedelta(milliseconds=-1_500), "-PT1.500000S"),
    ("uuid", UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ("bytes", b"\xff\xfe\x00ok", "\\xff\\xfe\u2400ok"),
    ("bytearray", bytearray(b"ok"), "ok"),
    ("memoryview", memoryview(b"ok"), "ok"),
    ("set", {"b", "a", "c"}, ["a", "b", "c"]),
    ("mixed set", frozenset({2, "1", None}), ["1", 2, None]),
    ("tuple", (1, 2), [1, 2]),
    ("deque", deque([1, 2]), [1, 2]),
    ("range", range(3), [0, 1, 2]),
    ("keys", {"a": 1}.keys(), ["a"]),
    ("enum", Level.HIGH, "high"),
    ("int enum", Port.HTTPS, 443),
    ("path", PurePosixPath("/var/log/app.log"), "/var/log/app.log"),
    ("dataclass", Window(1, 2), {"start": 1, "end": 2}),
    ("dataclass that cannot be read", Lazy("a"), {"name": "[unreadable]"}),
    ("model", Query(q="x"), {"q": "x", "secret": "<SecretStr>"}),
    ("named tuple", Point(1, 2), {"x": 1, "y": 2}),
    ("old named tuple", Old(1), {"a": 1}),
    ("ordered dict", OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    ("function", callback, "<function>"),
    ("class", Client, "<type>"),
    ("generator", (one for one in "ab"), "<generator>"),
    ("client", Client(), "<Client>"),
    ("str whose str raises", Loud("kept"), "kept"),
    ("object where everything raises", Broken(), "<Broken>"),
    ("mapping that raises", BrokenMapping(), "<BrokenMapping: unreadable>"),
    ("zone that raises", datetime(2026, 1, 1, tzinfo=NoOffset()), "<datetime: unreadable>"),
    ("nan", float("nan"), "NaN"),
    ("infinity", float("inf"), "Infinity"),
    ("minus infinity", float("-inf"), "-Infinity"),
    ("long integer", 10**5_000, hex(10**5_000)),
    ("large integer", 2**64, 2**64),
    ("nul and lone half", "a\0b\ud83dc", "a\u2400b\ufffdc"),
    ("escaped nul is text", "text \\u0000 text", "text \\u0000 text"),
    ("other control characters", "\x01\x02", "\x01\x02"),
    ("nul in a key", {"k\0ey": 1}, {"k\u2400ey": 1}),
    (
        "keys that are no text",
        {1: "a", None: "b", (1, 2): "c", "t": "d"},
        {"1": "a", "null": "b", "[1,2]": "c", "t": "d"},
    ),
    ("keys that become one", {1: "a", "1": "b"}, {"1": "a", "1 (2)": "b"}),
    ("keys that cleaning makes one", {"a\0": 1, "a\u2400": 2}, {"a\u2400": 1, "a\u2400 (2)": 2}),
    ("cycle", _loop(), [1, "[cycle]"]),
]


@pytest.mark.parametrize(("value", "form"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS])
def test_each_value_has_its_documented_form(value: object, form: JsonValue) -> None:
    """Field cases B01, B03 and B04."""
    assert encode(value) == form
    assert encode({"inside": [value]}) == {"inside": [form]}
    assert encode(encode(value)) == encode(value)


def test_what_nests_deeper_than_64_is_cut_visibly() -> None:
    assert json.dumps(encode(_nested(DEEPEST))).count("[") == DEEPEST
    assert "nested too deep" in canonical(encode(_nested(DEEPEST + 1)))
    assert "nested too deep" in canonical(encode(_nested(100_000)))


def test_a_shared_list_is_no_cycle() -> None:
    shared = [1]
    assert encode([shared, shared]) == [[1], [1]]


def test_a_generator_is_not_consumed() -> None:
    source = (one for one in (1, 2))
    encode([source])
    assert list(source) == [1, 2]


def test_a_later_change_of_the_value_does_not_change_its_form() -> None:
    """Field case B18."""
    params: dict[str, Any] = {"fields": {"pod": "api-0"}, "list": [{"a": 1}]}
    form = encode(params)
    params["fields"]["pod"] = "db-0"
    params["list"].append(2)
    assert form == {"fields": {"pod": "api-0"}, "list": [{"a": 1}]}


def test_huge_collections_are_counted_and_cut() -> None:
    form = encode({"ids": range(10**9), "limit": 5})
    assert isinstance(form, dict)
    assert str(form["ids"]).endswith("[... 999,975,000 more items left out]']")
    assert form["limit"] == 5
    shared: object = 1
    for _ in range(40):
        shared = [shared] * 10_000
    assert len(canonical(encode(shared))) < 3_000_000
    assert encode(set(range(200_000))) == "[set of 200,000 items left out]"


def test_a_huge_text_is_cut_visibly_and_spares_its_neighbours() -> None:
    form = encode({"text": "x" * 1_000_000, "limit": 5})
    assert isinstance(form, dict)
    assert form["limit"] == 5
    assert str(form["text"]).endswith("xx[... 737,856 characters left out]")


def test_the_canonical_form_ignores_the_order_of_keys_and_nothing_else() -> None:
    """Field case B07."""
    one: JsonValue = {"b": 1, "aa": {"z": [1, 2], "y": None}, "a": "x"}
    same: JsonValue = {"a": "x", "aa": {"y": None, "z": [1, 2]}, "b": 1}
    assert canonical(one) == '{"a":"x","aa":{"y":null,"z":[1,2]},"b":1}'
    assert fingerprint(one) == fingerprint(same) == fingerprint(json.loads(canonical(one)))
    others: list[JsonValue] = [
        {"b": 1, "aa": {"z": [2, 1], "y": None}, "a": "x"},
        {"b": "1", "aa": {"z": [1, 2], "y": None}, "a": "x"},
        {"b": 1.0, "aa": {"z": [1, 2], "y": None}, "a": "x"},
        {"b": True, "aa": {"z": [1, 2], "y": None}, "a": "x"},
        {"b": 1, "aa": {"z": [1, 2]}, "a": "x"},
    ]
    assert len({fingerprint(one), *map(fingerprint, others)}) == 6


@pytest.mark.parametrize(
    "value",
    [
        {"text": "é" * 100_000},
        {"rows": [{"a": 1, "b": "x" * 50}] * 5_000},
        {f"key {number}": number for number in range(20_000)},
        ["x" * 70_000],
        "\U0001f600" * 40_000,
        {"k" * 70_000: 1},
        [[[["x" * 500] * 50] * 50] * 2],
    ],
    ids=["long text", "many rows", "many keys", "list", "text alone", "long key", "nested"],
)
def test_bounded_json_is_strict_json_of_at_most_64_kib_whose_cut_is_seen(value: JsonValue) -> None:
    text = bounded_json(value)
    assert len(text.encode()) <= 64 * 1024
    assert type(_strict(text)) is type(value)
    assert "left out]" in text


def test_what_fits_is_not_cut() -> None:
    assert bounded_json({"b": "left", "a": [1]}) == '{"a":[1],"b":"left"}'


def test_an_output_is_text_and_bytes_as_they_are_and_json_text_of_all_else() -> None:
    text, data = "x" * 10, b"\xff"
    assert output_of(text) is text
    assert output_of(data) is data
    assert output_of(Loud("a")) == "a"
    assert output_of([{"b": 1, "a": Decimal("0.10")}]) == '[{"b":1,"a":"0.10"}]'
    assert output_of(None) == "null"
    assert output_of(0) == "0"


def test_parameters_in_json_text_of_an_object_are_that_object() -> None:
    """Field case D01, variant json_text_args."""
    assert encode_params('{ "top_k":5, "query":"db pool" }') == {"query": "db pool", "top_k": 5}
    assert encode_params("{not json}") == "{not json}"
    assert encode_params('{"a": 1, "a": 2}') == '{"a": 1, "a": 2}'
    assert encode_params("[1]") == "[1]"
    assert str(encode_params('{"a":' * 100_000)).startswith('{"a":{"a":')


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.decimals()
    | st.datetimes()
    | st.datetimes(timezones=st.timezones())
    | st.timedeltas()
    | st.uuids()
    | st.fractions(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.binary(), inner)
    ),
    max_leaves=30,
)


@given(ANY)
def test_encoding_is_total_deterministic_and_strict_json(value: object) -> None:
    form = encode(value)
    text = canonical(form)
    assert canonical(encode(value)) == text
    assert canonical(_strict(text)) == text
    assert canonical(encode(form)) == text
    assert "\0" not in text
    assert "\\u0000" not in text
    text.encode()


@given(ANY, st.integers(64, 500))
def test_bounded_json_keeps_any_limit_and_stays_strict(value: object, limit: int) -> None:
    text = bounded_json(encode(value), limit=limit)
    assert len(text.encode()) <= limit
    _strict(text)


def _strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


class Meddling:
    """Garbage that changes an object each time that it is collected: as a second thread may, anywhere."""

    def __init__(self, params: dict[str, object]) -> None:
        self.itself = self
        self.params = params

    def __del__(self) -> None:
        self.params[f"more-{len(self.params)}"] = 1
        if len(self.params) < 40:
            Meddling(self.params)


def test_an_object_that_is_changed_while_it_is_encoded_is_kept_as_it_was_at_one_instant() -> None:
    params: dict[str, object] = {"first": "a", "second": {"b": [1]}, "third": {"c": [2]}}
    before = gc.get_threshold()
    Meddling(params)
    gc.set_threshold(1)
    try:
        kept = encode(params)
    finally:
        gc.set_threshold(*before)
    assert isinstance(kept, dict)
    assert [*kept][:3] == ["first", "second", "third"]
    assert (kept["second"], kept["third"]) == ({"b": [1]}, {"c": [2]})
