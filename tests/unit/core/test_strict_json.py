"""Strict JSON: bounded before it is parsed, never lenient, never raising (DESIGN section 8)."""

import json
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace.strict_json import (
    MAX_BYTES,
    MAX_DEPTH,
    JsonFault,
    RepeatedKeys,
    object_pairs,
    parse_json,
    too_deep,
    too_large,
)

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def fault_of(text: str) -> JsonFault | None:
    return parse_json(text).swap().value_or(None)


def value_of(text: str) -> object:
    return parse_json(text).map(lambda document: document.value).unwrap()


@given(JSON_VALUES)
def test_what_json_wrote_is_read_back(value: object) -> None:
    assert value_of(json.dumps(value)) == value
    assert value_of(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(st.text() | st.text(alphabet='{}[]",:\\ntrue1e9.-u'))
def test_any_text_is_a_document_or_a_fault(text: str) -> None:
    read = parse_json(text)
    assert is_successful(read) or read.failure() in JsonFault


MALFORMED = {
    "nothing": "",
    "single quotes": "{'a': 1}",
    "comma at the end": '{"a": 1,}',
    "comma in an array": "[1,]",
    "no comma": '{"a": 1 "b": 2}',
    "key without quotes": "{a: 1}",
    "comment": '{"a": 1 /* one */}',
    "line comment": '{"a": 1} // one',
    "python words": '{"a": True}',
    "NaN": "[NaN]",
    "infinity": "[Infinity]",
    "minus infinity": "[-Infinity]",
    "leading zero": "[012]",
    "plus": "[+1]",
    "bare point": "[.5]",
    "point at the end": "[5.]",
    "hex": "[0x1F]",
    "two values": "1 2",
    "closed twice": "[]]",
    "closed by the other": "[}",
    "never closed": '{"a": [1',
    "open string": '"abc',
    "line break in a string": '"a\nb"',
    "NUL in a string": '"a\x00b"',
    "unknown escape": r'"\x41"',
    "half an escape": r'"\u12"',
    "form feed as white space": "[\x0c1]",
    "no-break space as white space": "[\xa01]",
    "byte order mark": "\ufeff[]",
    "full-width digit": "[\uff11]",
    "wide colon": '{"a"\uff1a 1}',
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_strict_json_is_invalid(text: str) -> None:
    assert fault_of(text) is JsonFault.INVALID


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_text_stays_invalid_inside_an_object(text: str) -> None:
    assert fault_of(f'{{"before": 1, "detail": {text}, "after": 2}}') is JsonFault.INVALID


def test_a_text_of_one_mebibyte_is_parsed_and_one_byte_more_is_not() -> None:
    assert value_of('"' + "x" * (MAX_BYTES - 2) + '"') == "x" * (MAX_BYTES - 2)
    assert fault_of('"' + "x" * (MAX_BYTES - 1) + '"') is JsonFault.TOO_LARGE


def test_size_is_counted_in_bytes_of_utf_8() -> None:
    assert not too_large("\xe9" * (MAX_BYTES // 2))
    assert too_large("\xe9" * (MAX_BYTES // 2) + "x")
    assert too_large("\ud800" * (MAX_BYTES // 3 + 1))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_a_nesting_of_64_is_parsed_and_one_of_65_is_too_deep(opening: str, closing: str) -> None:
    levels = opening.count("[") + opening.count("{")
    times = MAX_DEPTH // levels
    assert fault_of(opening * times + "1" + closing * times) is None
    assert fault_of("[" + opening * times + "1" + closing * times + "]") is JsonFault.TOO_DEEP


DEEP = "[" * 5_000
DEEP_TEXTS = {
    "open arrays": "[" * 100_000,
    "open objects": '{"a":' * 100_000,
    "closed again": "[" * 100_000 + "]" * 100_000,
    "behind a long flat part": "[" + '{"a": 1},' * 50_000 + DEEP,
    "behind a long string": '["' + "x" * 500_000 + '",' + DEEP,
    "behind escaped quotes": '["' + '\\"' * 100_000 + '",' + DEEP,
    "behind many strings": "[" + '"[", ' * 50_000 + DEEP,
    "mixed brackets": '[{"a":' * 60_000,
    "beside other letters": "[" + '"\xe9\u4e2d",' * 1_000 + DEEP,
}


@pytest.mark.parametrize("text", DEEP_TEXTS.values(), ids=DEEP_TEXTS.keys())
def test_depth_is_found_wherever_it_is(text: str) -> None:
    assert fault_of(text) is JsonFault.TOO_DEEP


def test_brackets_in_strings_have_no_depth() -> None:
    text = json.dumps({"reasons": ["[{" * 2_000, '"' + "[" * 2_000, "\\" + "{" * 2_000]})
    assert value_of(text) == json.loads(text)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert value_of("[" + "[],{}," * 20_000 + "1]") == [*[[], {}] * 20_000, 1]


@given(st.lists(st.sampled_from(["[", "]", "{", "}", '"[{"', '"\\""', "x", " "]), max_size=400))
def test_depth_is_what_counting_one_by_one_gives(tokens: list[str]) -> None:
    depth = deepest = 0
    for token in tokens:
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token, 0)
        deepest = max(deepest, depth)
    assert too_deep("".join(tokens)) is (deepest > MAX_DEPTH)


@given(st.lists(st.sampled_from(["[" * 30, "]", '"', '\\"', "\\\\", "\\", "\0", "x", "x" * 600]), max_size=40))
def test_depth_outside_of_strings_is_what_reading_letter_by_letter_gives(tokens: list[str]) -> None:
    text = "".join(tokens)
    depth = deepest = 0
    inside = escaped = False
    for letter in text:
        if inside and escaped:
            escaped = False
        elif inside:
            inside, escaped = letter != '"', letter == "\\"
        else:
            inside = letter == '"'
            depth += {"[": 1, "]": -1}.get(letter, 0)
            deepest = max(deepest, depth)
    assert too_deep(text) is (deepest > MAX_DEPTH)


@given(st.lists(st.one_of(st.integers(-70, 70), st.sampled_from([-1, 1])), max_size=60), st.integers(1, 40))
def test_depth_near_the_bound_is_counted_to_the_last_bracket(steps: list[int], times: int) -> None:
    steps *= times
    text = "".join("[" * step if step > 0 else "}" * -step for step in steps)
    assert too_deep(text) is (max(accumulate(steps), default=0) > MAX_DEPTH)


def test_a_string_of_quotes_that_never_ends_takes_linear_time() -> None:
    """Quadratic time would be hours here. Field case A17."""
    text = "[]" * MAX_DEPTH + '[]"' + '\\"' * 500_000 + "\\"
    assert fault_of(text) is JsonFault.INVALID


def test_numbers_beyond_a_double_are_infinite_and_nothing_raises() -> None:
    assert value_of("[1e400, -1e400]") == [float("inf"), float("-inf")]
    assert value_of("9" * 5_000) == float("inf")
    assert value_of("-" + "9" * 5_000) == float("-inf")
    assert value_of("[1e-400, 12345678901234567890]") == [0.0, 12345678901234567890]


def test_half_a_surrogate_pair_is_text() -> None:
    assert value_of('["\\ud83d", "\ud83d"]') == ["\ud83d", "\ud83d"]


def test_a_repeated_key_is_seen_with_all_its_values() -> None:
    document = parse_json('{"a": 1, "b": {"c": 1, "c": 2}, "a": 2}').unwrap()
    assert document.repeated
    assert isinstance(document.value, RepeatedKeys)
    assert [value for key, value in object_pairs(document.value) if key == "a"] == [1, 2]
    assert object_pairs(document.value["b"]) == (("c", 1), ("c", 2))


def test_an_escaped_spelling_of_a_key_is_the_same_key() -> None:
    assert parse_json('{"verdict": 1, "v\\u0065rdict": 2}').unwrap().repeated


def test_what_is_no_object_has_no_pairs() -> None:
    assert object_pairs([{"a": 1}]) == ()
    assert object_pairs({"a": 1}) == (("a", 1),)
