"""What the first look suggests to ask next: the words of the loudest entry for the runbooks, or simply every entry."""

import re
from collections import Counter
from collections.abc import Sequence

from groundtrace_adapters.models.rules.asking import wanted_entries
from groundtrace_adapters.models.rules.evidence import Row
from groundtrace_adapters.models.rules.passages import best_entry, entry_of, is_section, wanted_section
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import name_words, symptoms_in
from groundtrace_adapters.models.rules.templates import fragment_of, is_severe
from groundtrace_adapters.models.rules.words import STOP, stem, tokens

_WORDS = 8


def later_query(subject: Subject, rows: Sequence[Row], /) -> str:
    """Return words to look up in the runbooks: those of the most frequent severe entry, with the asked trouble."""
    texts = Counter(fragment_of(log.text) for row in rows for log in row.logs if is_severe(log))
    loudest = [text for text, _ in texts.most_common(1)]
    words = [word for text in loudest for word in tokens(text) if re.fullmatch(r"[a-z]{3,}", word) and word not in STOP]
    said = {word for symptom in symptoms_in(subject.text) for word in symptom.said}
    asked = [word for word in tokens(subject.text) if word in said]
    return " ".join(dict.fromkeys([*asked, *words[:_WORDS]]))


def section_uris(subject: Subject, rows: Sequence[Row], /) -> tuple[str, ...]:
    """Return the address of the section that the question asks for, in the best entry, if it was not found too."""
    passages = [passage for row in rows for passage in row.passages]
    best = best_entry(passages, subject)
    own = [passage for passage in passages if entry_of(passage) == best]
    if not own or any(is_section(passage.heading, subject) for passage in own):
        return ()
    return (f"{best}#{wanted_section(subject)}",)


def wants_all_entries(subject: Subject, rows: Sequence[Row], /) -> bool:
    """Tell whether a named thing, or a time, showed no entry at all yet."""
    return bool(subject.names or subject.asked) and not any(row.logs for row in rows)


def lacks_own_words(subject: Subject, rows: Sequence[Row], /) -> bool:
    """Tell whether the question says words that no entry and no series found so far says."""
    wanted = wanted_entries(subject)
    texts = [" ".join([log.text, *log.fields.values()]) for row in rows for log in row.logs]
    texts += [" ".join([*name_words(one.metric), *one.labels.values()]) for row in rows for one in row.series]
    said = {stem(word) for text in texts for word in tokens(text)}
    lowered = " ".join(texts).casefold()
    strange = [one for one in wanted.identifiers if one.casefold() not in lowered]
    return bool(strange or (wanted.roots - said))
