"""A hostile verifier reply, parsed and decided, against `json.loads` of a flat text of that size.

Where the reply is JSON within the bounds, `json.loads` of that very text stands beside it: nothing that parses it takes
less. The check of its depth, which comes before, is measured by itself.
"""

import json
from collections.abc import Callable
from time import process_time

from returns.pipeline import is_successful

from groundtrace.decision import decide
from groundtrace.strict_json import MAX_BYTES, parse_json, too_deep
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
    "1 MB of arrays nested 60 deep": "[" + ("[" * 60 + "]" * 60 + ",") * 8_200 + "1]",
    "1 MB of braces in prose": "see " + "{x} " * 250_000,
    "1 MB of open objects in prose": "see " + '{"a": [1, {"b": ' * 3 + "1, " * 330_000,
}


def main() -> None:
    """Print each time as a ratio to both flat texts and to the text itself; the smallest of some rounds each."""
    for name, raw in REPLIES.items():
        assert decide(parse_verdict(raw), ()).verdict is Verdict.LOW_CONFID, name
        ours, depth = _best(parse_verdict, raw), _best(too_deep, raw[:MAX_BYTES])
        string = _best(json.loads, '"' + "x" * (len(raw) - 2) + '"')
        array = _best(json.loads, "[" + "1," * ((len(raw) - 3) // 2) + "1]")
        itself = f", {ours / _best(json.loads, raw):.2f}x the same text" if _is_parsed(raw) else ""
        print(
            f"{name} ({len(raw):,} characters): {ours * 1e6:,.0f} us, {ours / array:.3f}x a flat array,"
            f" {ours / string:.2f}x one flat string{itself}; its depth alone {depth / array:.3f}x a flat array"
        )


def _is_parsed(raw: str) -> bool:
    return is_successful(parse_json(raw))


def _best(work: Callable[[str], object], text: str) -> float:
    return min(_timed(work, text) for _ in range(ROUNDS))


def _timed(work: Callable[[str], object], text: str) -> float:
    started = process_time()
    work(text)
    return process_time() - started


if __name__ == "__main__":
    main()
