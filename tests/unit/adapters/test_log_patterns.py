"""Expressions of users: what RE2 refuses, and the text that every match must hold."""

import os
import subprocess
import sys

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace_adapters.sources.patterns import compile_pattern, full_match
from groundtrace_adapters.sources.required_text import required_text


@pytest.mark.parametrize(
    ("pattern", "needle"),
    [
        ("ERROR.*timeout", "timeout"),
        ("^2026.*ERROR: ", "ERROR: "),
        ("card (refused|declined)", "card "),
        (r"took=99\.9[0-9]ms", "took=99.9"),
        ("colou?r", "colo"),
        ("ab{2,3}cd", "cd"),
        ("x{abc", "x{abc"),
        (r"a\dbc", "bc"),
        ("[]a]bc", "bc"),
        ("[[:alpha:]]bc", "bc"),
        ("(?:ab)+cde", "cde"),
        ("a|b", ""),
        ("(?i)error", ""),
        (r"\Qa.b\E", ""),
        (r"\x41bc", ""),
        ("(a", ""),
        ("[a", ""),
        ("", ""),
    ],
)
def test_a_required_text_is_the_longest_run_that_is_sure(pattern: str, needle: str) -> None:
    assert required_text(pattern) == needle


@given(st.text("ab(|)[]^*+?{1,}\\.d-", max_size=12), st.text("ab(|)[]{}1d-^.\\", max_size=12))
def test_every_match_holds_the_required_text(pattern: str, text: str) -> None:
    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(pattern, options).search(text)
    except re2.error:
        return
    if found is not None:
        assert required_text(pattern) in found.group()


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("foo(", 4),
        ("a(b)c)d", 6),
        (r"a\(b)", 5),
        ("[a", 1),
        ("ab**", 3),
        ("x[z-a]", 3),
        ("*a", 1),
        (r"ab\q", 3),
        ("a(?=b)", 2),
    ],
)
def test_a_refusal_names_the_place(pattern: str, place: int) -> None:
    refused = compile_pattern(pattern)
    assert not is_successful(refused)
    assert f"not valid at character {place}:" in refused.failure().message


def test_a_very_long_pattern_is_refused_and_not_repeated_whole() -> None:
    refused = compile_pattern("a" * 20_000)
    assert not is_successful(refused)
    assert len(refused.failure().message) < 500


@given(st.text(max_size=20))
def test_any_text_is_compiled_or_refused(pattern: str) -> None:
    is_successful(compile_pattern(pattern))
    is_successful(full_match(pattern))


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        ("api", "api-0", False),
        ("api.*", "api-0", True),
        ("a|b", "ab", False),
        ("a.b", "a\nb", True),
        ("a", "a\n", False),
        ("", "", True),
    ],
)
def test_a_label_matches_as_a_whole(pattern: str, text: str, *, holds: bool) -> None:
    assert full_match(pattern).unwrap()(text) is holds


def test_a_pattern_cannot_close_the_group_around_it() -> None:
    assert not is_successful(full_match("a)|(b"))


WITHOUT_RE2 = """
import asyncio, sys
sys.modules["re2"] = None
from groundtrace.sources import LogEntry, LogQuery
from groundtrace_adapters.sources.log_memory import MemoryLogSource
source = MemoryLogSource([LogEntry(at=None, text="a.b", origin="x:1")])
print(asyncio.run(source.search(LogQuery(pattern="a.b", regex=True))).failure().message)
print(asyncio.run(source.search(LogQuery(pattern="a.b"))).unwrap().entries[0].text)
"""


def test_without_re2_an_expression_is_refused_with_the_extra_and_a_literal_works() -> None:
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", WITHOUT_RE2], capture_output=True, text=True, check=True, env=env)
    refusal, found = done.stdout.splitlines()
    assert "pip install 'groundtrace[logs]'" in refusal
    assert found == "a.b"
