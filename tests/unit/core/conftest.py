"""The core's tests run under an audit hook: values in, values out, and nothing else happens (DESIGN.md section 1)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from groundtrace_testing import guards


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Fail a test whose body opens, connects, starts a process or draws from the shared random generator."""
    before = random.getstate()
    with guards.forbidding(guards.world):
        yield
    if random.getstate() != before:
        raise guards.TouchedTheWorldError("the shared random generator moved: the core has no randomness")
