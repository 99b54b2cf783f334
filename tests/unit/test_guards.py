"""The guards themselves: what they stop, what they let through, and that swallowing an error does not hide it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from groundtrace_testing import guards
from groundtrace_testing.guards import TouchedTheWorldError


def _connect() -> None:
    with socket.socket() as client:
        client.connect(("127.0.0.1", 9))


def _connect_to_a_file(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "no-such-socket"))


@pytest.mark.parametrize("touch", [_connect, lambda: socket.getaddrinfo("localhost", 80)])
def test_a_test_without_the_mark_reaches_no_network_not_even_loopback(touch: Callable[[], object]) -> None:
    with pytest.raises(TouchedTheWorldError, match="no network"), guards.forbidding(guards.network):
        touch()


def test_sockets_in_the_file_system_are_no_network(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _connect_to_a_file(tmp_path)


def test_an_event_loop_needs_no_network() -> None:
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


@pytest.mark.parametrize(
    "touch",
    [
        lambda: Path("/dev/null").read_bytes(),
        lambda: list(Path("/").iterdir()),
        lambda: sqlite3.connect(":memory:"),
        lambda: subprocess.run([sys.executable, "-V"], check=True),
        _connect,
    ],
    ids=["open", "list", "database", "process", "socket"],
)
def test_the_core_touches_nothing(touch: Callable[[], object]) -> None:
    with pytest.raises(TouchedTheWorldError, match="touch nothing"), guards.forbidding(guards.world):
        touch()


def test_a_swallowed_complaint_still_fails_the_test() -> None:
    with pytest.raises(TouchedTheWorldError), guards.forbidding(guards.world), contextlib.suppress(Exception):
        Path("/dev/null").read_bytes()


def test_what_tests_of_values_need_is_let_through() -> None:
    @settings(max_examples=10)
    @given(st.text(), st.datetimes(timezones=st.timezones()))
    def holds(text: str, when: datetime) -> None:
        assert text == text[:]
        assert when.tzinfo is not None

    with guards.forbidding(guards.world):
        import colorsys  # noqa: F401 - a module that nothing has loaded before

        class Model(BaseModel):
            field: int

        assert Model(field=1).field == 1
        assert ZoneInfo("Pacific/Chatham").key == "Pacific/Chatham"
        holds()


def test_a_property_leaves_the_shared_random_generator_where_it_was() -> None:
    @given(st.randoms(use_true_random=False), st.integers())
    def draws(generator: random.Random, number: int) -> None:
        assert random.random() < 1 <= 1 + abs(number)
        assert generator.random() < 1

    before = random.getstate()
    draws()
    assert random.getstate() == before
