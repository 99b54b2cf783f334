"""The columns of an export: the same in every line, each of one type, so that any tool makes a table of the lines.

They are those of both kinds of records; where a record has no such column, it is null. A time is RFC 3339 in UTC with
microseconds. A column that holds JSON holds it as text.
"""

from collections.abc import Mapping
from dataclasses import Field, fields
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, get_args

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.upkeep import RecordKind


class ColumnType(StrEnum):
    """What a column holds, unless it is null."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    JSON = "json"


_JSON_TEXTS = frozenset({"input_params", "retrieval_details", "details", "evidence"})
_TYPES: Mapping[type, ColumnType] = MappingProxyType(
    {bool: ColumnType.FLAG, int: ColumnType.NUMBER, datetime: ColumnType.TIME}
)
_SCHEMAS: Mapping[ColumnType, Mapping[str, str]] = MappingProxyType(
    {
        ColumnType.TEXT: {"type": "string"},
        ColumnType.NUMBER: {"type": "integer"},
        ColumnType.FLAG: {"type": "boolean"},
        ColumnType.TIME: {"type": "string", "format": "date-time"},
        ColumnType.JSON: {"type": "string", "contentMediaType": "application/json"},
    }
)
_ALWAYS = ("record", "session_id", "id", "left_out")


def _type_of(column: "Field[Any]") -> ColumnType:
    kinds = {column.type, *get_args(column.type)}
    if column.name in _JSON_TEXTS or column.type == tuple[str, ...]:
        return ColumnType.JSON
    return next((word for kind, word in _TYPES.items() if kind in kinds), ColumnType.TEXT)


ROW_COLUMNS: Mapping[str, ColumnType] = MappingProxyType({one.name: _type_of(one) for one in fields(Invocation)})
EVALUATION_COLUMNS: Mapping[str, ColumnType] = MappingProxyType({one.name: _type_of(one) for one in fields(Evaluation)})
COLUMNS_OF: Mapping[RecordKind, Mapping[str, ColumnType]] = MappingProxyType(
    {RecordKind.INVOCATION: ROW_COLUMNS, RecordKind.EVALUATION: EVALUATION_COLUMNS}
)
COLUMNS: Mapping[str, ColumnType] = MappingProxyType(
    {"record": ColumnType.TEXT, **ROW_COLUMNS, **EVALUATION_COLUMNS, "left_out": ColumnType.FLAG}
)
"""Each column of a line, in its order. `record` says which kind a line tells of, `left_out` whether texts that were
withheld are left out of it."""


def export_schema() -> dict[str, object]:
    """Return the JSON Schema of a line, its columns in their order."""
    return {
        "title": "A line of `groundtrace store export`",
        "type": "object",
        "properties": {name: _schema_of(name) for name in COLUMNS},
        "required": list(COLUMNS),
        "additionalProperties": False,
    }


def _schema_of(name: str) -> dict[str, object]:
    schema = _SCHEMAS[COLUMNS[name]]
    kinds = [kind.value for kind in RecordKind if name in COLUMNS_OF[kind] or name in _ALWAYS]
    told = {
        "type": schema["type"] if name in _ALWAYS else [schema["type"], "null"],
        "description": f"of an {' and an '.join(kinds)}",
    }
    return {**schema, **told, **({"enum": [kind.value for kind in RecordKind]} if name == "record" else {})}
