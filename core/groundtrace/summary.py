"""Rows summed up for a verifier: a map of small facts that merges in any order, and its views (DESIGN section 7).

Nothing is read or rendered here beyond one line of words an entry; what was never asked is `coverage`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from itertools import compress
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import TypeAlias, cast

from groundtrace.entries import ERROR_TEXT_CHARACTERS, ERRORS_KEPT, EvidenceEntry, EvidenceLevel
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind, Support
from groundtrace.text import cut

Key: TypeAlias = tuple[str, str]
"""What a row is known by: (session_id, id)."""

# A plain tuple of plain values, made by one call in C: the collector of cycles leaves such tuples alone, and that
# makes a summary of a million rows four times faster than a dataclass, or a tuple that holds enum members, would be.
Fact: TypeAlias = tuple[str, str, datetime, int, str, str, bool, str, str | None, str | None, str | None]
"""What a summary keeps of one row, in the order of `_FIELDS` and then `support`; no text of the row but its error."""

_FIELDS = (
    "tool_name",
    "topic_domain",
    "started_at",
    "seq",
    "id",
    "outcome._value_",
    "partial",
    "input_fingerprint",
    "error_message",
    "output_sha256",
)
_SHOWN_ERROR_CHARACTERS = 120

_key_of = cast(Callable[[Invocation], Key], attrgetter("session_id", "id"))
_bare_fact_of = cast(Callable[[Invocation], Fact], attrgetter(*_FIELDS, "support"))
_supported_fact_of = cast(Callable[[Invocation], Fact], attrgetter(*_FIELDS, "support._value_"))
_group_of = cast(Callable[[Fact], tuple[str, str]], itemgetter(0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One fact a row, and the digests of contents that lost to another content of the same key.

    Two summaries are equal if they say the same, in whatever order they were made. `entries` gives the view.
    """

    facts: Mapping[Key, Fact]
    losing: frozenset[tuple[Key, str]] = frozenset()

    @property
    def conflicts(self) -> int:
        """Return how many distinct contents lost to a smaller digest under their own key."""
        return len(self.losing)


EMPTY = Summary(facts=MappingProxyType({}))
"""The identity of `merge`."""


@dataclass(slots=True)
class SummaryBuilder:
    """A running summary: `add` rows as they come, `freeze` at the end. Not for several threads at once."""

    _facts: dict[Key, Fact] = field(default_factory=dict)
    _losing: set[tuple[Key, str]] = field(default_factory=set)

    def add(self, row: Invocation, /) -> None:
        """Take one row; the same row again changes nothing."""
        _take((row,), self._facts, self._losing)

    def freeze(self) -> Summary:
        """Return what was taken so far; rows added later do not change it."""
        return Summary(facts=MappingProxyType(dict(self._facts)), losing=frozenset(self._losing))


def summarize(rows: Iterable[Invocation], /) -> Summary:
    """Return the summary of rows; their order and repetitions do not matter (section 7)."""
    facts: dict[Key, Fact] = {}
    losing: set[tuple[Key, str]] = set()
    _take(rows, facts, losing)
    return Summary(facts=MappingProxyType(facts), losing=frozenset(losing))


def merge(one: Summary, other: Summary, /) -> Summary:
    """Return the union: associative, commutative, idempotent, with `EMPTY` as identity."""
    facts = {**one.facts, **other.facts}
    losing = set(one.losing | other.losing)
    for key in one.facts.keys() & other.facts.keys():
        if one.facts[key] != facts[key]:
            _settle(facts, losing, key, one.facts[key])
    return Summary(facts=MappingProxyType(facts), losing=frozenset(losing))


def entries_of(summary: Summary, /) -> tuple[EvidenceEntry, ...]:
    """Return one entry per (tool name, topic domain), sorted by both, by code point."""
    groups: defaultdict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in summary.facts.values():
        groups[_group_of(fact)].append(fact)
    return tuple(_entry(tool, topic, groups[tool, topic]) for tool, topic in sorted(groups))


