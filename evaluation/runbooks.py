"""lookup over a folder of runbooks: is the right one found, and is a question that none answers refused?

Cut-offs are tuned on the questions of even index and reported on those of odd index. Reads `--data`, writes nothing.
"""

import argparse
import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from in_other_words import PARAPHRASES
from off_topic import OFF_TOPIC

from groundtrace.relevance import FLOOR, deliver
from groundtrace.sources import KnowledgeAnswer, KnowledgeQuery, SourceError
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource
from groundtrace_adapters.sources.markdown_words import name_parts

RUNBOOKS = Path("runbooks/prometheus-operator/content")
CANDIDATE_FLOORS = tuple(number / 100 for number in range(20, 91, 5))
NOT_FOUND = 1_000
"""A place behind every other."""

_MEANING = re.compile(r"^## Meaning\s*\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and the entries that answer it; none where nothing does."""

    query: str
    entries: tuple[str, ...] = ()


def main() -> None:
    """Print recall, refusals and what each floor would do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--misses", action="store_true", help="print each question that went wrong")
    given = parser.parse_args()
    folder = given.data / RUNBOOKS
    if not folder.is_dir():
        raise SystemExit(f"{folder}: no such folder; name the data with --data")
    asyncio.run(_measure(folder, _questions(folder), misses=given.misses))


async def _measure(folder: Path, kinds: dict[str, list[Question]], *, misses: bool) -> None:
    source = MarkdownKnowledgeSource(folder)
    answers = {kind: [(one, await _search(source, one)) for one in questions] for kind, questions in kinds.items()}
    source.close()
    print(f"{len(kinds['alert name'])} runbooks, floor {FLOOR}; halves by index: even tunes, odd reports")
    for kind, pairs in answers.items():
        _report(kind, pairs, misses=misses)
    _report_floors(answers)


def _questions(folder: Path) -> dict[str, list[Question]]:
    files = sorted(path for path in (folder / "runbooks").rglob("*.md") if path.name != "_index.md")
    named = [(path.relative_to(folder).as_posix(), path.stem) for path in files]
    meanings = [
        Question(query=_without_name(found[1], path.stem), entries=(path.relative_to(folder).as_posix(),))
        for path in files
        if (found := _MEANING.search(path.read_text(encoding="utf-8"))) is not None
    ]
    return {
        "alert name": [Question(query=stem, entries=(entry,)) for entry, stem in named],
        "alert name in words": [
            Question(query=" ".join(_split(stem)).lower(), entries=(entry,)) for entry, stem in named
        ],
        "text of Meaning, name removed": meanings,
        "in other words": [
            Question(query=query, entries=tuple(entry for entry, stem in named if stem in stems))
            for query, stems in PARAPHRASES
        ],
        "off topic": [Question(query=query) for query in OFF_TOPIC],
    }


def _split(stem: str) -> Sequence[str]:
    return name_parts(stem) or (stem,)


def _without_name(text: str, stem: str) -> str:
    spaced = r"\s*".join(map(re.escape, _split(stem)))
    return " ".join(re.sub(spaced, " ", text, flags=re.IGNORECASE).split())


async def _search(source: MarkdownKnowledgeSource, question: Question) -> KnowledgeAnswer:
    found = await source.search(KnowledgeQuery(query=question.query))
    return found.lash(_stop).unwrap()


def _stop(error: SourceError) -> NoReturn:
    raise SystemExit(error.message)


def _report(kind: str, pairs: Iterable[tuple[Question, KnowledgeAnswer]], *, misses: bool) -> None:
    for half, chosen in (("even", list(pairs)[::2]), ("odd", list(pairs)[1::2])):
        if kind == "off topic":
            wrong = [(question, answer) for question, answer in chosen if deliver(answer)[1]]
            print(f"{kind} ({half}, n={len(chosen)}): refused {_rate(len(chosen) - len(wrong), len(chosen))}")
        else:
            places = [_place(question, answer) for question, answer in chosen]
            first, five = (sum(place <= most for place in places) for most in (1, 5))
            given = [_place(question, answer, delivered=True) for question, answer in chosen]
            kept = sum(place <= 5 for place in given)
            wrong = [pair for pair, place in zip(chosen, given, strict=True) if place > 1]
            print(
                f"{kind} ({half}, n={len(chosen)}): recall@1 {_rate(first, len(chosen))}, "
                f"recall@5 {_rate(five, len(chosen))}, delivered above the floor {_rate(kept, len(chosen))}"
            )
        if misses:
            for question, answer in wrong:
                _print_miss(question, answer)


def _place(question: Question, answer: KnowledgeAnswer, *, delivered: bool = False) -> int:
    passages = deliver(answer)[1] if delivered else answer.passages
    entries = list(dict.fromkeys(passage.entry for passage in passages))
    return next((place for place, entry in enumerate(entries, 1) if entry in question.entries), NOT_FOUND)


def _print_miss(question: Question, answer: KnowledgeAnswer) -> None:
    found = ", ".join(f"{one.uri} {one.coverage:.2f}" for one in answer.passages[:3])
    print(f"    {question.query[:90]!r} wants {' or '.join(question.entries) or 'nothing'}: {found}")


def _report_floors(answers: dict[str, list[tuple[Question, KnowledgeAnswer]]]) -> None:
    print("floor: delivered right entry among five / refused off topic")
    for floor in CANDIDATE_FLOORS:
        cells = []
        for name, start in (("even", 0), ("odd", 1)):
            on = [pair for kind, pairs in answers.items() if kind != "off topic" for pair in pairs[start::2]]
            off = answers["off topic"][start::2]
            kept = sum(
                any(one.coverage >= floor and one.entry in question.entries for one in answer.passages)
                for question, answer in on
            )
            refused = sum(all(one.coverage < floor for one in answer.passages) for _, answer in off)
            cells.append(f"{name} {_rate(kept, len(on))} / {_rate(refused, len(off))}")
        print(f"  {floor:.2f}  {'   '.join(cells)}")


def _rate(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part}/{whole})" if whole else "none"


if __name__ == "__main__":
    main()
