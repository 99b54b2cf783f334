"""A tool result below its headers, as HolmesGPT keeps one in a file: what was called, how it ended, what came back."""

from collections.abc import Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.pieces import Piece, Unread, value_in

_NAMES = ("toolset_name", "tool_name")
_STATUS = '{"schema_version"'
TORN = "the header that says how the call ended is torn"


def is_header(value: JsonValue, /) -> bool:
    """Tell whether the first line of a file names a call whose result stands below it."""
    return isinstance(value, dict) and all(name in value for name in _NAMES) and "result" not in value


def headed(text: str, /, *, folder: str, file: str) -> Iterator[Piece] | None:
    """Yield a whole file as one record, with the folder that its session lies in; None if it is no such file.

    What stands under `body` is the result as it came; without it the file ends before one.
    """
    first, _, rest = text.partition("\n")
    named = value_in(first).value_or(None)
    second, _, body = rest.partition("\n")
    ended = value_in(second).value_or(None)
    if not isinstance(named, dict) or (isinstance(ended, dict) and _NAMES[0] in ended):
        return None
    return _pieces({**named, "folder": folder, "file": file}, rest, second, ended, body)


def _pieces(call: dict[str, JsonValue], rest: str, second: str, ended: JsonValue, body: str) -> Iterator[Piece]:
    if isinstance(ended, dict) and ("status" in ended or "schema_version" in ended):
        call |= {"result": ended, "body": body}
    elif second.startswith(_STATUS):
        yield Unread(place="line 2", line=2, why=TORN)
    elif rest:
        call["body"] = rest
    yield Record(place="", value=call)
