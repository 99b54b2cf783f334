"""Ranking the pieces of a knowledge index for a query, and how much of the query each of them covers.

Pieces rank by BM25 over quoted words joined by OR, which nearly always finds something; whether that is any good
is told by coverage: the share of the query's IDF weight whose words stand in the piece.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from groundtrace.retrieval import Layer
from groundtrace.sources import KnowledgeQuery
from groundtrace.text import clean
from groundtrace_adapters.sources.markdown_entry import folded
from groundtrace_adapters.sources.markdown_schema import COLUMN_WEIGHTS
from groundtrace_adapters.sources.markdown_words import STOP_WORDS, QueryWord, likeness, plain_words, query_words

PIECES_AN_ENTRY = 2
"""Most passages of one entry in one answer, so that one long text does not hide the second best entry."""

_CONSIDERED = 64

# Reading rows is what a lookup spends its time on: words that so many pieces have rank only where rarer ones do not.
_RANKED_HITS = 6_000
_REMEMBERED_HITS = 500_000
# An abstract routes to its entry: with an equal vote it would stand before the sections that say more.
_VOTES = {Layer.L1.value: 1.0, Layer.L0.value: 0.5}
_NAME_VOTE = 0.5

_RANK = (
    f"SELECT piece.id, best.score, piece.name, piece.layer FROM "  # noqa: S608 - numbers of our own
    f"(SELECT rowid, -bm25(words, {', '.join(map(str, COLUMN_WEIGHTS))}) AS score FROM words WHERE words MATCH ? "
    "{also} ORDER BY score DESC, rowid LIMIT ?) AS best JOIN piece ON piece.id = best.rowid"
)
_WITHIN = "AND rowid IN (SELECT id FROM piece WHERE entry IN (SELECT value FROM json_each(?)))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a piece belongs: its entry, and its layer."""

    entry: int
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One piece in rank order: its row, its score (higher is better) and its coverage (0 to 1)."""

    piece: int
    score: float
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Pieces in rank order, and the number of distinct entries that matched any word after filters."""

    pieces: tuple[Ranked, ...] = ()
    candidates: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """One thing asked for: the pieces that have it, and what it weighs."""

    pieces: frozenset[int]
    weight: float


@dataclass(slots=True)
class Postings:
    """Which pieces have a word, read once for each word; bounded. Good for one state of the index: make a new one."""

    connection: sqlite3.Connection
    places: Mapping[int, Placed]
    _held: dict[str, frozenset[int]] = field(default_factory=dict)
    _hits: int = 0

    def having(self, word: str, /) -> frozenset[int]:
        """Return the pieces that have a word in any form with its stem."""
        if word not in self._held:
            found = self.connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (_quoted(word),)).fetchall()
            if self._hits + len(found) > _REMEMBERED_HITS or len(self._held) > _REMEMBERED_HITS:
                self._held.clear()
                self._hits = 0
            self._held[word] = frozenset([piece for (piece,) in found])
            self._hits += len(found)
        return self._held[word]


def rank(postings: Postings, query: KnowledgeQuery, /) -> Ranking:
    """Return the best pieces for a query; sqlite3.Error may be raised, whatever the query says it does not."""
    connection, places = postings.connection, postings.places
    words = query_words(query.query)
    having = {text: postings.having(text) for word in words for text in (word.text, *word.parts)}
    entries = {places[piece].entry for piece in frozenset().union(*having.values())}
    allowed = _allowed(connection, query.filters)
    if allowed is not None:
        entries &= allowed
    if not entries:
        return Ranking()
    terms = _terms(connection, words, having, len(places))
    whole = sum(term.weight for term in terms)
    asked = plain_words(query.query)
    ranked = [
        Ranked(
            piece=piece,
            score=score * (1 + _NAME_VOTE * likeness(asked, name)) * _VOTES[layer],
            coverage=sum(term.weight for term in terms if piece in term.pieces) / whole,
        )
        for piece, score, name, layer in _scored(
            connection, _asked(having, len(places)), entries if allowed is not None else None
        )
    ]
    ranked.sort(key=lambda one: (-one.score, one.piece))
    return Ranking(pieces=_spread(ranked, places, query.top_k), candidates=len(entries))


