"""An answer as statements, each with the citations that stand behind it.

Pure. Sentences end at `.`, `!`, `?` or a line's end, never inside a quotation; a citation behind the full stop
belongs to the sentence before it.
"""

import re
from dataclasses import dataclass

from groundtrace_adapters.models.rules.words import REPORTING, STATING, tokens

_QUOTED = re.compile(r"`[^`\n]+`|\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\{[^{}\n]*\}")
_CITATION = re.compile(r"\[\s*(e\d{1,4}(?:\s*[,;]\s*e\d{1,4})*)\s*\]")
_ANY_CITATION = re.compile(r"\s*\[\s*[eE]\s?\d[^\]\n]{0,80}\]")
_RUNS = re.compile(r"\s{2,}")
_END = re.compile(r"[.!?]+(?=\s|$)|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]\s+|\d{1,2}[.)]\s+|#{1,6}\s+|>\s+)*")
_NO_END = re.compile(r"\b(?:e\.g|i\.e|etc|approx|ca|vs|a\.m|p\.m)$|^\s*\d{1,2}$", re.IGNORECASE)
HEADING = (
    REPORTING
    | STATING
    | frozenset(
        "evidence facts summary answer findings finding details result results following below "
        "what here is are was were the this i".split()
    )
)
STATEMENTS_KEPT = 200
"""An answer with more statements than this is not verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence without its citations; `citations` are labels as written, each once; `odd` is a malformed one."""

    text: str
    citations: tuple[str, ...]
    odd: tuple[str, ...] = ()


def split_statements(answer: str, /) -> tuple[Statement, ...]:
    """Return the statements of an answer in order; headings that state nothing are left out."""
    masked, quotes = _mask(answer.replace("**", "").replace("__", ""))
    found: list[Statement] = []
    for piece in _pieces(_RUNS.sub(_one_space, masked)):
        statement = _statement(piece, quotes)
        if statement.text:
            found.append(statement)
        elif found:
            last = found.pop()
            both = dict.fromkeys(last.citations + statement.citations)
            found.append(Statement(text=last.text, citations=tuple(both), odd=last.odd + statement.odd))
        elif statement.citations:
            found.append(statement)
    return tuple(one for one in found if not _is_heading(one))


def _one_space(run: re.Match[str]) -> str:
    """Return one space or line feed for a run of white space, which no later search then walks again and again."""
    return "\n" if "\n" in run[0] else " "


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and _NO_END.search(text[start : end.start()]):
            continue
        trailing = _ANY_CITATION.match(text, end.end())
        stop = end.end()
        while trailing is not None and end[0][0] != "\n":
            stop = trailing.end()
            trailing = _ANY_CITATION.match(text, stop)
        if stop > start:
            pieces.append(text[start:stop])
            start = stop
    pieces.append(text[start:])
    return pieces


def _statement(piece: str, quotes: list[str]) -> Statement:
    labels = [label.strip() for group in _CITATION.findall(piece) for label in re.split("[,;]", group)]
    rest = _CITATION.sub(" ", piece)
    odd = tuple(found.strip() for found in _ANY_CITATION.findall(rest))
    rest = _BULLET.sub("", _ANY_CITATION.sub(" ", rest)).strip().rstrip(".;!").strip()
    text = " ".join(_unmask(rest, quotes).split()) if rest.strip(" .,:;()-") else ""
    return Statement(text=text, citations=tuple(dict.fromkeys(labels)), odd=odd)


def _is_heading(statement: Statement) -> bool:
    if (
        statement.citations
        or statement.odd
        or not statement.text.endswith(":")
        or any(map(str.isdigit, statement.text))
    ):
        return False
    return set(tokens(statement.text)) <= HEADING


def _mask(text: str) -> tuple[str, list[str]]:
    quotes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        quotes.append(found[0])
        return f"\ue000{len(quotes) - 1}\ue001"

    return _QUOTED.sub(keep, re.sub("[\ue000\ue001]", " ", text)), quotes


def _unmask(text: str, quotes: list[str]) -> str:
    return re.sub("\ue000(\\d+)\ue001", lambda found: quotes[int(found[1])], text)
