"""What the application's unit tests share: benches are closed behind each test."""

from collections.abc import Iterator

import pytest

from groundtrace_testing.chat_bench import close_benches


@pytest.fixture(autouse=True)
def _benches_are_closed() -> Iterator[None]:
    yield
    close_benches()
