"""Time series in files and folders, as a `MetricSource`; files are parsed once and kept until they change."""

import asyncio
import hashlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import Description, MetricAnswer, MetricQuery, SourceError
from groundtrace_adapters.sources.file_paths import FileList, list_files, name_some
from groundtrace_adapters.sources.metric_files.answer import MetricBounds, Plan, answer_to, plan_of
from groundtrace_adapters.sources.metric_files.description import described
from groundtrace_adapters.sources.metric_files.formats import MetricFormat, read_metrics
from groundtrace_adapters.sources.metric_files.track import ParsedFile, Track

HELD_POINTS = 8_000_000
"""The most points that are kept parsed (16 bytes each); files beyond are parsed anew for each query."""

_State = tuple[int, int]


class FileMetricSource:
    """Series in the given files, and in all files below the given folders (hidden ones left out).

    OpenMetrics, Prometheus text and CSV, each also under gzip, recognised file by file unless `metric_format` says.
    `zone` is the zone of times that show none. Labels have canonical names, in the files and in selectors.
    """

    def __init__(
        self,
        paths: Iterable[Path | str],
        /,
        *,
        name: str = "metrics",
        metric_format: MetricFormat | None = None,
        zone: tzinfo = UTC,
        bounds: MetricBounds | None = None,
    ) -> None:
        self._paths = tuple(Path(path) for path in paths)
        self._name = name
        self._format = metric_format
        self._zone = zone
        self._bounds = bounds or MetricBounds()
        self._parsed: dict[Path, tuple[_State, ParsedFile | str]] = {}
        self._lock = threading.Lock()

    async def query(self, query: MetricQuery, /) -> Result[MetricAnswer, SourceError]:
        """Return aggregated series; reads in a thread of its own."""
        return await asyncio.to_thread(self._query, query)

    async def describe(self) -> Result[Description, SourceError]:
        """Return metric names, label values and the time span of all files."""
        return await asyncio.to_thread(self._describe)

    def _query(self, query: MetricQuery) -> Result[MetricAnswer, SourceError]:
        return plan_of(query).bind(lambda plan: self._listed().bind(partial(self._answer, plan)))

    def _listed(self) -> Result[FileList, SourceError]:
        return list_files(self._paths, what="metric")

    def _answer(self, plan: Plan, listed: FileList) -> Result[MetricAnswer, SourceError]:
        tracks, unseen, unread = self._all(listed)
        if unread and len(unread) == len(listed.files):
            words = name_some(unread, of=len(listed.files))
            return result.Failure(
                SourceError(kind=FailureKind.UNAVAILABLE, message=f"no metrics could be read: {words}")
            )
        return answer_to(plan, tracks, bounds=self._bounds, unseen=unseen)

    def _describe(self) -> Result[Description, SourceError]:
        return self._listed().map(self._describe_files)

    def _describe_files(self, listed: FileList) -> Description:
        tracks, unseen, _ = self._all(listed)
        digest = hashlib.sha256()
        for path in listed.files:
            digest.update(f"{path}\0{_state(path)}\n".encode(errors="replace"))
        return described(tracks, name=self._name, revision=digest.hexdigest()[:16], unseen=unseen)

    def _all(self, listed: FileList) -> tuple[Sequence[Track], tuple[str, ...], Sequence[str]]:
        """Return all series, in words what was not seen, and the files that could not be read."""
        with self._lock:
            read = list(self._read(listed.files))
        unread = [f"{path.name} ({parsed})" for path, parsed in read if isinstance(parsed, str)]
        parsed = [one for _, one in read if isinstance(one, ParsedFile)]
        told = [words for one in parsed for words in one.unseen]
        if unread:
            told.append(name_some(unread, of=len(read)))
        if len(read) < len(listed.files):
            told.append(
                f"reading stopped after {self._bounds.seconds:g} s: {len(read):,} of {len(listed.files):,} files were"
                " read"
            )
        if not listed.files:
            told.append("there are no metric files")
        return [track for one in parsed for track in one.tracks], (*told, *listed.unseen), unread

    def _read(self, files: Sequence[Path]) -> Iterator[tuple[Path, ParsedFile | str]]:
        """Yield what the files hold, until the time is up."""
        end = time.monotonic() + self._bounds.seconds
        for path in files:
            if time.monotonic() >= end:
                return
            yield path, self._file(path)

    def _file(self, path: Path) -> ParsedFile | str:
        state = _state(path)
        held = self._parsed.get(path)
        if held is not None and held[0] == state:
            return held[1]
        self._parsed.pop(path, None)
        parsed = read_metrics(path, given=self._format, zone=self._zone)
        room = HELD_POINTS - sum(one.points for _, one in self._parsed.values() if isinstance(one, ParsedFile))
        if isinstance(parsed, str) or parsed.points <= room:
            self._parsed[path] = (state, parsed)
        return parsed


def _state(path: Path) -> _State:
    try:
        status = path.stat()
    except OSError:
        return (-1, -1)
    return (status.st_size, status.st_mtime_ns)
