"""What the drafter says of runbooks: the sentences of the best passages that fit the question, quoted."""

import re
from collections.abc import Iterable, Iterator

from groundtrace_adapters.models.rules.evidence import PassageUnit, Row
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.words import STOP, stem, tokens

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
    """Return what a passage says from the sentence on that shares most words with the question, the earliest of equals.

    It ends with its paragraph, or with the last sentence that fits.
    """
    stretches = list(_stretches(text))
    asked = {stem(word) for word in tokens(subject.text) if word not in STOP}
    shared = [len(asked & {stem(word) for word in tokens(first)}) for first, _ in stretches]
    return stretches[shared.index(max(shared))][1] if stretches else ""


def _stretches(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence of plain paragraphs with the stretch that begins with it."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)", _BLOCK.sub("\n\n", text)):
        if paragraph.lstrip().startswith(("#", "|", ">")) or paragraph.startswith("    "):
            continue
        plain = " ".join(_MARK.sub("", paragraph).split())
        sentences = [found[0].strip() for found in _SENTENCE.finditer(plain) if found[0].strip()]
        for place, sentence in enumerate(sentences):
            stretch = sentence
            for after in sentences[place + 1 :]:
                stretch = f"{stretch} {after}" if len(stretch) + len(after) < _LONGEST else stretch
                if not stretch.endswith(after):
                    break
            if _SHORTEST <= len(stretch) <= _LONGEST and not set(stretch) & {_OPENING, _CLOSING}:
                yield sentence, stretch
