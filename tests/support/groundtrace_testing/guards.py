"""Guards over a running test, on one audit hook: no network without the mark `server`, and nothing at all for the core.

An audit hook sees what the interpreter does and not what a C library does on its own, such as libpq; CI therefore
runs the same tests once more where there is no network (`.ci/run`).
"""

from __future__ import annotations

import sys
import zoneinfo
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Rule = Callable[[str, tuple[object, ...]], str | None]
"""What an audit event breaks, in words, or None."""

_INTERNET = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"})
_NAMES = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"})

_WORLD = ("open", "os.", "shutil.", "socket.", "sqlite3.", "subprocess.", "tempfile.", "urllib.", "webbrowser.")
_HARMLESS = frozenset({"os.putenv", "os.unsetenv"})
# They read files for reasons of their own: sources for a report, tables of characters, plugins.
_TRUSTED = frozenset({"_hypothesis_pytestplugin", "_pytest", "hypothesis", "pluggy", "pydantic", "pytest"})
_TRUSTED_OF_THE_LIBRARY = frozenset({"importlib", "linecache"})


class TouchedTheWorldError(AssertionError):
    """A test did what it may not do."""


_rules: list[Rule] = []
_complaints: list[str] = []


@contextmanager
def forbidding(rule: Rule, /) -> Iterator[None]:
    """Raise TouchedTheWorldError at each event that breaks the rule, and once more at the end if that was swallowed."""
    _rules.append(rule)
    try:
        yield
    finally:
        _rules.remove(rule)
        complaints = tuple(_complaints)
        _complaints.clear()
    if complaints:
        raise TouchedTheWorldError("; ".join(complaints))


def network(event: str, arguments: tuple[object, ...], /) -> str | None:
    """No internet socket and no name look-up; loopback is no exception, sockets in the file system are."""
    if event in _NAMES:
        return f"{event}{arguments[:2]}: a test without the mark `server` uses no network"
    if event in _INTERNET and isinstance(arguments[1], tuple):
        return f"{event} {arguments[1]}: a test without the mark `server` uses no network"
    return None


def world(event: str, arguments: tuple[object, ...], /) -> str | None:
    """Nothing beyond values: no file, socket, database or process, unless a trusted library does it for itself."""
    if event in _HARMLESS or not event.startswith(_WORLD):
        return None
    # A test may name a zone; the core cannot, since `zoneinfo` is not on its allow-list.
    if event == "open" and str(arguments[0]).startswith(zoneinfo.TZPATH):
        return None
    if _is_trusted(sys._getframe(1)):
        return None
    return f"{event} {arguments[:1]}: the core and its unit tests touch nothing; read files in a fixture or at import"


def _is_trusted(frame: FrameType | None) -> bool:
    """The one to blame is the innermost frame outside the standard library."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if name in _TRUSTED | _TRUSTED_OF_THE_LIBRARY or frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        if name not in sys.stdlib_module_names and name != __name__.partition(".")[0]:
            return False
        frame = frame.f_back
    return False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    for rule in _rules:
        complaint = rule(event, arguments)
        if complaint is not None:
            _complaints.append(complaint)
            raise TouchedTheWorldError(complaint)


sys.addaudithook(_watch)
