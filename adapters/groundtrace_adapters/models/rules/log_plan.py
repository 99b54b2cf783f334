"""Which log searches a question calls for: severe entries first, then entries that speak of the asked trouble."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from groundtrace.material import time_text
from groundtrace.sources import Description
from groundtrace_adapters.models.rules.asking import Shape, is_of_all, shapes_of, wanted_entries
from groundtrace_adapters.models.rules.entities import Mention, base_name
from groundtrace_adapters.models.rules.looking import Looking
from groundtrace_adapters.models.rules.moments import Window
from groundtrace_adapters.models.rules.reach import finds_every, own_pattern
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SEVERE, SYMPTOMS
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

MOST = 5
"""The most log searches of one step."""

ENTRIES = 1_000
_Params = Mapping[str, object]
_BROAD = frozenset({"errors", "load", "latency"})


def log_calls(subject: Subject, where: Looking, source: Description, /, *, every: bool = False) -> tuple[_Params, ...]:
    """Return parameters of query_logs; with `every` entries of any wording are asked for."""
    windows = (None,) if where.everything else where.windows or (None,)
    targets = tuple(_targets(subject.names, source)) or ({},)
    patterns = (None,) if every else tuple(dict.fromkeys(_patterns(subject)))
    calls = (_call(target, pattern, window) for pattern in patterns for target in targets for window in windows)
    return tuple(islice(calls, MOST))


def _call(target: _Params, pattern: str | None, window: Window | None) -> _Params:
    times = {} if window is None else {"start": time_text(window.start), "end": time_text(window.end)}
    own = "pattern" in target
    text = {} if pattern is None or own else {"pattern": pattern, "regex": True}
    return {**times, **target, **text, "limit": ENTRIES}


def word_calls(subject: Subject, where: Looking, /) -> tuple[_Params, ...]:
    """Return searches for the question's own words, whoever logged them."""
    wanted = wanted_entries(subject)
    sought = sorted(own_pattern(word) for word in {*wanted.roots, *wanted.identifiers})
    windows = (None,) if where.everything else where.windows or (None,)
    calls = (_call({}, pattern, window) for pattern in sought for window in windows)
    return tuple(islice(calls, MOST))


def _patterns(subject: Subject) -> Iterator[str | None]:
    """Yield what to look for; a total, a first and a last need a search that is sure to find every such entry."""
    shapes, wanted = shapes_of(subject), wanted_entries(subject)
    kinds = tuple(symptom.pattern for symptom in SYMPTOMS if symptom.kind in subject.kinds - _BROAD)
    if Shape.LOGS in shapes and Shape.TROUBLE not in shapes:
        yield None
    if is_of_all(shapes) and wanted.roots and not any(finds_every(pattern, wanted) for pattern in (SEVERE, *kinds)):
        yield own_pattern(max(wanted.roots, key=lambda root: (len(root), root)))
    yield from (SEVERE, *kinds)
    if Shape.COUNT in shapes:
        yield None


def _targets(names: Iterable[Mention], source: Description) -> Iterator[_Params]:
    """Yield a field filter for each named thing that the logs know by a field, else its name as a text to find."""
    for mention in names:
        known = [field for name in mention.names for field in _fields(name.value, source)]
        yield from ({"fields": {field: value}} for field, value in dict.fromkeys(known))
        if not known:
            yield {"pattern": mention.names[0].value}


def _fields(value: str, source: Description) -> Iterator[tuple[str, str]]:
    exact = [(field, value) for field in source.entities if field in ENTITY_FIELDS and value in source.entities[field]]
    yield from exact[:1]
    if not exact:
        pods = [pod for pod in source.entities.get("pod", ()) if base_name(pod).casefold() == value.casefold()]
        yield from (("pod", pod) for pod in pods[:3])
