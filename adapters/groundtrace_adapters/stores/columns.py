"""What the columns of our tables hold: the kind of each decides how its values are written, its reader how they are
read; no rows and no SQL here.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto, unique

from groundtrace_adapters.stores.plain_values import (
    Reader,
    as_flag,
    as_integer,
    as_json,
    as_text,
    as_time,
    as_words,
    optional,
)


@unique
class Kind(Enum):
    """What a column holds.

    A `NAME` is a short text that many rows share, a `WORD` one of an enumeration of ours; `WORDS` are texts in a JSON
    array.
    """

    TEXT = auto()
    NAME = auto()
    WORD = auto()
    NUMBER = auto()
    FLAG = auto()
    TIME = auto()
    JSON = auto()
    WORDS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what it holds, and the reader of its values."""

    kind: Kind
    read: Reader


TEXT = Column(kind=Kind.TEXT, read=as_text)
NAME = Column(kind=Kind.NAME, read=as_text)
NUMBER = Column(kind=Kind.NUMBER, read=as_integer)
FLAG = Column(kind=Kind.FLAG, read=as_flag)
TIME = Column(kind=Kind.TIME, read=as_time)
JSON = Column(kind=Kind.JSON, read=as_json)
WORDS = Column(kind=Kind.WORDS, read=as_words)


def word(words: type[Enum], /) -> Column:
    """Return a column that holds one of our words."""
    return Column(kind=Kind.WORD, read=words)


def nullable(column: Column, /) -> Column:
    """Return a column that may hold NULL, too."""
    return replace(column, read=optional(column.read))
