"""What a question is about: its times, its named things, its kinds of trouble, and whether it asks for a procedure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from groundtrace_adapters.models.rules.asked_time import Asked, asked_times
from groundtrace_adapters.models.rules.claims import read_claims
from groundtrace_adapters.models.rules.entities import Mention, Name
from groundtrace_adapters.models.rules.readings import AGGREGATES, BOUNDS, DIRECTIONS
from groundtrace_adapters.models.rules.symptoms import SYMPTOMS, symptoms_in
from groundtrace_adapters.models.rules.words import GENERAL, NEGATION, PROCEDURE, REPORTING, STOP, WHOLE, stem, tokens

_PROCEDURAL = re.compile(
    r"\bhow (?:do|can|should|to|would|must|does one)\b|\bwhat (?:should|must|can|do) (?:i|we|one|you)\b"
    r"|\bwhat (?:does|do|is|are)\b.{0,80}\b(?:mean|meaning|for|runbook|procedure|stand for)\b|\bwhat to do\b"
    r"|\bmeaning of\b|\bsteps (?:to|for)\b|\brunbooks?\b|\bprocedure\b|\bplaybook\b|\bexplain (?:the )?alert\b"
    r"|^\s*what (?:is|are) (?:an? |the )?[\w-]+\s*\??\s*$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Za-z]+\d\w*")
_SAID = frozenset(word for symptom in SYMPTOMS for word in symptom.said)
_VAGUE = frozenset("slow slower error errors failed fail fails failing failure failures load rate client up".split())
_COMPUTED = frozenset(word for words in (AGGREGATES, BOUNDS, DIRECTIONS) for phrase in words for word in phrase.split())
_NAMELESS = STOP | REPORTING | PROCEDURE | GENERAL | NEGATION | WHOLE | _SAID | _COMPUTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A question, taken apart.

    `identifiers` are names in it that the evidence does not know (`pay-api-7`, `KubePodCrashLooping`); `words` are the
    remaining words that could name something. `kinds` are the kinds of trouble that it asks about, `metrics` the known
    metrics that it writes out, in lower case.
    """

    text: str
    procedural: bool
    asked: tuple[Asked, ...]
    names: tuple[Mention, ...]
    identifiers: tuple[str, ...]
    words: tuple[str, ...]
    kinds: frozenset[str]
    metrics: frozenset[str]

    def asked_words(self) -> frozenset[str]:
        """Return the roots of the words by which evidence can be told to be what was asked for."""
        said = {word for word in tokens(self.text) if word in _SAID and word not in _VAGUE}
        return frozenset(stem(word) for word in (*self.words, *said))

    def in_time(self, moment: datetime | None, /) -> bool:
        """Tell whether a moment is asked about; without a time in the question every one is."""
        return not self.asked or (moment is not None and any(asked.has(moment) for asked in self.asked))

    def in_time_exactly(self, moment: datetime | None, /) -> bool:
        """Tell whether a moment lies in the asked time as written, with no margin around a single time."""
        return not self.asked or (moment is not None and any(asked.has_exactly(moment) for asked in self.asked))


def read_subject(question: str, /, *, now: datetime, names: Iterable[Name], metrics: Iterable[str]) -> Subject:
    """Return what a question is about, given what is known; a question with a time asks what happened."""
    claims = read_claims(question, names=names, metrics=metrics)
    asked = asked_times(question, now)
    rest = " ".join(claims.masked.replace("\x1f", " ").split())
    identifiers = tuple(dict.fromkeys(found[0] for found in _IDENTIFIER.finditer(rest)))
    bare = _IDENTIFIER.sub(" ", rest)
    words = (word.lower() for word in re.findall(r"[^\W\d_]{3,}", bare))
    return Subject(
        text=question,
        procedural=not asked and _PROCEDURAL.search(question) is not None,
        asked=asked,
        names=claims.names,
        identifiers=identifiers,
        words=tuple(dict.fromkeys(word for word in words if word not in _NAMELESS)),
        metrics=frozenset(mention.metric.casefold() for mention in claims.series if mention.metric),
        kinds=frozenset(symptom.kind for symptom in symptoms_in(question)),
    )
