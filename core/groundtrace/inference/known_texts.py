"""Tables of known whole texts: each row has a name, the form of the text, and an example to check it by."""

import re
from collections.abc import Sequence
from typing import NamedTuple


class Known(NamedTuple):
    """One form of a whole text; `like` is an invented example of it."""

    name: str
    form: str
    like: str


class KnownTexts:
    """A table of forms, each matched against the whole of a text and never against a part of it, without case."""

    def __init__(self, rows: Sequence[Known], /) -> None:
        """Compile the rows, once and as one."""
        self.rows = tuple(rows)
        self._any = re.compile("|".join(f"(?:{row.form})" for row in rows), re.IGNORECASE)

    def knows(self, text: str, /) -> bool:
        """Tell whether one of the forms is the whole text."""
        return self._any.fullmatch(text) is not None

    def names_for(self, text: str, /) -> list[str]:
        """Return the names of all rows whose form is the whole text; for readers and tests."""
        return [row.name for row in self.rows if re.fullmatch(row.form, text, re.IGNORECASE)]