def describe_entry(entry: EvidenceEntry, /) -> str:
    """Return the entry in one line of words that says what was found, what was not, and why the gap is there."""
    said = [words for words in (_found(entry), _failed(entry), _empty(entry), _repeats(entry)) if words]
    if entry.partial:
        said.append(f"{entry.partial} partial: not everything was seen")
    return f"{_count(entry.calls, 'call')}: {', '.join(said)}"


def _take(rows: Iterable[Invocation], facts: dict[Key, Fact], losing: set[tuple[Key, str]]) -> None:
    for row in rows:
        key = _key_of(row)
        fact = _bare_fact_of(row) if row.support is None else _supported_fact_of(row)
        held = facts.setdefault(key, fact)
        if held is not fact and held != fact:
            _settle(facts, losing, key, fact)


def _settle(facts: dict[Key, Fact], losing: set[tuple[Key, str]], key: Key, rival: Fact) -> None:
    """Let the content with the smaller digest stand under `key`; the other one is a conflict, counted once."""
    contents = {_digest(fact): fact for fact in (facts[key], rival)}
    first, second = sorted(contents)
    facts[key] = contents[first]
    losing.add((key, second))


def _digest(fact: Fact) -> str:
    values = [part.astimezone(UTC).isoformat() if isinstance(part, datetime) else part for part in fact]
    return sha256(json.dumps(values).encode("ascii")).hexdigest()


def _entry(tool: str, topic: str, facts: list[Fact]) -> EvidenceEntry:
    # By column: each fact is touched once, and all else is done in C.
    _, _, times, seqs, ids, kinds, partial, fingerprints, errors, _, supports = zip(*facts, strict=True)
    counts = Counter(kinds)
    supporting = sorted(compress(zip(times, seqs, ids, strict=True), map(OutcomeKind.SUCCESS.__eq__, kinds)))
    return EvidenceEntry(
        tool_name=tool,
        topic_domain=topic,
        level=_level(counts, supports),
        calls=len(facts),
        successes=counts[OutcomeKind.SUCCESS],
        failures=counts[OutcomeKind.FAILURE],
        no_evidence=counts[OutcomeKind.NO_EVIDENCE],
        deduped=counts[OutcomeKind.DEDUPED],
        partial=sum(partial),
        repeated=sum(count for count in Counter(fingerprints).values() if count > 1),
        first_at=min(times),
        last_at=max(times),
        supporting_ids=tuple(id for _, _, id in supporting),
        errors=_errors(compress(zip(errors, times, strict=True), map(OutcomeKind.FAILURE.__eq__, kinds))),
    )


def _level(counts: Mapping[str, int], supports: Iterable[str | None]) -> EvidenceLevel:
    """Only a Success has support: the strongest one decides."""
    if Support.DIRECT in supports:
        return EvidenceLevel.DIRECT
    return EvidenceLevel.INDIRECT if counts[OutcomeKind.SUCCESS] else EvidenceLevel.NONE


def _errors(failures: Iterable[tuple[str | None, datetime]]) -> tuple[str, ...]:
    times: defaultdict[str, list[datetime]] = defaultdict(list)
    for message, at in failures:
        if message is not None:
            times[message[:ERROR_TEXT_CHARACTERS]].append(at)
    ranked = sorted((-len(seen), min(seen), text) for text, seen in times.items())
    return tuple(text for _, _, text in ranked[:ERRORS_KEPT])


def _found(entry: EvidenceEntry) -> str:
    if not entry.successes:
        return ""
    return f"{entry.successes} {'success' if entry.successes == 1 else 'successes'} ({entry.level})"


def _failed(entry: EvidenceEntry) -> str:
    if not entry.failures:
        return ""
    shown = "; ".join(cut(" ".join(error.split()), _SHOWN_ERROR_CHARACTERS) for error in entry.errors)
    return f"{entry.failures} failed: {shown or 'no message was recorded'}"


def _empty(entry: EvidenceEntry) -> str:
    return f"{entry.no_evidence} found nothing" if entry.no_evidence else ""


def _repeats(entry: EvidenceEntry) -> str:
    return f"{entry.deduped} only repeated earlier calls" if entry.deduped else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
