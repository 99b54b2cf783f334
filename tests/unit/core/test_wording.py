"""What a call asked, as people read it: short pieces, the window last, and nothing that acts on a terminal."""

import json

import pytest

from groundtrace.wording import QUERY_CHARACTERS, asked
from groundtrace_testing.gate_rows import success


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"pattern": "refused"}, "pattern=refused"),
        ({"fields": {"app": "checkout"}, "limit": 5, "regex": True}, "app=checkout"),
        ({"limit": 5}, "limit=5"),
        ({"pattern": "x", "start": "16:55Z", "end": "16:57Z"}, "pattern=x from 16:55Z to 16:57Z"),
        ({"filters": {"team": "a"}}, 'filters={"team": "a"}'),
        ({"cursor": None, "tags": []}, "{}"),
        ({"fields": "none", "q": 1}, "fields=none, q=1"),
        ([1, 2], "[1, 2]"),
        ({}, "{}"),
    ],
)
def test_a_call_is_told_by_what_it_asked(params: object, words: str) -> None:
    assert asked(success(1, input_params=json.dumps(params))) == words


@pytest.mark.parametrize("text", ["no json", '{"cut', "[" * 100_000, json.dumps({"k": "v" * 100_000, "\u202e\x1b": 1})])
def test_whatever_the_parameters_are_it_is_one_short_printable_line(text: str) -> None:
    line = asked(success(1, input_params=text))
    assert 0 < len(line) <= QUERY_CHARACTERS
    assert line.isprintable()
