"""An open transaction, as whoever runs statements in it sees it: no database and no connection here."""

from collections.abc import Mapping
from typing import Protocol

from groundtrace_adapters.stores.answer_rows import Answer


class Work(Protocol):
    """An open transaction."""

    @property
    def in_months(self) -> bool:
        """Tell whether calls lie in partitions by id, so that a statement which bounds the ids touches few of them."""
        return False

    def fetch(self, statement: str, parameters: Mapping[str, object], /) -> Answer:
        """Run one statement and return all its rows; it must be one that has an answer."""
