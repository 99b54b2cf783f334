"""What a database is for a store over SQL: connections, transactions, and its errors as values."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from returns.result import Result

from groundtrace.ports import Fate, StoreError
from groundtrace_adapters.stores.record_codec import Record, RecordCodec
from groundtrace_adapters.stores.sql_text import Dialect
from groundtrace_adapters.stores.work import Work

Given = TypeVar("Given")


class Engine(Protocol):
    """A database that can be asked: opens itself at first use, comes back by itself, and never waits without end."""

    @property
    def dialect(self) -> Dialect:
        """Return how the database writes what differs."""

    def read(
        self, operation: str, work: Callable[[Work], Given], /, *, bounded: bool = False
    ) -> Result[Given, StoreError]:
        """Run `work` over one unchanging view of the data.

        `bounded` says that its statements bound the ids of one session by parameters: where calls lie in partitions,
        such a statement is planned once for all bounds, and not for each anew.
        """

    def write(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        """Run `work` in one transaction, durable when this returns a success; kept whole or not at all."""

    def keep(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record], /
    ) -> Result[tuple[Fate, ...], StoreError]:
        """Keep records, at least one, as the ports say of `append`: all in one transaction, a fate for each."""

    def close(self) -> None:
        """Let go of everything held; a later call is refused as `unavailable`."""
