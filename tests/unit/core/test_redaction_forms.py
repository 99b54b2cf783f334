"""Secrets in forms that are seldom thought of: addresses in addresses, XML, commands as lists, named values."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.redaction import Redactor
from groundtrace.secret_patterns import MARKER

REDACTOR = Redactor(bytes(range(32)))
SECRET = "Zq9x8w7v6u5tR4e3W2"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"GET /login?next=%2Fx%3Ftoken%3D{SECRET} HTTP/1.1", "GET /login?next=%2Fx%3Ftoken%3D{} HTTP/1.1"),
        (f"q=api_key%253d{SECRET}", "q=api_key%253d{}"),
        (f"to=https%3A%2F%2Fann%3A{SECRET}%40db.test%2Fx", "to=https%3A%2F%2Fann%3A{}%40db.test%2Fx"),
        (f"to=https%253a%252f%252fann%253a{SECRET}%2540db.test", "to=https%253a%252f%252fann%253a{}%2540db.test"),
        (
            f"<db><password>{SECRET}</password><port>5432</port></db>",
            "<db><password>{}</password><port>5432</port></db>",
        ),
        (f"<AccessToken>{SECRET}</AccessToken>", "<AccessToken>{}</AccessToken>"),
    ],
)
def test_encoded_addresses_and_elements_lose_their_secret_and_nothing_else(text: str, kept: str) -> None:
    """Field case B19."""
    shown = REDACTOR.text(text)
    assert MARKER.sub("{}", shown) == kept
    assert REDACTOR.text(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "to=https%3A%2F%2Fdb.test%3A5432%2Fx%3Fq%3Da%40b",
        "a > b </c> password> 5 </x",
        "<password></password>",
        "<token_count>12</token_count>",
        "the password > everything </s>",
    ],
)
def test_what_only_looks_alike_is_kept(text: str) -> None:
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize(
    "value",
    [
        ["mysql", "--password", SECRET, "--host", "db"],
        ["--api-key", SECRET],
        {"argv": ["deploy", "--token", SECRET]},
        {"env": [{"name": "DB_PASSWORD", "value": SECRET}, {"name": "PORT", "value": "5432"}]},
        {"Key": "client_secret", "Value": SECRET},
    ],
)
def test_what_follows_a_name_that_promises_a_secret_is_one(value: object) -> None:
    """Field case B19."""
    shown = REDACTOR.value(json.loads(json.dumps(value)))
    assert SECRET not in json.dumps(shown)
    assert "[redacted " in json.dumps(shown)
    assert REDACTOR.value(shown) == shown


@pytest.mark.parametrize(
    "value",
    [
        ["--host", "db-primary-0", "--password", "", "--port", "5432"],
        ["psql", "--no-password", "--host", "db-primary-0"],
        ["token bucket", "refill rate"],
        {"name": "PORT", "value": "5432-and-more"},
        {"name": "db_password"},
        {"key": 7, "value": "seven hundred"},
    ],
)
def test_lists_and_named_values_without_a_promise_are_kept(value: object) -> None:
    assert REDACTOR.value(json.loads(json.dumps(value))) == value


PIECES = ["--password ", "--token ", "password", "token=", "://a:", "%3D", "%3A%2F%2Fu%3A", "%40", "@", ":", "=", ","]
MORE = [
    "<password>",
    "</password>",
    "Bearer ",
    "eyJ",
    "[redacted key ",
    "[redacted key abcdef]",
    SECRET,
    " ",
    "\n",
    '"',
]


@given(st.lists(st.sampled_from(PIECES + MORE), max_size=12).map("".join))
@example("--password ://a:@")
@example("--token %3A%2F%2Fu%3Aabc")
def test_redacting_twice_changes_nothing_whatever_stands_side_by_side(text: str) -> None:
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once
