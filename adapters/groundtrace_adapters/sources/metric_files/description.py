"""What series say of themselves: names, labels and their values, time span. Pure and bounded."""

from collections.abc import Iterable, Sequence

from groundtrace.sources import Description
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS
from groundtrace_adapters.sources.metric_files.track import Track
from groundtrace_adapters.sources.timestamps import from_micros

MOST_METRICS = 5_000
_MOST_VALUES = 200
_MOST_ENTITIES = 2_000
_MOST_LABELS = 40


def described(tracks: Sequence[Track], /, *, name: str, revision: str, unseen: Iterable[str] = ()) -> Description:
    """Return the description of series; labels with very many values are no entities unless their name says so."""
    values: dict[str, set[str]] = {}
    for track in tracks:
        for label, value in track.labels.items():
            values.setdefault(label, set()).add(value)
    entities = {
        label: tuple(sorted(known)[:_MOST_ENTITIES])
        for label, known in sorted(values.items(), key=lambda one: (one[0] not in ENTITY_FIELDS, one[0]))
        if label in ENTITY_FIELDS or len(known) <= _MOST_VALUES
    }
    metrics = sorted({track.name for track in tracks})
    return Description(
        name=name,
        entities=dict(sorted(list(entities.items())[:_MOST_LABELS])),
        metrics=tuple(metrics[:MOST_METRICS]),
        earliest=from_micros(min(track.times[0] for track in tracks)) if tracks else None,
        latest=from_micros(max(track.times[-1] for track in tracks)) if tracks else None,
        revision=revision,
        unseen=(*unseen, *_cut(values, metrics)),
    )


def _cut(values: dict[str, set[str]], metrics: Sequence[str]) -> Iterable[str]:
    if len(metrics) > MOST_METRICS:
        yield f"only {MOST_METRICS:,} of {len(metrics):,} metric names are listed"
    for label, known in sorted(values.items()):
        if label in ENTITY_FIELDS and len(known) > _MOST_ENTITIES:
            yield f"only {_MOST_ENTITIES:,} of {len(known):,} values of {label} are listed"
