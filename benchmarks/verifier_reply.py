"""A hostile verifier reply, parsed and decided, against `json.loads` of a flat text of that size."""

import json
from collections.abc import Callable
from time import perf_counter

from groundtrace.decision import decide
from groundtrace.verdict import Verdict
from groundtrace.verdict_parser import parse_verdict

MEGABYTE = 1_000_000
ROUNDS = 15

# Flat texts of two kinds: one string, which `json.loads` copies fastest of all, and one array of small numbers.
REPLIES: dict[str, str] = {
    "10 MB in one string": '{"verdict": "PASS", "reasons": ["' + "x" * (10 * MEGABYTE) + '"]}',
    "10 MB of arrays": "[" * (10 * MEGABYTE),
    "10 MB of white space": " " * (10 * MEGABYTE) + '{"verdict": "PASS"}',
    "100,000 arrays deep": "[" * 100_000,
    "100,000 objects deep": '{"a":' * 100_000,
    "100,000 deep, closed": "[" * 100_000 + "]" * 100_000,
    "100,000 deep in a fence": "```json\n" + "[" * 100_000 + "\n```",
    "100,000 deep behind a verdict": '{"verdict": "PASS", "evidence_ids": ["e1"], "detail": ' + "[" * 100_000,
    "100,000 deep behind 500 KB of strings": "[" + '"a", ' * 100_000 + "[" * 100_000,
    "1 MB of shallow arrays": "[" + "[]," * 333_000 + "1]",
    "1 MB of braces in prose": "see " + "{x} " * 250_000,
    "1 MB of open objects in prose": "see " + '{"a": [1, {"b": ' * 3 + "1, " * 330_000,
}


def main() -> None:
    """Print each time as a ratio to both flat texts; the smallest of some rounds each."""
    for name, raw in REPLIES.items():
        assert decide(parse_verdict(raw), ()).verdict is Verdict.LOW_CONFID, name
        ours = _best(parse_verdict, raw)
        string = _best(json.loads, '"' + "x" * (len(raw) - 2) + '"')
        array = _best(json.loads, "[" + "1," * ((len(raw) - 3) // 2) + "1]")
        print(
            f"{name} ({len(raw):,} characters): {ours * 1e6:,.0f} us, "
            f"{ours / array:.3f}x a flat array, {ours / string:.2f}x one flat string"
        )


def _best(work: Callable[[str], object], text: str) -> float:
    return min(_timed(work, text) for _ in range(ROUNDS))


def _timed(work: Callable[[str], object], text: str) -> float:
    started = perf_counter()
    work(text)
    return perf_counter() - started


if __name__ == "__main__":
    main()
