"""Which series a question calls for: metrics whose names speak of the asked trouble, and an earlier stretch."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

from groundtrace.material import time_text
from groundtrace.sources import Description
from groundtrace_adapters.models.rules.asking import Shape, shapes_of
from groundtrace_adapters.models.rules.entities import Mention, base_name
from groundtrace_adapters.models.rules.looking import BASELINE, Looking
from groundtrace_adapters.models.rules.moments import Window
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SYMPTOMS, VITAL, fits, kinds_of, name_words
from groundtrace_adapters.models.rules.words import stem
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

STEPS = 2_000
"""A step is short enough that each point stands alone, unless the stretch is longer than this many seconds."""

FINE_STEPS = 10_000
"""The same where an extreme or a mean is asked for, which need every stored point."""

MOST = 6
"""The most calls of one step. Without a named thing each kind of trouble is a call, so that none is cut."""

_ASKED, _UNASKED = 6, 3
_Params = Mapping[str, object]


def metric_calls(subject: Subject, where: Looking, source: Description, /) -> tuple[_Params, ...]:
    """Return parameters of query_metrics, one call a thing and stretch."""
    groups = tuple(group for group in _groups(subject, source) if group)
    targets = tuple(dict.fromkeys(_targets(subject.names, source)))
    if targets:
        groups = (tuple(dict.fromkeys(metric for group in groups for metric in group)),) if groups else ()
    windows = where.windows or (None,)
    steps = FINE_STEPS if shapes_of(subject) & {Shape.MEAN, Shape.EXTREME} else STEPS
    calls = [
        _call(f"{{{_any_of(group)}{target}}}", window, steps=steps)
        for target in targets or ("",)
        for group in groups
        for window in windows
    ]
    return tuple(calls[:MOST])


def _any_of(metrics: Iterable[str]) -> str:
    return f"__name__=~{_string('|'.join(re.escape(metric) for metric in metrics))}"


def _call(selector: str, window: Window | None, *, steps: int) -> _Params:
    if window is None:
        return {"selector": selector}
    start, end = window.start - BASELINE, window.end - timedelta(milliseconds=1)
    step = max(1, round((end - start).total_seconds() / steps))
    return {"selector": selector, "start": time_text(start), "end": time_text(end), "step": step, "aggregate": "last"}


def _groups(subject: Subject, source: Description) -> Iterator[tuple[str, ...]]:
    """Yield the named metrics, then the best of each asked kind of trouble, else of each vital one; each once."""
    told = {metric for metric in source.metrics if metric.casefold() in subject.text.casefold()}
    yield tuple(sorted(told))
    said = tuple(metric for metric in source.metrics if metric not in told and _says(metric, subject))[:_ASKED]
    told |= set(said)
    yield said
    asked = [symptom for symptom in SYMPTOMS if symptom.kind in subject.kinds]
    by_kind = {symptom.kind: symptom for symptom in SYMPTOMS}
    for symptom in asked or ([] if told else [by_kind[kind] for kind in VITAL]):
        fitting = sorted((one for one in source.metrics if fits(one, symptom) and one not in told), key=_worth)
        chosen = tuple(fitting[: _ASKED if asked else _UNASKED])
        told |= set(chosen)
        yield chosen
    if not told and not asked:
        yield tuple(source.metrics[:_ASKED])


def _says(metric: str, subject: Subject) -> bool:
    """Tell whether a metric's name holds two words of the question that name no kind of trouble, or its only one."""
    words = {stem(word) for word in subject.words}
    shared = words & {stem(word) for word in name_words(metric)}
    return len(shared) >= min(2, max(1, len(words)))


def _worth(metric: str) -> tuple[int, int, str]:
    words = set(name_words(metric))
    bonus = ("%" in metric) + bool(words & {"rate", "waiting", "failed", "refused"}) + ("p90" in words)
    return (len(kinds_of(metric)), -bonus + 2 * ("node" in words) + bool(words & {"settings"}), metric)


def _targets(names: Iterable[Mention], source: Description) -> Iterator[str]:
    for mention in names:
        for name in mention.names:
            for label, values in source.entities.items():
                if label in ENTITY_FIELDS:
                    meant = [
                        one for one in values if name.value.casefold() in (one.casefold(), base_name(one).casefold())
                    ]
                    if meant:
                        yield f", {label}={_string(meant[0])}" if len(meant) == 1 else _among(label, meant)
                        break


def _among(label: str, values: Iterable[str]) -> str:
    return f", {label}=~{_string('|'.join(re.escape(value) for value in values))}"


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
