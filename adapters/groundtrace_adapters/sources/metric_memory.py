"""Series held in memory, as a `MetricSource`: for tests, and for programs whose series are values already."""

from array import array
from collections.abc import Iterable

from returns import result
from returns.result import Result

from groundtrace.sources import Description, MetricAnswer, MetricQuery, Series, SourceError
from groundtrace_adapters.sources.field_names import canonical_fields
from groundtrace_adapters.sources.metric_files.answer import MetricBounds, answer_to, plan_of
from groundtrace_adapters.sources.metric_files.description import described
from groundtrace_adapters.sources.metric_files.track import Track
from groundtrace_adapters.sources.timestamps import epoch_micros


class MemoryMetricSource:
    """The given series, whose points are in time order.

    `unseen` is told with every answer; a `broken` source answers everything with that error.
    """

    def __init__(
        self,
        series: Iterable[Series] = (),
        /,
        *,
        name: str = "metrics",
        unseen: tuple[str, ...] = (),
        bounds: MetricBounds | None = None,
        broken: SourceError | None = None,
    ) -> None:
        self._tracks = tuple(_track(one) for one in series if one.points)
        self._name = name
        self._unseen = unseen
        self._bounds = bounds or MetricBounds()
        self._broken = broken

    async def query(self, query: MetricQuery, /) -> Result[MetricAnswer, SourceError]:
        """Return aggregated series."""
        if self._broken is not None:
            return result.Failure(self._broken)
        return plan_of(query).bind(lambda plan: answer_to(plan, self._tracks, bounds=self._bounds, unseen=self._unseen))

    async def describe(self) -> Result[Description, SourceError]:
        """Return names, label values and the time span of all series."""
        if self._broken is not None:
            return result.Failure(self._broken)
        revision = str(sum(len(track.times) for track in self._tracks))
        return result.Success(described(self._tracks, name=self._name, revision=revision, unseen=self._unseen))


def _track(series: Series) -> Track:
    return Track(
        name=series.name,
        labels=canonical_fields(series.labels),
        unit=series.unit,
        times=array("q", (epoch_micros(at) for at, _ in series.points)),
        values=array("d", (value for _, value in series.points)),
    )
