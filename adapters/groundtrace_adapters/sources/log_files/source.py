"""Searches logs in files and folders, as a `LogSource`; needs no index and no server."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import Description, LogAnswer, LogQuery, SourceError
from groundtrace_adapters.sources.file_paths import FileList, list_files, name_some, short_names
from groundtrace_adapters.sources.log_files.budget import Budget, LogBounds
from groundtrace_adapters.sources.log_files.formats import LogFormat
from groundtrace_adapters.sources.log_files.line_counts import LineCounts
from groundtrace_adapters.sources.log_files.look import look_at
from groundtrace_adapters.sources.log_files.matching import Matcher, matcher_of
from groundtrace_adapters.sources.log_files.one_file import format_of, search_file
from groundtrace_adapters.sources.log_files.query_check import checked
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.log_files.selection import Selection


class FileLogSource:
    """Logs in the given files, and in all files below the given folders (hidden ones left out).

    `log_format` says how every file is written (None: recognised file by file); `zone` is the zone of times that show
    none. An entry without a time is in no window: a query with one leaves it out and tells how many match.
    """

    def __init__(
        self,
        paths: Iterable[Path | str],
        /,
        *,
        name: str = "logs",
        log_format: LogFormat | None = None,
        zone: tzinfo = UTC,
        bounds: LogBounds | None = None,
    ) -> None:
        self._paths = tuple(Path(path) for path in paths)
        self._name = name
        self._format = log_format
        self._zone = zone
        self._bounds = bounds or LogBounds()
        self._described: Description | None = None
        self._counts = LineCounts()

    async def search(self, query: LogQuery, /) -> Result[LogAnswer, SourceError]:
        """Return matching entries; reads in a thread of its own, which ends soon after a cancellation."""
        budget = Budget(bounds=self._bounds)
        try:
            return await asyncio.to_thread(self._search, query, budget)
        except asyncio.CancelledError:
            budget.cancel()
            raise

    async def describe(self) -> Result[Description, SourceError]:
        """Return fields, values and time span from a bounded look, which is kept until a file changes."""
        return await asyncio.to_thread(self._describe)

    def _search(self, query: LogQuery, budget: Budget) -> Result[LogAnswer, SourceError]:
        return checked(query).bind(matcher_of).bind(partial(self._search_all, query, budget))

    def _search_all(self, query: LogQuery, budget: Budget, matcher: Matcher | None) -> Result[LogAnswer, SourceError]:
        listed = list_files(self._paths, what="log")
        return listed.bind(lambda files: self._search_files(files, query, budget, matcher))

    def _search_files(
        self, listed: FileList, query: LogQuery, budget: Budget, matcher: Matcher | None
    ) -> Result[LogAnswer, SourceError]:
        selection = Selection(query=query)
        search = Search(query=query, matcher=matcher, budget=budget, taker=selection, counts=self._counts)
        unseen = list(listed.unseen) if listed.files else [*listed.unseen, "there are no log files"]
        unread: list[str] = []
        names = short_names(listed.files)
        for number, path in enumerate(listed.files):
            how = format_of(path, self._format)
            if isinstance(how, str):
                unread.append(f"{names[path]} ({how})")
                continue
            unseen += search_file(path, how, search, name=names[path], zone=self._zone)
            if stopped := budget.spent():
                unseen.append(f"{stopped}: {number:,} of {len(listed.files):,} files were read to their end")
                break
        if unread and len(unread) == len(listed.files):
            return result.Failure(_none_readable(unread))
        entries, left_out = selection.entries()
        return result.Success(
            LogAnswer(
                entries=entries,
                scanned_entries=search.scanned,
                scanned_bytes=budget.read,
                unseen=(*left_out, *unseen, *_unread(unread, len(listed.files))),
            )
        )

    def _describe(self) -> Result[Description, SourceError]:
        return list_files(self._paths, what="log").map(self._describe_files)

    def _describe_files(self, listed: FileList) -> Description:
        revision = _revision(listed.files)
        held = self._described
        if held is not None and held.revision == revision:
            return held
        formats = [(path, format_of(path, self._format)) for path in listed.files]
        readable = [(path, how) for path, how in formats if not isinstance(how, str)]
        unread = [f"{path.name} ({how})" for path, how in formats if isinstance(how, str)]
        unseen = (*listed.unseen, *_unread(unread, len(formats)))
        self._described = look_at(readable, name=self._name, revision=revision, zone=self._zone, unseen=unseen)
        return self._described


def _unread(names: Sequence[str], files: int) -> tuple[str, ...]:
    return (name_some(names, of=files),) if names else ()


def _none_readable(names: Sequence[str]) -> SourceError:
    words = name_some(names, of=len(names))
    return SourceError(kind=FailureKind.UNAVAILABLE, message=f"no log could be read: {words}")


def _revision(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue
        digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(errors="replace"))
    return digest.hexdigest()[:16]
