"""Arguments of imported calls: what is no object is kept as it stands, and said to be so (field case F05)."""

import json

import pytest

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor
from groundtrace.transcripts.joined import Finding
from groundtrace_testing.transcripts import asks, brings, details, imported

RULES = RecordRules(redactor=Redactor(b"k" * 32))

WELL: dict[str, tuple[JsonValue, JsonValue]] = {
    "empty": ("", {}),
    "blank": (" \n", {}),
    "null value": (None, {}),
    "null text": ("null", {}),
    "object": ({"q": "x"}, {"q": "x"}),
    "text of an object": ('{"q": "x", "n": 1}', {"q": "x", "n": 1}),
    "empty object": ("{}", {}),
}
ODD: dict[str, tuple[JsonValue, JsonValue]] = {
    "cut": ('{"q":"err', '{"q":"err'),
    "scalar": ("5", "5"),
    "list": ("[1, 2]", "[1, 2]"),
    "list value": ([1, 2], [1, 2]),
    "double encoded": ('"{\\"q\\": \\"x\\"}"', '"{\\"q\\": \\"x\\"}"'),
    "repeated key": ('{"q":"a","q":"b"}', '{"q":"a","q":"b"}'),
    "special tail": ('{"q":"x"}<|call|>', '{"q":"x"}<|call|>'),
    "prose": ("look for errors", "look for errors"),
    "NaN": ('{"q": NaN}', {"q": "NaN"}),
    "Infinity": ('{"q": [Infinity]}', {"q": ["Infinity"]}),
}


def stored(arguments: JsonValue) -> tuple[JsonValue, dict[str, object], int]:
    told = imported([asks(("c", "health", arguments)), brings("c", "ok")])
    (one,) = told.calls
    assert isinstance(one.outcome, outcomes.Success)
    row = record(one.call, one.outcome, rules=RULES)

    def refuse(word: str) -> object:
        raise AssertionError(word)

    params: JsonValue = json.loads(row.input_params, parse_constant=refuse)
    return params, details(one.call), told.findings.found[Finding.ARGUMENTS]


@pytest.mark.parametrize(("given", "kept"), WELL.values(), ids=WELL)
def test_arguments_that_are_an_object_or_nothing_are_its_parameters(given: JsonValue, kept: JsonValue) -> None:
    """Field case F05."""
    params, told, odd = stored(given)
    assert params == kept
    assert "arguments" not in told
    assert odd == 0


@pytest.mark.parametrize(("given", "kept"), ODD.values(), ids=ODD)
def test_odd_arguments_are_kept_as_they_stand_and_told(given: JsonValue, kept: JsonValue) -> None:
    """Field case F05."""
    params, told, odd = stored(given)
    assert params == kept
    assert told["arguments"]
    assert odd == 1
