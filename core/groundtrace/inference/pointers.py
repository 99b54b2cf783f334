"""Answers that only say where the data is, or what was asked: a path in place of a file, a query without its points."""

import re

from groundtrace.inference.call import Call
from groundtrace.json_text import JsonValue

ONLY_A_PATH = "the output only names where the data is, and the data was not returned"
ONLY_THE_QUERY = "the output only repeats the query, and no data point was returned"

_PATH = (
    r"(?:[a-z][a-z0-9+.-]{1,12}://[^\s\"'<>]+|(?:[A-Za-z]:)?(?:[/\\][^\s/\\:*?\"<>|]+){2,}[/\\]?"
    r"|~(?:/[^\s/]+)+/?|\.{1,2}(?:/[^\s/]+)+)"
)
_ONE_PATH = re.compile(rf"[\"'`]?{_PATH}[\"'`]?")
_SAVED = re.compile(
    r"(?:[\w ]{1,60} )?(?:saved|written|exported|stored|dumped|downloaded|logged|uploaded|available)"
    r"(?: (?:successfully|locally))? (?:to|in|at|as|under|into)(?: (?:the )?(?:file|folder|directory|path))?:?"
    rf" [\"'`]?{_PATH}[\"'`]?\.?",
    re.IGNORECASE,
)
_LONGEST = 600

WRITING_WORDS = frozenset(
    "write save export create edit upload put store download update append copy move mkdir touch".split()
)

QUERY = frozenset(
    "query expr start end step time timeout start_time end_time from to since until range interval limit tool_name tool"
    " description random_key output_type namespace datasource name type unit title version schema_version".split()
)
"""Members that tell what was asked for; the names of data are not among them."""

FINE = frozenset({"success", "ok", "completed", "done"})
NO_ERROR = ("error", "error_message", "message", "warnings", "params")


def points_elsewhere(text: str, call: Call, /) -> bool:
    """Tell whether a whole text is one path or address, or says where the answer was put."""
    plain = text.strip()
    if not plain or len(plain) > _LONGEST or call.names_paths or call.words & WRITING_WORDS:
        return False
    return _ONE_PATH.fullmatch(plain) is not None or _SAVED.fullmatch(plain) is not None


def repeats_the_query(form: JsonValue, /) -> bool:
    """Tell whether an object says that a query went well and holds, beside that, only what was asked."""
    if not isinstance(form, dict) or form.get("status") not in FINE:
        return False
    rest = {name: item for name, item in form.items() if name != "status"}
    asked = [name for name in rest if name in ("query", "expr", "start", "end", "start_time", "end_time")]
    return bool(asked) and all(_is_asked(name, item) for name, item in rest.items())


def _is_asked(name: str, item: JsonValue) -> bool:
    return not item if name in NO_ERROR else name in QUERY and not isinstance(item, list | dict)
