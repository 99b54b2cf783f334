"""Indexing 10,000 Markdown sections, and the time of a lookup in them."""

import asyncio
import random
import statistics
import tempfile
from pathlib import Path
from time import perf_counter

from returns.pipeline import is_successful

from groundtrace.sources import KnowledgeQuery
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource

FILES = 1_000
SECTIONS_A_FILE = 10
QUERIES = 300
_WORDS_A_SECTION = 60
_VOCABULARY = 8_000

# The most frequent words of a language are filler; nobody's question is made of them.
_FILLER = 100


def main() -> None:
    """Print how long the index takes, and a lookup at the median and the 95th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        words = _write(Path(folder))
        asyncio.run(_measure(Path(folder), words))


async def _measure(folder: Path, words: list[str]) -> None:
    source = MarkdownKnowledgeSource(folder)
    begin = perf_counter()
    assert is_successful(await source.describe())
    indexed = perf_counter() - begin
    print(f"index {FILES * SECTIONS_A_FILE:,} sections in {FILES:,} files: {indexed:.2f} s (reach: under 2 s)")
    chance = random.Random(7)
    times = sorted([await _lookup(source, " ".join(_draw(chance, words[_FILLER:], 6))) for _ in range(QUERIES)])
    median, late = statistics.median(times) * 1_000, times[int(len(times) * 0.95)] * 1_000
    print(f"query of 6 words, n={QUERIES}: p50 {median:.2f} ms, p95 {late:.2f} ms (reach: p50 under 5 ms)")
    begin = perf_counter()
    (folder / "0000.md").write_text("# Changed\n\nquite another text\n", encoding="utf-8")
    await asyncio.sleep(2)
    begin = perf_counter()
    assert is_successful(await source.search(KnowledgeQuery(query="another text")))
    print(f"query after one of {FILES:,} files changed: {(perf_counter() - begin) * 1_000:.1f} ms")
    source.close()


async def _lookup(source: MarkdownKnowledgeSource, query: str) -> float:
    begin = perf_counter()
    assert is_successful(await source.search(KnowledgeQuery(query=query)))
    return perf_counter() - begin


def _write(folder: Path) -> list[str]:
    chance = random.Random(11)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwy", k=chance.randint(4, 9))) for _ in range(_VOCABULARY)]
    for number in range(FILES):
        sections = [
            f"## {' '.join(_draw(chance, words, 2))}\n\n{' '.join(_draw(chance, words, _WORDS_A_SECTION))}\n"
            for _ in range(SECTIONS_A_FILE)
        ]
        title = " ".join(_draw(chance, words, 3))
        (folder / f"{number:04d}.md").write_text(f"# {title}\n\n" + "\n".join(sections), encoding="utf-8")
    return words


def _draw(chance: random.Random, words: list[str], count: int) -> list[str]:
    """Draw words as language does: the n-th word about 1/n as often as the first."""
    return [words[min(int(chance.paretovariate(0.4)) - 1, len(words) - 1)] for _ in range(count)]


if __name__ == "__main__":
    main()