def _allowed(connection: sqlite3.Connection, filters: Mapping[str, str]) -> set[int] | None:
    """Return the entries that all filters let through, None where there are no filters."""
    allowed: set[int] | None = None
    for name, value in filters.items():
        if name.strip().lower() == "scope":
            passing = _within(connection, value)
        else:
            found = connection.execute(
                "SELECT entry FROM field WHERE name = ? AND value = ?",
                (clean(name.strip().lower()), folded(clean(value))),
            )
            passing = {entry for (entry,) in found}
        allowed = passing if allowed is None else allowed & passing
    return allowed


def _within(connection: sqlite3.Connection, scope: str) -> set[int]:
    wanted = scope.strip().strip("/")
    paths: Iterable[tuple[int, str]] = connection.execute("SELECT id, path FROM entry")
    return {entry for entry, path in paths if not wanted or path == wanted or path.startswith(f"{wanted}/")}


def _terms(
    connection: sqlite3.Connection, words: tuple[QueryWord, ...], having: Mapping[str, frozenset[int]], pieces: int
) -> list[_Term]:
    """Return what is asked for, each stem once: a name in camel case asks for its parts, and stands for all of them."""
    found: dict[str, frozenset[int]] = {}
    for word in words:
        parts = [part for part in word.parts if part.casefold() not in STOP_WORDS] or [word.text]
        for part in parts:
            stem = _stem(connection, part)
            found[stem] = found.get(stem, frozenset()) | having[part] | having[word.text]
    return [_Term(pieces=those, weight=_weight(len(those), pieces)) for those in found.values()]


def _weight(having: int, pieces: int) -> float:
    return math.log(1 + (pieces - having + 0.5) / (having + 0.5))


def _stem(connection: sqlite3.Connection, word: str) -> str:
    connection.execute("DELETE FROM temp.scratch")
    connection.execute("INSERT INTO temp.scratch (word) VALUES (?)", (word,))
    return " ".join(stem for (stem,) in connection.execute("SELECT term FROM temp.stems ORDER BY offset"))


def _asked(having: Mapping[str, AbstractSet[int]], pieces: int) -> list[str]:
    """Return the words that tell pieces apart, rarest first: what half of the pieces have weighs nothing in BM25."""
    present = sorted((word for word, those in having.items() if those), key=lambda word: len(having[word]))
    asked: list[str] = []
    hits = 0
    for word in present:
        hits += len(having[word])
        if asked and (hits > _RANKED_HITS or len(having[word]) * 2 > pieces):
            break
        asked.append(word)
    return asked


def _scored(
    connection: sqlite3.Connection, words: list[str], entries: set[int] | None
) -> list[tuple[int, float, str, str]]:
    match = " OR ".join(map(_quoted, words))
    if entries is None:
        return connection.execute(_RANK.format(also=""), (match, _CONSIDERED)).fetchall()
    within = json.dumps(sorted(entries))
    return connection.execute(_RANK.format(also=_WITHIN), (match, within, _CONSIDERED)).fetchall()


def _spread(ranked: list[Ranked], places: Mapping[int, Placed], most: int) -> tuple[Ranked, ...]:
    """Keep the best pieces, at most so many of one entry; an abstract only where no section of its entry is kept."""
    kept: list[Ranked] = []
    taken: dict[int, int] = {}
    for one in ranked:
        place = places[one.piece]
        count = taken.get(place.entry, 0)
        if count < PIECES_AN_ENTRY and (place.layer != Layer.L0 or count == 0):
            kept.append(one)
            taken[place.entry] = count + 1
        if len(kept) == most:
            break
    return tuple(kept)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
