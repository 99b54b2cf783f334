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
_RELATIVE = r"(?:[\w.@-]{1,100}/){1,20}[\w.@-]{0,100}|[\w@-]{1,100}\.[a-z][a-z0-9]{1,7}(?:\.gz)?"
_ONE_PATH = re.compile(rf"[\"'`]?{_PATH}[\"'`]?")
_ANY_PATH = re.compile(rf"{_PATH}|{_RELATIVE}")
_PUT = (
    r"(?:saved|written|exported|stored|dumped|downloaded|logged|uploaded|available|spilled|cached|persisted|offloaded)"
)
_SAVED = re.compile(
    rf"(?:[^\n]{{1,200}}[.:;] )?(?:[\w ,()-]{{1,80}} )?{_PUT}(?: (?!to\b|in\b|at\b|as\b|under\b"
    rf"|into\b)[\w-]{{1,30}}){{0,4}}"
    r" (?:to|in|at|as|under|into)(?: (?:the |a )?(?:local )?(?:file|folder|directory|path|artifact))?:?"
    rf" [\"'`]?(?:{_PATH}|{_RELATIVE})[\"'`]?(?: \([^\n()]{{1,60}}\))?\.?",
    re.IGNORECASE,
)
_LONGEST = 600

WRITING_WORDS = frozenset(
    "write save export create edit upload put store update append copy move mkdir touch render plot draw".split()
)
_ASKED_TO_WRITE = WRITING_WORDS - {"export", "store"}

QUERY = frozenset(
    "query expr start end step time timeout start_time end_time from to since until range interval limit tool_name tool"
    " description random_key output_type namespace datasource name type unit title version schema_version".split()
)
"""Members that tell what was asked for; the names of data are not among them."""

FINE = frozenset({"success", "ok", "completed", "done"})
NO_ERROR = ("error", "error_message", "message", "warnings", "params")

PATH_NAMES = frozenset(
    "path file filename filepath file_path url output_path output_file location saved_to download_url result_url"
    " artifact artifact_path s3_uri gcs_uri uri key log_file report_path data_path csv_path export_path".split()
)
"""Members whose value may be the place of the data."""

BESIDE_A_PATH = frozenset(
    "expires expires_at status success ok message msg size bytes size_bytes format content_type mime_type encoding"
    " error truncated rows row_count count lines tool created_at bucket type note".split()
)
WAITING = frozenset("pending running queued submitted accepted started in_progress processing scheduled".split())


def points_elsewhere(text: str, form: JsonValue, call: Call, /) -> bool:
    """Tell whether a whole answer is one path or address, says where it was put, or that it is yet to come."""
    plain = text.strip()
    if not plain or len(plain) > _LONGEST or call.names_paths or call.words & _ASKED_TO_WRITE:
        return False
    if isinstance(form, dict):
        return _is_place(form) or _is_yet_to_come(form)
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


def _is_place(form: dict[str, JsonValue]) -> bool:
    """Tell whether an object holds the place of the data, and beside it only how it was put there."""
    names = {name.lower() for name in form}
    places = [item for name, item in form.items() if name.lower() in PATH_NAMES]
    return bool(places) and names <= PATH_NAMES | BESIDE_A_PATH and all(_is_path(item) for item in places)


def _is_path(item: JsonValue) -> bool:
    return isinstance(item, str) and _ANY_PATH.fullmatch(item.strip()) is not None


def _is_yet_to_come(form: dict[str, JsonValue]) -> bool:
    """Tell whether an object is the id of a job that has not ended, and nothing else."""
    status = next((form[name] for name in ("status", "state") if name in form), None)
    if not isinstance(status, str) or status.casefold().replace(" ", "_") not in WAITING:
        return False
    rest = [name.lower() for name in form if name not in ("status", "state", "message")]
    return bool(rest) and all(name.endswith("id") for name in rest)
