"""One record of a JSON lines or CSV log as an entry: which of its fields is the time, which the text, what is left.

Pure. A text that is itself a JSON object (as container runtimes and collectors write it) is opened once; the time of
the outer record decides.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from groundtrace.text import clean
from groundtrace_adapters.sources.log_files.entry_fields import fields_of_record
from groundtrace_adapters.sources.log_files.formats import TEXT_FIELDS, TIME_FIELDS, LogFormat, pick
from groundtrace_adapters.sources.timestamps import Clockwork, read_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record before its text and fields are worked out; `inner` is the object that its text holds, if any."""

    row: Mapping[str, object]
    at: datetime | None
    text: str
    inner: Mapping[str, object]
    used: tuple[str | None, ...]

    def fields(self) -> dict[str, str]:
        """Return what the record names beside time and text; the outer record wins over the inner one."""
        inner = fields_of_record(self.inner, without=self.used)
        return {**inner, **fields_of_record(self.row, without=self.used)}


def record_of(row: Mapping[str, object], how: LogFormat, clockwork: Clockwork, /, *, raw: str) -> Record:
    """Return a record's time and text; `raw` is its text where no field holds one."""
    time_field = how.time_field or pick(list(row), TIME_FIELDS)
    text_field = how.text_field or pick(list(row), TEXT_FIELDS)
    at = None if time_field is None else read_time(row.get(time_field), clockwork)
    named = text_field is not None and text_field in row
    text = _words(row[text_field]) if text_field is not None and named else raw
    inner = object_of(text) if named else None
    if inner is None:
        return Record(row=row, at=at, text=_ended(text), inner={}, used=(time_field, text_field))
    inner_text, inner_time = pick(list(inner), TEXT_FIELDS), pick(list(inner), TIME_FIELDS)
    if at is None and inner_time is not None:
        at = read_time(inner[inner_time], clockwork)
    if inner_text is not None:
        text = _words(inner[inner_text])
    used = (time_field, text_field, inner_text, inner_time)
    return Record(row=row, at=at, text=_ended(text), inner=inner, used=used)


def object_of(text: str | bytes, /) -> Mapping[str, object] | None:
    """Return the JSON object that a whole text is, None if it is none; total."""
    if text[:64].lstrip()[:1] not in ("{", b"{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _words(value: object) -> str:
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _ended(text: str) -> str:
    return text.rstrip("\r\n")
