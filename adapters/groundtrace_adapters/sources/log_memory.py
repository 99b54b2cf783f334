"""Logs held in memory, as a `LogSource`: for tests, and for programs whose log entries are values already."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from returns import result
from returns.result import Result

from groundtrace.sources import Description, LogAnswer, LogEntry, LogQuery, SourceError
from groundtrace_adapters.sources.field_names import canonical_fields
from groundtrace_adapters.sources.log_files.budget import Budget, LogBounds
from groundtrace_adapters.sources.log_files.look import Look
from groundtrace_adapters.sources.log_files.matching import Matcher, matcher_of
from groundtrace_adapters.sources.log_files.query_check import checked
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.log_files.selection import Selection


class MemoryLogSource:
    """The given entries; a pattern is looked for in an entry's text and in the values of its fields.

    `unseen` is told with every answer; a `broken` source answers everything with that error.
    """

    def __init__(
        self,
        entries: Iterable[LogEntry] = (),
        /,
        *,
        name: str = "logs",
        unseen: tuple[str, ...] = (),
        broken: SourceError | None = None,
    ) -> None:
        self._entries = tuple(replace(entry, fields=canonical_fields(entry.fields)) for entry in entries)
        self._name = name
        self._unseen = unseen
        self._broken = broken

    async def search(self, query: LogQuery, /) -> Result[LogAnswer, SourceError]:
        """Return matching entries."""
        if self._broken is not None:
            return result.Failure(self._broken)
        return checked(query).bind(matcher_of).map(lambda matcher: self._search(query, matcher))

    async def describe(self) -> Result[Description, SourceError]:
        """Return the fields, their values and the time span of all entries."""
        if self._broken is not None:
            return result.Failure(self._broken)
        look = Look()
        for entry in self._entries:
            look.note(entry)
        entities, cut = look.entities()
        return result.Success(
            Description(
                name=self._name,
                entities=entities,
                earliest=look.earliest,
                latest=look.latest,
                revision=str(len(self._entries)),
                unseen=(*self._unseen, *cut),
            )
        )

    def _search(self, query: LogQuery, matcher: Matcher | None) -> LogAnswer:
        selection = Selection(query=query)
        search = Search(query=query, matcher=matcher, budget=Budget(bounds=LogBounds()), taker=selection)
        size = 0
        for entry in self._entries:
            size += len(entry.text)
            place = search.place(entry.text, entry.fields)
            if place is not None and search.has_fields(entry.fields):
                data = entry.text.encode(errors="replace")
                search.take(
                    entry.at, data, place, origin=partial(str, entry.origin), fields=partial(dict, entry.fields)
                )
        entries, left_out = selection.entries()
        return LogAnswer(
            entries=entries,
            scanned_entries=len(self._entries),
            scanned_bytes=size,
            unseen=(*left_out, *self._unseen),
        )
