"""How well imported calls' outcomes are inferred where nothing but the output is known: each class, and each source.

Reads `outcome-gold/dev.jsonl` under `--data`; the peer's flags are not shown to the rules. Exit code 1 if a figure to
reach is missed, or if an answer that only names a place came out DIRECT.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundtrace import outcomes
from groundtrace.inference import infer
from groundtrace.inference.absence_texts import ABSENCE
from groundtrace.inference.failure_calls import CALLS
from groundtrace.inference.failure_messages import MESSAGES
from groundtrace.inference.failure_network import NETWORK
from groundtrace.inference.failure_own import KUBECTL, OWN
from groundtrace.inference.failure_plain import PLAIN
from groundtrace.inference.judging import read
from groundtrace.inference.pointers import ONLY_A_PATH, ONLY_THE_QUERY
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Support
from groundtrace.transcripts.events import Returned

CLASSES = ("evidence", "failure", "no_evidence", "pointer")
TABLES = {
    "absence": ABSENCE,
    "own": OWN,
    "kubectl": KUBECTL,
    "plain": PLAIN,
    "network": NETWORK,
    "calls": CALLS,
    "messages": MESSAGES,
}
TO_REACH = {"overall": 0.97, "no_evidence precision": 0.9, "no_evidence recall": 0.9, "failure F1": 0.95}
LONGEST_TEXT = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One output of the set: where it comes from, what it is, what was inferred, and by which rows of tables."""

    source: str
    tool: str
    gold: str
    inferred: str
    direct: bool
    rows: frozenset[str]


def main() -> int:
    """Print the figures; 1 if one of them is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--set", default="outcome-gold/dev.jsonl", help="the labelled outputs [%(default)s]")
    parser.add_argument("--wrong", action="store_true", help="also print each output that came out wrong")
    given = parser.parse_args()
    file: Path = given.data / given.set
    if not file.is_file():
        print(f"{file}: no such file")
        return 1
    judged = [_judged(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    figures = _figures(judged)
    print(f"{len(judged)} outputs of {len({one.source for one in judged})} sources")
    for name, figure in figures.items():
        print(f"    {name} {figure:.3f}")
    _print_sources(judged)
    if given.wrong:
        for one in judged:
            if one.gold != one.inferred:
                print(f"    {one.source} {one.tool}: {one.gold}, inferred {one.inferred}")
    faults = list(_faults(judged, figures))
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


def _judged(row: dict[str, str]) -> Judged:
    seen = infer(Returned(place="", call_id=None, output=row["output"]), tool_name=row["tool"], arguments=row["args"])
    direct = isinstance(seen, outcomes.Success) and seen.support is Support.DIRECT
    return Judged(
        source=row["corpus"],
        tool=row["tool"],
        gold=row["gold"],
        inferred=_class_of(seen),
        direct=direct,
        rows=frozenset(_rows(row["output"])),
    )


def _class_of(seen: outcomes.Outcome) -> str:
    """Return the class that an outcome stands for; a repeat is none of them."""
    match seen:
        case outcomes.Success():
            return "pointer" if ONLY_A_PATH in seen.partial else "evidence"
        case outcomes.NoEvidence():
            return "pointer" if ONLY_THE_QUERY in seen.partial else "no_evidence"
        case outcomes.Failure():
            return "failure"
        case _:
            return "repeat"


def _rows(output: str) -> Iterator[str]:
    """Give the rows of the tables that know the output, or a text in the object that it writes."""
    answer = read(output)
    for text in (answer.body, *_texts(answer.form)):
        plain = text.strip()
        if plain and len(plain) <= LONGEST_TEXT:
            yield from (
                f"{name}: {row}" for name, table in TABLES.items() for row in table.names_for(plain.rstrip("."))
            )


def _texts(form: JsonValue, deeper: int = 4) -> Iterator[str]:
    if isinstance(form, str):
        yield form
        inner = read(form).form if deeper else None
        yield from () if inner is None else _texts(inner, deeper - 1)
    elif isinstance(form, dict | list) and deeper:
        for item in list(form.values() if isinstance(form, dict) else form)[:20]:
            yield from _texts(item, deeper - 1)


def _figures(judged: Sequence[Judged]) -> dict[str, float]:
    figures = {"overall": sum(one.gold == one.inferred for one in judged) / max(1, len(judged))}
    for name in CLASSES:
        hits = sum(one.gold == name == one.inferred for one in judged)
        precision = hits / max(1, sum(one.inferred == name for one in judged))
        recall = hits / max(1, sum(one.gold == name for one in judged))
        figures[f"{name} precision"] = precision
        figures[f"{name} recall"] = recall
        figures[f"{name} F1"] = 2 * precision * recall / max(1e-9, precision + recall)
    return figures


def _print_sources(judged: Sequence[Judged]) -> None:
    """Print each source's own figure, and what is left of it without the rows that no other source shows."""
    where: dict[str, set[str]] = defaultdict(set)
    for one in judged:
        for row in one.rows:
            where[row].add(one.source)
    left_out = 0
    for source, number in Counter(one.source for one in judged).items():
        own = [one for one in judged if one.source == source]
        right = [one for one in own if one.gold == one.inferred]
        lost = [one for one in right if one.inferred in ("failure", "no_evidence") and _rests_on(one, where)]
        left_out += len(right) - len(lost)
        print(f"    {source}: {len(right) / number:.3f} of {number}; {(len(right) - len(lost)) / number:.3f} left out")
    print(f"    every source left out once: {left_out / len(judged):.3f}")


def _rests_on(one: Judged, where: dict[str, set[str]]) -> bool:
    """Tell whether an outcome rests on rows of tables that this source alone shows."""
    return bool(one.rows) and all(where[row] == {one.source} for row in one.rows)


def _faults(judged: Sequence[Judged], figures: dict[str, float]) -> Iterator[str]:
    for name, least in TO_REACH.items():
        if figures[name] < least:
            yield f"{name} is {figures[name]:.3f}, to reach is {least}"
    direct = sum(one.direct for one in judged)
    if direct:
        yield f"{direct} outcomes came out DIRECT, of which an import knows nothing"


if __name__ == "__main__":
    raise SystemExit(main())
