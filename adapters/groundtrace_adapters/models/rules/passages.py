"""What the drafter says of runbooks: the sentences of the best passages that fit the question, quoted."""

import re
from collections.abc import Iterable, Iterator, Sequence

from groundtrace_adapters.models.rules.evidence import PassageUnit, Row
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.words import PROCEDURE, STOP, stem, tokens

PASSAGES = 3
STEPS = 4
_MEANS = re.compile(r"\bmean(?:s|ing)?\b|\bwhat (?:is|are)\b|\bexplain\b", re.IGNORECASE)
_EXPLAINS = frozenset("meaning overview summary description abstract".split())
_HELPS = frozenset("mitigation resolution fix remediation recovery steps procedure actions action solution".split())
_LONGEST = 300
_SHORTEST = 20
_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BLOCKS = re.compile(r"(.*?)(?:```[^\n`]*\n(.*?)```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]?")
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_OPENING, _CLOSING = "\u201c", "\u201d"


def passage_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[str, ...]:
    """Return what runbooks say: the steps of the section that the question asks for, else the best of each passage.

    Where something happened is asked, one passage is told, and only if it fits well.
    """
    found = [(row, passage) for row in rows for passage in row.passages]
    if not subject.procedural:
        return _best_of([(row, passage) for row, passage in found if row.complete][:1], subject)
    best = best_entry([passage for _, passage in found], subject)
    own = [(row, passage) for row, passage in found if entry_of(passage) == best]
    wanted = [(row, passage) for row, passage in own if is_section(passage.heading, subject)]
    steps = [_statement(row, passage, step) for row, passage in wanted[:1] for step in _steps(passage.text)]
    return tuple(steps[:STEPS]) or _best_of(found, subject)


def entry_of(passage: PassageUnit, /) -> str:
    """Return the address of the entry that a passage is part of."""
    return passage.uri.partition("#")[0]


def best_entry(passages: Sequence[PassageUnit], subject: Subject, /) -> str:
    """Return the address of the entry whose passage says most of the question's words; of equals one
    whose section explains, where a meaning is asked, then the first found."""
    asked = _asked(subject)
    met = [
        (
            len(asked & {stem(word) for word in tokens(f"{one.title} {one.text}")}),
            wanted_section(subject) == "meaning" and is_section(one.heading, subject),
        )
        for one in passages
    ]
    return entry_of(passages[met.index(max(met))]) if passages else ""


def _asked(subject: Subject) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(subject.text) if word not in STOP | PROCEDURE)


def is_section(heading: str, subject: Subject, /) -> bool:
    """Tell whether a section's heading is one in which the question's answer would stand."""
    words = _EXPLAINS if _MEANS.search(subject.text) else _HELPS
    return bool(set(tokens(heading)) & words)


def wanted_section(subject: Subject, /) -> str:
    """Return the usual name of the section in which the question's answer would stand."""
    return "meaning" if _MEANS.search(subject.text) else "mitigation"


def _best_of(found: Iterable[tuple[Row, PassageUnit]], subject: Subject) -> tuple[str, ...]:
    told = ((row, passage, _best(passage.text, subject)) for row, passage in found)
    said = (_statement(row, passage, (best, "")) for row, passage, best in told if best)
    return tuple(dict.fromkeys(said))[:PASSAGES]


def _statement(row: Row, passage: PassageUnit, step: tuple[str, str]) -> str:
    title, heading = _within(passage.title), _within(passage.heading)
    where = f", section {heading}," if passage.heading and passage.heading != passage.title else ""
    said, code = step
    return f"The runbook {title}{where} says: {_within(said)}{f' `{code}`' if code else ''} [{row.label}]."


def _within(text: str) -> str:
    plain = text.replace(_OPENING, " ").replace(_CLOSING, " ")
    return f"{_OPENING}{plain}{_CLOSING}"


def _steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield what each paragraph or list item of a section says, with the code right behind it where it ends in `:`."""
    seen: list[str] = []
    for prose, code in _BLOCKS.findall(text):
        fresh: list[str] = []
        for sentence, stretch in _stretches(prose):
            if not any(sentence in before for before in (*seen, *fresh)):
                fresh.append(stretch)
        seen += fresh
        plain = " ".join(code.split())
        for one in fresh:
            last = one == fresh[-1] and one.endswith(":")
            yield one, plain if last and "`" not in plain and len(plain) <= _LONGEST else ""


def _best(text: str, subject: Subject) -> str:
    """Return what a passage says from the sentence on that shares most words with the question, the earliest of equals.

    It ends with its paragraph, or with the last sentence that fits.
    """
    stretches = list(_stretches(text))
    asked = _asked(subject)
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
