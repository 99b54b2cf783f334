"""An exception is a failure; the answer, the exit code or the status that it carries says of which kind."""

from __future__ import annotations

import socket
from subprocess import CalledProcessError, TimeoutExpired
from types import SimpleNamespace
from urllib.error import URLError

import pytest
from typing_extensions import override

from groundtrace.outcomes import FailureKind
from groundtrace.shapes.exceptions import failure_of


class HTTPStatusError(Exception):
    """As client libraries raise it: with the answer."""

    def __init__(self, status: int, **headers: str) -> None:
        """Carry an answer."""
        super().__init__(f"{status} for url")
        self.response = SimpleNamespace(status_code=status, headers=headers)


class APIStatusError(Exception):
    """As vendors' SDKs raise it: with the status itself."""

    def __init__(self, status: object) -> None:
        """Carry a status."""
        super().__init__("refused")
        self.status_code = status


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.DENIED),
        (404, FailureKind.ERROR),
        (429, FailureKind.RATE_LIMITED),
        (503, FailureKind.UNAVAILABLE),
        (504, FailureKind.TIMEOUT),
    ],
)
def test_the_status_that_an_exception_carries_is_its_kind(status: int, kind: FailureKind) -> None:
    assert failure_of(HTTPStatusError(status)).kind is kind
    assert failure_of(APIStatusError(status)).kind is kind


def test_when_to_come_back_stands_in_the_message() -> None:
    failure = failure_of(HTTPStatusError(429, **{"Retry-After": "12"}))
    assert failure.message == "HTTPStatusError: 429 for url; retry after 12 s"
    assert failure.retryable is True


def test_the_exit_code_and_stderr_of_a_command_stand_in_the_failure() -> None:
    failure = failure_of(CalledProcessError(28, ["curl", "https://db.test"], output="part", stderr=b"curl: (28) late"))
    assert (failure.kind, failure.output) == (FailureKind.TIMEOUT, "part")
    assert failure.message.endswith("exit status 28.; curl: (28) late")
    late = failure_of(TimeoutExpired(["./dump"], 5, output=b"half"))
    assert (late.kind, late.output) == (FailureKind.TIMEOUT, b"half")


@pytest.mark.parametrize("status", ["503", None, 7, True])
def test_what_is_no_status_says_nothing(status: object) -> None:
    assert failure_of(APIStatusError(status)).kind is FailureKind.ERROR


def test_the_type_of_an_exception_says_more_than_what_it_carries() -> None:
    error = TimeoutError("no answer")
    error.status_code = 404  # type: ignore[attr-defined]
    assert failure_of(error).kind is FailureKind.TIMEOUT


def test_an_exception_that_refuses_to_be_read_is_a_failure() -> None:
    class Hostile(Exception):  # noqa: N818 - the name says what it is for
        response = property(lambda self: 1 / 0)

        @property
        @override
        def __dict__(self) -> dict[str, object]:  # type: ignore[override]
            raise RuntimeError("do not touch")

    assert failure_of(Hostile("no")).message == "Hostile: no"


class _NewConnectionError(TimeoutError):
    """Stands for what urllib3 raises, whose ancestor is a timeout."""


_NewConnectionError.__name__ = "NewConnectionError"


class _WrappingError(Exception):
    """Stands for what client libraries put in the place of another exception."""

    def __init__(self, **held: object) -> None:
        """Hold it as an attribute."""
        super().__init__("it did not work")
        vars(self).update(held)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (URLError(ConnectionRefusedError(111, "refused")), FailureKind.UNAVAILABLE),
        (URLError(TimeoutError("timed out")), FailureKind.TIMEOUT),
        (URLError("unknown url type: htp"), FailureKind.ERROR),
        (_WrappingError(orig=TimeoutError()), FailureKind.TIMEOUT),
        (_WrappingError(reason=_NewConnectionError()), FailureKind.UNAVAILABLE),
        (socket.gaierror(-2, "no such name"), FailureKind.UNAVAILABLE),
        (_NewConnectionError(), FailureKind.UNAVAILABLE),
    ],
)
def test_an_exception_is_of_the_kind_of_what_it_stands_in_the_place_of(error: Exception, kind: FailureKind) -> None:
    failure = failure_of(error)
    assert (failure.kind, failure.retryable) == (kind, kind is not FailureKind.ERROR)


def test_a_group_says_what_its_exceptions_say_and_is_of_their_kind() -> None:
    """Field case E05: a task group wraps what a tool raised."""
    one = failure_of(
        ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("g", [TimeoutError("no pong")])])
    )
    assert (one.kind, one.retryable) == (FailureKind.TIMEOUT, True)
    assert one.message == "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception): TimeoutError: no pong"
    mixed = failure_of(ExceptionGroup("g", [ConnectionRefusedError("refused"), ValueError("bad row")]))
    assert mixed.kind is FailureKind.ERROR
    assert mixed.message.endswith("ConnectionRefusedError: refused; ValueError: bad row")
    many = failure_of(ExceptionGroup("g", [HTTPStatusError(429), *(HTTPStatusError(429) for _ in range(5_000))]))
    assert (many.kind, many.message.count("429")) == (FailureKind.RATE_LIMITED, 1)
