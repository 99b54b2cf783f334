"""What the drafter says of runbooks: the sentences of the best passages that fit the question, quoted."""

import re
from collections.abc import Iterable, Iterator

from groundtrace_adapters.models.rules.evidence import PassageUnit, Row
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.words import stem, tokens

PASSAGES = 3
_LONGEST = 300
_SHORTEST = 20
_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]?")
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_OPENING, _CLOSING = "\u201c", "\u201d"


def passage_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[str, ...]:
    """Return one statement a passage; where something happened is asked, one passage and only if it fits well."""
    found = [(row, passage) for row in rows for passage in row.passages]
    if not subject.procedural:
        found = [(row, passage) for row, passage in found if row.complete][:1]
    told = (_statement(row, passage, subject) for row, passage in found)
    return tuple(dict.fromkeys(one for one in told if one))[:PASSAGES]


def _statement(row: Row, passage: PassageUnit, subject: Subject) -> str:
    sentence = _best(passage.text, subject)
    if not sentence or _CLOSING in passage.title or _OPENING in passage.title:
        return ""
    where = (
        f", section {_OPENING}{passage.heading}{_CLOSING},"
        if passage.heading and passage.heading != passage.title
        else ""
    )
    title = f"{_OPENING}{passage.title}{_CLOSING}"
    return f"The runbook {title}{where} says: {_OPENING}{sentence}{_CLOSING} [{row.label}]."


def _best(text: str, subject: Subject) -> str:
    """Return the sentences from the one on that shares most words with the question, the earliest of equals."""
    sentences = list(_sentences(text))
    if not sentences:
        return ""
    asked = {stem(word) for word in tokens(subject.text)}
    return max(sentences, key=lambda one: len(asked & {stem(word) for word in tokens(one)}))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)", _BLOCK.sub("\n\n", text)):
        if paragraph.lstrip().startswith(("#", "|", ">", "    ")):
            continue
        plain = " ".join(_MARK.sub("", paragraph).split())
        for found in _SENTENCE.finditer(plain):
            sentence = found[0].strip()
            if _SHORTEST <= len(sentence) <= _LONGEST and not set(sentence) & {_OPENING, _CLOSING}:
                yield sentence
