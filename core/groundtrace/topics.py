"""What a call was about: the merge key beside the tool's name (DESIGN section 5).

A pure policy that users may replace by their own (`TopicPolicy`). It reads parameters, never outputs.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias
from unicodedata import normalize

from groundtrace.invocation import NAME_CHARACTERS
from groundtrace.json_text import JsonValue
from groundtrace.text import clean, cut, is_blank

GENERAL = "general"
"""The topic of a call that names none."""

LABELS = (
    "service",
    "app",
    "component",
    "job",
    "deployment",
    "container",
    "pod",
    "instance",
    "host",
    "namespace",
)
"""What names a topic, the first present one first."""

NESTED = ("fields", "filters", "labels")
"""Parameters whose members count as labels."""

TopicPolicy: TypeAlias = Callable[[JsonValue, str | None, str | None], str]
"""(redacted parameters, explicit topic domain, knowledge scope) -> topic domain.

It is asked in the thread that writes rows, and has to answer at once: while one hangs, no row of its sink is stored or
spooled. Callers, `flush` and `close` keep their deadlines all the same, and what had no place by then is told as lost.
"""

_LABEL_BY_NAME = {
    spelled: label for label in LABELS for spelled in (label, *(f"{label}{dash}name" for dash in ("", "_", "-", ".")))
}
_SELECTOR_CHARACTERS = 10_000
_REMEMBERED = 200
_SEVERAL = ""
_MATCHER = re.compile(
    r"[{,]\s{0,20}([A-Za-z_]\w{0,80})\s{0,20}=\s{0,20}"
    r"(?:\"([^\"\\]{0,300}+(?:\\.[^\"\\]{0,300}+){0,50})\"|'([^'\\]{0,300}+(?:\\.[^'\\]{0,300}+){0,50})'"
    r"|`([^`]{0,300})`)\s{0,20}(?=[,}])"
)
# Kubernetes names random parts without vowels; a replica set's has a digit in all but one of a thousand.
_RANDOM = frozenset("bcdfghjklmnpqrstvwxz2456789")
_DIGITS = frozenset("0123456789")
_POD_PART, _REPLICA_SET_PART = 5, range(6, 11)


def topic_domain(params: JsonValue, explicit: str | None = None, scope: str | None = None, /) -> str:
    """Return the topic of a call: the explicit one, else the first label present, else the scope, else `general`.

    A label counts as a parameter (`pod`, `pod_name`), inside `fields`, `filters` or `labels`, or as an equality
    matcher of a PromQL or LogQL selector in a text parameter, and only if it has one value. `api-7f8d7d756d-kzp47`
    and `agent-x7k2p` are the pods of `api` and `agent`; the members of a stateful set (`db-0`) stay apart.
    """
    return (
        (normal_topic(explicit) if explicit else "")
        or (_labelled(params) if isinstance(params, dict) else "")
        or (normal_topic(scope) if scope else "")
        or GENERAL
    )


def normal_topic(text: str, /) -> str:
    """Return a topic as it is compared and stored: trimmed, NFC, case-folded, 200 characters; blank becomes empty."""
    return _remembered_topic(text) if len(text) <= _REMEMBERED else _normal_topic(text)


def _normal_topic(text: str) -> str:
    if text.isascii():
        folded = text.strip().lower()
    else:
        folded = "" if is_blank(text) else normalize("NFC", normalize("NFC", text.strip()).casefold())
    return cut(clean(folded), NAME_CHARACTERS).strip()


_remembered_topic = lru_cache(maxsize=1_024)(_normal_topic)


def _labelled(params: dict[str, JsonValue]) -> str:
    values: dict[str, str] = {}
    _collect(params, values, nested=False)
    for label in LABELS if len(values) > 1 else values:
        topic = normal_topic(values[label]) if label in values else ""
        if topic:
            return _without_suffixes(topic) if label == "pod" else topic
    return ""


def _collect(params: dict[str, JsonValue], values: dict[str, str], *, nested: bool) -> None:
    """Add what may be a label: parameters, nested ones, and the matchers of selectors in texts."""
    for name, value in params.items():
        label = _label_of(name) if len(name) <= _REMEMBERED else None
        if label is not None:
            _put(values, label, _single(value))
        elif nested:
            continue
        elif type(value) is str:
            if "{" in value and "=" in value:
                _collect_matchers(value, values)
        elif type(value) is dict and name.lower() in NESTED:
            _collect(value, values, nested=True)


def _collect_matchers(selector: str, values: dict[str, str]) -> None:
    found = _MATCHER.search(selector, 0, _SELECTOR_CHARACTERS)
    while found is not None:
        _put(values, _LABEL_BY_NAME.get(found[1]), found[found.lastindex or 1])
        found = _MATCHER.search(selector, found.end(), _SELECTOR_CHARACTERS)


@lru_cache(maxsize=1_024)
def _label_of(name: str, /) -> str | None:
    """Return the label that a parameter is, None for any other."""
    return _LABEL_BY_NAME.get(name.lower())


def _put(values: dict[str, str], label: str | None, text: str) -> None:
    """Keep the one value of a label; another one makes it several, which names no topic."""
    if label is not None:
        values[label] = text if values.get(label, text) == text else _SEVERAL


def _single(value: JsonValue) -> str:
    """Return the one value that a parameter has as a label; several and patterns are none."""
    if isinstance(value, str):
        return _SEVERAL if "*" in value or "|" in value else value
    if isinstance(value, list):
        return _single(value[0]) if len(value) == 1 else _SEVERAL
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _SEVERAL


@lru_cache(maxsize=1_024)
def _without_suffixes(pod: str) -> str:
    """Return a pod's name without the random parts of its replica set and of its own."""
    name, _, own = pod.rpartition("-")
    if not name or len(own) != _POD_PART or not _RANDOM.issuperset(own):
        return pod
    owner, _, replica_set = name.rpartition("-")
    if (
        owner
        and len(replica_set) in _REPLICA_SET_PART
        and replica_set.isalnum()
        and not _DIGITS.isdisjoint(replica_set)
    ):
        return owner
    return pod if _DIGITS.isdisjoint(own) else name
