"""Words of queries and names: what is asked for once filler is gone, and names written as one word taken apart."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

MAX_TERMS = 128
"""Most distinct words of one query that are searched; a pasted page is cut there."""

_READ_CHARACTERS = 20_000
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SEAM = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being below between both but by can
    could did do does doing done during each etc few for from further get gets getting give given go goes going got had
    has have having he help her here him his how however i if in into is it its itself just keep keeps kept let like
    made make makes many may me might mine more most much must my need needs no nor not now of off on once one only or
    other our ours out over own per please rather really same say says see seem seems shall she should show since so
    some such tell than thank thanks that the their them then there these they thing things this those through to too
    under until up upon us use used uses using very via want was way we well were what whats when where whether which
    while who whom whose why will with within without would yet you your yours s t re ve ll d m don doesn didn isn
    aren won
    deal doc docs document documentation documents explain describe find fix handle happen happened happening happens
    issue issues know mean means problem problems resolve runbook runbooks solve something wrong
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWord:
    """One word asked for, with its parts where it is a name in camel case."""

    text: str
    parts: tuple[str, ...] = ()


def query_words(query: str, /) -> tuple[QueryWord, ...]:
    """Return the distinct words of a query in order. Total: only letters and digits are read, whatever it holds.

    Filler is left out unless nothing else is asked.
    """
    found = dict.fromkeys(_WORD.findall(normalize("NFC", query[:_READ_CHARACTERS])))
    plain = [word for word in found if word.casefold() not in STOP_WORDS] or list(found)
    return tuple(QueryWord(text=word, parts=name_parts(word)) for word in plain[:MAX_TERMS])


def name_parts(word: str, /) -> tuple[str, ...]:
    """Return the parts of `KubePodCrashLooping`; none for a word that is no such name."""
    return tuple(_PART.findall(word)) if _SEAM.search(word) else ()


def parts_within(text: str, /) -> str:
    """Return the parts of all names in camel case in a text, each name once, as text to be indexed beside it."""
    return " ".join(part for word in dict.fromkeys(_WORD.findall(text)) for part in name_parts(word))


def name_text(names: Iterable[str], /) -> str:
    """Return names and their parts as text to be indexed, each distinct word once."""
    words = [word for name in names for word in _WORD.findall(name)]
    parts = [part for word in words for part in name_parts(word)]
    return " ".join({word.casefold(): word for word in [*words, *parts]}.values())


def likeness(query: AbstractSet[str], name: str, /) -> float:
    """Return how near a query's `plain_words` are to those of a name: 1 for the same words, 0 for none in common.

    Filler counts here: `ready` and `not ready`, `some` and `any` tell names apart.
    """
    words = _name_words(name)
    return len(query & words) / len(query | words) if words else 0.0


def plain_words(text: str, /) -> frozenset[str]:
    """Return the distinct words of a short text, case-folded, names in camel case by their parts."""
    words = _WORD.findall(normalize("NFC", text[:_READ_CHARACTERS]))
    return frozenset(part.casefold() for word in words for part in name_parts(word) or (word,))


_name_words = lru_cache(maxsize=20_000)(plain_words)
