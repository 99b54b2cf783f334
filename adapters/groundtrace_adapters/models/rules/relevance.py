"""Whether an answer, true or not, answers the question that was asked: its things, its kinds of trouble, its words."""

import re
from collections.abc import Sequence

from groundtrace_adapters.models.rules.concern import concerns
from groundtrace_adapters.models.rules.evidence import LogUnit, SeriesUnit
from groundtrace_adapters.models.rules.findings import Judgement, Standing
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import kinds_of, name_words, symptoms_in
from groundtrace_adapters.models.rules.words import stem, tokens

_BROAD = frozenset({"errors", "load", "restarts", "timeouts"})
"""Kinds that people name without meaning that kind alone: `any errors?`, `under load`."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_TIME = re.compile(r"(?<![\d:.])(?:(?:2[5-9]|[3-9]\d):\d\d|\d{1,2}:[6-9]\d)(?![\d:])")

_LITERAL = frozenset(
    """deadlock deadlocks disk disks storage filesystem checkpoint checkpoints memory heap oom oomkilled cpu dns packet
    packets lock locks connection connections restart restarts transactions commits""".split()
)
"""Words that mean one thing: evidence of the same kind that does not say the word is about something else."""

_HALF, _MOST = 0.5, 0.75
"""The share of a question's words that passages must say: less is enough where a title says one of them."""


def answer_faults(subject: Subject, judgements: Sequence[Judgement], /) -> tuple[str, ...]:
    """Return why supported statements do not answer the question; none if they do."""
    carried = tuple(one for one in judgements if one.standing is Standing.SUPPORTED)
    units = _units(carried)
    text = _evidence_text(units, carried)
    words = frozenset(stem(word) for word in tokens(text))
    faults = [] if subject.procedural or units else ["a runbook alone shows nothing that happened"]
    if subject.procedural and not units:
        faults += _procedure_faults(subject, text, words, _titles(carried)) or _literal_faults(subject, words)
    else:
        faults += [
            f"no statement is about {mention.text}"
            for mention in subject.names
            if not any(concerns(unit, mention) for unit in units)
        ]
        strange = [one for one in subject.identifiers if not _stands(one, text)]
        strange += [word for word in subject.words if stem(word) not in words]
        faults += [f"no cited row speaks of {word}" for word in strange]
        told = {unit.metric.casefold() for unit in units if isinstance(unit, SeriesUnit)}
        faults += [f"no statement is about {metric}" for metric in sorted(subject.metrics - told)]
        faults += _kind_faults(subject, units, carried, words)
    return (*_question_faults(subject.text), *faults)


def _question_faults(question: str) -> tuple[str, ...]:
    """Return why nothing could answer a question: it says no word, or names a time that no clock shows."""
    faults = () if _WORD.search(question) else ("the question asks nothing that can be read",)
    return (*faults, *(f"no clock shows {time[0]}" for time in _NO_TIME.finditer(question)))


def _procedure_faults(subject: Subject, text: str, words: frozenset[str], titles: frozenset[str]) -> list[str]:
    faults = [f"no cited passage speaks of {one}" for one in subject.identifiers if not _stands(one, text)]
    asked = [*subject.words, *sorted(_said(subject))]
    met = [word for word in asked if stem(word) in words]
    enough = _HALF if any(stem(word) in titles for word in asked) else _MOST
    if asked and len(met) < max(1, len(asked) * enough):
        faults.append(f"the cited passages do not speak of {', '.join(asked[:6])}")
    if not asked and not subject.identifiers:
        faults.append("the question names nothing that a passage could be about")
    return faults


def _kind_faults(
    subject: Subject, units: Sequence[LogUnit | SeriesUnit], carried: Sequence[Judgement], words: frozenset[str]
) -> list[str]:
    asked = subject.kinds - _BROAD
    met = frozenset(kind for unit in units for kind in _kinds(unit))
    met |= {symptom.kind for one in carried for symptom in symptoms_in(one.text)}
    if asked and not asked & met:
        return [f"the answer says nothing of {', '.join(sorted(asked))}"]
    return _literal_faults(subject, words)


def _literal_faults(subject: Subject, words: frozenset[str]) -> list[str]:
    said = [word for word in tokens(subject.text) if word in _LITERAL]
    missing = [word for word in said if stem(word) not in words]
    return [f"no cited row speaks of {', '.join(missing)}"] if said and len(missing) == len(said) else []


def _titles(carried: Sequence[Judgement]) -> frozenset[str]:
    texts = [text for one in carried for passage in one.passages for text in (passage.title, passage.uri)]
    return frozenset(stem(word) for text in texts for word in (*tokens(text), *name_words(text)))


def _kinds(unit: LogUnit | SeriesUnit) -> frozenset[str]:
    if isinstance(unit, SeriesUnit):
        return kinds_of(unit.metric)
    return frozenset(symptom.kind for symptom in symptoms_in(unit.text))


def _units(carried: Sequence[Judgement]) -> tuple[LogUnit | SeriesUnit, ...]:
    logs = [held.log for one in carried for held in one.logs if held.log is not None]
    series = [held.series for one in carried for held, _ in one.points if held.series is not None]
    return tuple(dict.fromkeys([*logs, *series]))


def _evidence_text(units: Sequence[LogUnit | SeriesUnit], carried: Sequence[Judgement]) -> str:
    texts: list[str] = []
    for unit in units:
        if isinstance(unit, LogUnit):
            texts += [unit.text, *unit.fields.values(), unit.origin]
        else:
            texts += [unit.metric, *name_words(unit.metric), *unit.labels.values(), *unit.labels]
    for one in carried:
        for passage in one.passages:
            texts += [passage.title, passage.heading, passage.text, passage.uri, *name_words(passage.title)]
    return " ".join(texts)


def _stands(identifier: str, text: str) -> bool:
    """Tell whether a name stands whole in a text; with dashes it may be written with spaces."""
    forms = {identifier.casefold(), identifier.casefold().replace("-", " ")}
    lowered = text.casefold()
    return any(re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", lowered) is not None for form in forms)


def _said(subject: Subject) -> frozenset[str]:
    said = set(tokens(subject.text))
    return frozenset(word for symptom in symptoms_in(subject.text) for word in symptom.said & said)
