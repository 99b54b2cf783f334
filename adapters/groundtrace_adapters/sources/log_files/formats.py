"""How a log file is written: plain text, JSON lines or CSV, recognised by its name and first lines."""

import csv
import json
from dataclasses import dataclass
from enum import StrEnum

from groundtrace_adapters.sources.file_blocks import is_binary
from groundtrace_adapters.sources.timestamps import starts_with_time

TIME_FIELDS = (
    "timestamp",
    "time",
    "@timestamp",
    "ts",
    "datetime",
    "date",
    "eventtime",
    "event_time",
    "timeunixnano",
    "time_unix_nano",
    "t",
    "at",
)
TEXT_FIELDS = ("log", "message", "msg", "text", "body", "line", "event", "raw")
"""Names under which entries keep time and text, the likeliest first; case does not count."""

HEAD_BYTES = 64 * 1024
_SAMPLE_LINES = 20
_JSON_NAMES = (".jsonl", ".ndjson")


class LogKind(StrEnum):
    """How entries follow each other in a file."""

    PLAIN = "plain"
    JSON_LINES = "json_lines"
    CSV = "csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """One file's format. `time_field` and `text_field` name the fields of JSON lines and CSV (None: recognised).

    `stamped` tells of plain text whether its entries begin with a time: then every line without one belongs to the
    entry above it.
    """

    kind: LogKind
    time_field: str | None = None
    text_field: str | None = None
    delimiter: str = ","
    stamped: bool = False


def recognise(name: str, head: bytes, /, *, given: LogFormat | None = None) -> LogFormat | str:
    """Return the format of a file by its name and first bytes, or in words why its entries cannot be told.

    A `given` format decides; only whether plain text is stamped is still read from the head.
    """
    problem = _unreadable(head)
    if problem:
        return problem
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    if given is None:
        given = _guess(name.casefold().removesuffix(".gz"), lines)
    match given.kind:
        case LogKind.PLAIN:
            return LogFormat(kind=LogKind.PLAIN, stamped=any(starts_with_time(line, 0) for line in lines[:200]))
        case LogKind.CSV:
            return _columns(given, lines)
        case LogKind.JSON_LINES:
            return given


def pick(names: list[str], wanted: tuple[str, ...], /) -> str | None:
    """Return the first of the wanted names that is there, as it is spelled there; case does not count."""
    spelled = {name.casefold(): name for name in reversed(names)}
    return next((spelled[name] for name in wanted if name in spelled), None)


def header(line: bytes, delimiter: str, /) -> list[str]:
    """Return the column names of a CSV header."""
    return next(csv.reader([line.decode(errors="replace")], delimiter=delimiter), [])


def _guess(name: str, lines: list[bytes]) -> LogFormat:
    if name.endswith((".csv", ".tsv")):
        return LogFormat(kind=LogKind.CSV, delimiter="\t" if name.endswith(".tsv") else ",")
    sample = [line for line in lines if line.strip()][:_SAMPLE_LINES]
    objects = sum(_is_object(line) for line in sample)
    is_json = name.endswith(_JSON_NAMES) or (objects > 0 and 2 * objects >= len(sample))
    return LogFormat(kind=LogKind.JSON_LINES if is_json else LogKind.PLAIN)


def _is_object(line: bytes) -> bool:
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _columns(given: LogFormat, lines: list[bytes]) -> LogFormat | str:
    names = header(lines[0], given.delimiter) if lines else []
    text = given.text_field or pick(names, TEXT_FIELDS)
    time = given.time_field or pick(names, TIME_FIELDS)
    if lines and text not in names:
        wanted = f"no column {text!r}" if text else f"none of the columns {', '.join(TEXT_FIELDS)}"
        return f"it has {wanted}: name the column that holds the entries with text_field"
    if time is not None and lines and time not in names:
        return f"it has no column {time!r}: name the column that holds the times with time_field"
    return LogFormat(kind=LogKind.CSV, time_field=time, text_field=text, delimiter=given.delimiter)


def _unreadable(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16: convert it to UTF-8"
    return "it is no text" if is_binary(head) else ""
