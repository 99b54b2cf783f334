"""The flags of a command once more, as words for the next command: the same source, the same store, the same session.

Settings from the environment and from `groundtrace.toml` hold for the next command by themselves.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from groundtrace.next_steps import Options
from groundtrace_app.cli.opening import Flags

TOOL_FLAGS: Mapping[str, str] = {
    "lookup_knowledge": "knowledge",
    "query_logs": "logs",
    "query_metrics": "metrics",
}
"""Which flag names the source of which tool."""

_PASSWORD_FIELD = re.compile(r"(?<=[?&])(?:ssl)?password=[^&]*&?")


def options_for(flags: Flags, config: Path | None, session: str, /) -> Options:
    """Return by tool the words that its next call needs, not quoted."""
    place = (*place_words(flags, config), "--session", session)
    return {tool: (*_words(flag, flags.get(flag)), *place) for tool, flag in TOOL_FLAGS.items()}


def place_words(flags: Flags, config: Path | None, /) -> tuple[str, ...]:
    """Return the words that name the trace; a password stays out, which the driver then asks of its own places."""
    store = flags.get("store")
    shown = None if store is None else without_password(str(store))
    return (*_words("store", shown), *_words("config", config))


def command_words(name: str, place: Iterable[str], session: str, /) -> str:
    """Return the command that reads a session; an id that begins with a dash is no flag."""
    dashes = ("--",) if session.startswith("-") else ()
    return shlex.join(["groundtrace", name, *place, *dashes, session])


def without_password(url: str, /) -> str:
    """Return a store's address as it may be shown: without the password of a PostgreSQL address."""
    scheme, mark, rest = url.partition("://")
    if scheme.partition("+")[0] not in {"postgresql", "postgres"} or not mark:
        return url
    user, at, place = _PASSWORD_FIELD.sub("", rest).rstrip("?&").rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{place}"


def _words(flag: str, value: object) -> Iterator[str]:
    for one in value if isinstance(value, list | tuple) else (value,):
        if one is not None:
            yield from (f"--{flag}", str(one))
