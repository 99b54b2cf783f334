"""What the exit code of a command says: tables for commands whose code other than 0 is an answer, and for signals."""

from enum import Enum, auto
from typing import NamedTuple

from groundtrace.outcomes import FailureKind


class Meaning(Enum):
    """What a code other than 0 says of a command that did its work."""

    NOTHING = auto()
    """It looked, and found nothing."""
    DATA = auto()
    """It looked, and what it found is in its output: they differ, tests fail, a unit is inactive."""
    ANSWER = auto()
    """The code itself is the answer: no."""
    PART = auto()
    """It could not see all; what it saw is in its output."""


class Broken(NamedTuple):
    """How a command broke, in a word and in words; `retryable` None leaves it to the kind."""

    kind: FailureKind
    words: str
    retryable: bool | None = None


_SEARCHES = "grep egrep fgrep zgrep rg ag ack pgrep pidof locate which type command lsof fuser whereis"
_COMPARISONS = "diff cmp colordiff sdiff zdiff diff3 wdiff"
_CHECKS = "pytest mypy ruff flake8 eslint shellcheck yamllint hadolint tflint bandit black prettier"

MEANINGS: dict[str, dict[int, Meaning]] = {
    **{name: {1: Meaning.NOTHING} for name in _SEARCHES.split()},
    **{name: {1: Meaning.NOTHING, 2: Meaning.PART} for name in ("grep", "egrep", "fgrep", "zgrep", "rg")},
    **{name: {1: Meaning.DATA} for name in (*_COMPARISONS.split(), *_CHECKS.split())},
    "pytest": {1: Meaning.DATA, 5: Meaning.NOTHING},
    "find": {1: Meaning.PART},
    "ls": {1: Meaning.PART, 2: Meaning.PART},
    "du": {1: Meaning.PART},
    "getent": {2: Meaning.NOTHING},
    "expr": {1: Meaning.DATA},
    "test": {1: Meaning.ANSWER},
    "[": {1: Meaning.ANSWER},
    "[[": {1: Meaning.ANSWER},
    "ping": {1: Meaning.DATA},
    "nc": {1: Meaning.ANSWER},
    "pg_isready": {1: Meaning.DATA, 2: Meaning.DATA},
    "git diff": {1: Meaning.DATA},
    "git grep": {1: Meaning.NOTHING},
    "git config": {1: Meaning.NOTHING},
    "git show-ref": {1: Meaning.NOTHING},
    "git ls-remote": {2: Meaning.NOTHING},
    "git merge-base": {1: Meaning.ANSWER},
    "kubectl diff": {1: Meaning.DATA},
    "oc diff": {1: Meaning.DATA},
    "helm diff": {2: Meaning.DATA},
    "terraform plan": {2: Meaning.DATA},
    "tofu plan": {2: Meaning.DATA},
    "systemctl is-active": {3: Meaning.DATA, 4: Meaning.DATA},
    "systemctl is-enabled": {1: Meaning.DATA, 4: Meaning.DATA},
    "systemctl is-failed": {1: Meaning.DATA},
    "systemctl status": {3: Meaning.DATA, 4: Meaning.NOTHING},
    "npm audit": {1: Meaning.DATA},
    "npm outdated": {1: Meaning.DATA},
    "ruff check": {1: Meaning.DATA},
}
"""Commands by name, or by name and first word, with the codes that are answers; any other code but 0 is a failure."""

_AWAY = (FailureKind.UNAVAILABLE, "its server could not be reached")
_LATE = (FailureKind.TIMEOUT, "it timed out")

_BROKEN: dict[tuple[str, int], Broken] = {
    **{("curl", code): Broken(*_AWAY) for code in (5, 6, 7, 35, 52, 56)},
    ("curl", 28): Broken(*_LATE),
    ("curl", 67): Broken(FailureKind.DENIED, "the log-in was refused"),
    ("wget", 4): Broken(*_AWAY),
    ("wget", 6): Broken(FailureKind.DENIED, "the log-in was refused"),
    ("ssh", 255): Broken(*_AWAY),
    ("psql", 2): Broken(*_AWAY),
}
_ANY: dict[int, Broken] = {
    124: Broken(*_LATE),
    126: Broken(FailureKind.DENIED, "it may not be executed", retryable=False),
    127: Broken(FailureKind.UNAVAILABLE, "the command was not found", retryable=False),
}
_SIGNALS = {
    1: ("SIGHUP", FailureKind.CANCELLED),
    2: ("SIGINT", FailureKind.CANCELLED),
    3: ("SIGQUIT", FailureKind.CANCELLED),
    4: ("SIGILL", FailureKind.ERROR),
    6: ("SIGABRT", FailureKind.ERROR),
    7: ("SIGBUS", FailureKind.ERROR),
    8: ("SIGFPE", FailureKind.ERROR),
    9: ("SIGKILL", FailureKind.ERROR),
    11: ("SIGSEGV", FailureKind.ERROR),
    13: ("SIGPIPE", FailureKind.ERROR),
    14: ("SIGALRM", FailureKind.TIMEOUT),
    15: ("SIGTERM", FailureKind.CANCELLED),
    24: ("SIGXCPU", FailureKind.TIMEOUT),
}
_SHELL_SIGNALS = 128


def how_broken(name: str, code: int, /, *, under_deadline: bool = False) -> Broken:
    """Return how a command broke that ended with this code; a negative one, and 128 and more, is a signal's.

    `under_deadline`: it ran under `timeout`, so a kill is that one's.
    """
    known = _BROKEN.get((name, code)) or _ANY.get(code)
    if known is not None:
        return known
    number = -code if code < 0 else code - _SHELL_SIGNALS
    if number <= 0 or (code > 0 and number not in _SIGNALS):
        return Broken(FailureKind.ERROR, "")
    word, kind = _SIGNALS.get(number, (f"signal {number}", FailureKind.ERROR))
    if under_deadline and word in ("SIGKILL", "SIGTERM"):
        return Broken(FailureKind.TIMEOUT, f"it timed out, and was ended by {word}")
    why = " (by hand, or for want of memory)" if word == "SIGKILL" else ""
    return Broken(kind, f"it was ended by {word}{why}")
