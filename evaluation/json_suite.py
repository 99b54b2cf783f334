"""JSONTestSuite and the naughty strings through the verdict parser and the row builder: no crash, no hang, no PASS.

Each text is a reply by itself, in a fence, and a value inside a verdict object; and each is a tool's name, parameters,
key, output, error message, topic, turn and session. Reads `--data` only; exit code 1 if anything broke.
"""

import argparse
import faulthandler
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from groundtrace import (
    Invocation,
    RecordRules,
    Redactor,
    Support,
    ToolCall,
    Verdict,
    decide,
    label_rows,
    outcome_of,
    outcomes,
    parse_verdict,
    record,
    row_from_json,
    row_to_json,
)

FOLDER = Path("json-malformed")
HANG_SECONDS = 10.0
"""An item that takes longer is a hang: the run ends there and then, with a traceback."""

RULES = RecordRules(redactor=Redactor(b"evaluation" * 3))
NOW = datetime(2026, 1, 1, tzinfo=UTC)
T = TypeVar("T")

REPLIES: dict[str, Callable[[str], str]] = {
    "the reply itself": lambda text: text,
    "in a fence": lambda text: f"```json\n{text}\n```",
    "a value of a PASS": lambda text: f'{{"verdict": "PASS", "evidence_ids": ["e1"], "detail": {text}}}',
    "a value of a fenced PASS": lambda text: (
        f'```\n{{"verdict": "PASS", "evidence_ids": ["e1"], "detail": {text}}}\n```'
    ),
    "instead of a verdict": lambda text: f'{{"verdict": {text}, "evidence_ids": ["e1"]}}',
    "instead of the citations": lambda text: f'{{"verdict": "PASS", "evidence_ids": {text}}}',
    "in front of a PASS": lambda text: text + '{"verdict": "PASS", "evidence_ids": ["e1"]}',
    "behind a PASS": lambda text: '{"verdict": "PASS", "evidence_ids": ["e1"]}' + text,
}
BESIDE = ("in front of a PASS", "behind a PASS")
"""Not counted there: files of white space or a BOM alone, which section 8 accepts around a reply."""

PLACES = ("session_id", "tool_name", "turn_id", "topic_domain", "params", "key", "output", "bytes", "message")


@dataclass(slots=True)
class Tally:
    """What came of the items so far."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: float = 0.0
    slowest_item: str = ""

    def run(self, item: str, work: Callable[[], T]) -> T | None:
        """Do one item under the clock; an exception is broken and never passed on."""
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        began = perf_counter()
        try:
            return work()
        except Exception as crash:  # noqa: BLE001 - any crash is what this looks for
            self.broken.append(f"{item}: {type(crash).__name__}: {str(crash)[:200]}")
            return None
        finally:
            faulthandler.cancel_dump_traceback_later()
            took = perf_counter() - began
            if took > self.slowest:
                self.slowest, self.slowest_item = took, item


def main() -> int:
    """Run all and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    folder = parser.parse_args().data / FOLDER
    if not folder.is_dir():
        raise SystemExit(f"{folder}: no such folder; name the data with --data")
    suite = {path.name: path.read_bytes() for path in sorted(folder.glob("JSONTestSuite/test_*/*.json"))}
    naughty: list[str] = json.loads((folder / "blns" / "blns.json").read_text("utf-8"))
    tally = Tally()
    _replies(tally, suite)
    _naughty_replies(tally, naughty)
    texts = [(name, raw.decode("utf-8", "replace")) for name, raw in suite.items()]
    texts += [(f"naughty {number}", text) for number, text in enumerate(naughty)]
    texts += [(f"halved {number}", text[:3] + "\ud83d\x00" + text[3:]) for number, text in enumerate(naughty)]
    _rows(tally, texts)
    _report(tally, len(suite), len(naughty))
    return 1 if tally.broken else 0


def _replies(tally: Tally, suite: dict[str, bytes]) -> None:
    """`n_` files are no JSON, `y_` files are, `i_` files may be either; the folder of transforms has other names."""
    for name, raw in suite.items():
        kind = name[:2] if name[:2] in {"n_", "y_", "i_"} else "other"
        text = raw.decode("utf-8", "replace")
        for place, wrap in REPLIES.items():
            item = f"{name} as {place}"
            verdict = tally.run(item, partial(_verdict, wrap(text)))
            if verdict is None or (place in BESIDE and _is_packaging(text)):
                continue
            tally.counts[f"{kind} {place}", verdict.value] += 1
            if kind == "n_" and verdict is Verdict.PASS:
                tally.broken.append(f"{item}: PASS")


def _naughty_replies(tally: Tally, naughty: Iterable[str]) -> None:
    for number, text in enumerate(naughty):
        quoted = json.dumps(text)
        for place, wrap in REPLIES.items():
            for form, reply in (("raw", wrap(text)), ("quoted", wrap(quoted))):
                item = f"naughty {number} {form} as {place}"
                verdict = tally.run(item, partial(_verdict, reply))
                if verdict is not None:
                    tally.counts[f"naughty, {form}, {place}", verdict.value] += 1


def _is_packaging(text: str) -> bool:
    return not text.removeprefix("\ufeff").strip()


def _verdict(text: str) -> Verdict:
    return decide(parse_verdict(text, finish_reason="stop"), SHOWN).verdict


def _rows(tally: Tally, texts: Iterable[tuple[str, str]]) -> None:
    for name, text in texts:
        for place in PLACES:
            item = f"{name} as {place}"
            word = tally.run(item, partial(_row_word, text, place))
            tally.counts[f"row, {place}", word or "crash"] += 1
            if word is not None and word not in {"kept", "refused"}:
                tally.broken.append(f"{item}: {word}")


def _row_word(text: str, place: str) -> str:
    """Return what came of a row: kept, refused (a key that is blank or too long), or what is wrong with it."""
    try:
        call = _call(text, place)
    except ValueError:
        return "refused"
    row = record(call, _outcome(text, place), rules=RULES)
    faults = [name for name, told in _columns(row) if "\x00" in told or not _is_unicode(told)]
    if faults:
        return f"column {faults[0]} holds what cannot be stored"
    outcome_of(row)
    back = row_from_json(row_to_json(row)).value_or(None)
    return "kept" if back == row else "comes back from JSON as another row"


def _call(text: str, place: str) -> ToolCall:
    def here(name: str, otherwise: str) -> str:
        return text if place == name else otherwise

    return ToolCall(
        session_id=here("session_id", "s"),
        id="call-1",
        tool_name=here("tool_name", "t"),
        turn_id=here("turn_id", "turn"),
        topic_domain=text if place == "topic_domain" else None,
        input_params={text: [text]} if place == "key" else text if place == "params" else {},
        started_at=NOW,
        duration_ms=1,
    )


def _outcome(text: str, place: str) -> outcomes.Outcome:
    if place == "message":
        return outcomes.failure_because(outcomes.FailureKind.ERROR, text)
    raw = text.encode("utf-8", "surrogatepass") if place == "bytes" else text
    return outcomes.Success(support=Support.INDIRECT, output=raw if place in {"output", "bytes"} else "x")


def _columns(row: Invocation) -> Iterator[tuple[str, str]]:
    for name in row.__slots__:
        value = getattr(row, name)
        if isinstance(value, str):
            yield name, value


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


SHOWN = label_rows([record(_call("", ""), outcomes.Success(support=Support.DIRECT, output="seen"), rules=RULES)])


def _report(tally: Tally, files: int, naughty: int) -> None:
    print(f"{files} files, {naughty} naughty strings (rows also with a NUL and half a surrogate pair inside)")
    for subject in dict.fromkeys(subject for subject, _ in tally.counts):
        words = sorted((word, count) for (one, word), count in tally.counts.items() if one == subject)
        print(f"  {subject}: " + ", ".join(f"{word} {count}" for word, count in words))
    n_passed = sum(n for (subject, word), n in tally.counts.items() if subject.startswith("n_") and word == "PASS")
    print(f"PASS from an n_ file: {n_passed}")
    print(f"slowest item: {tally.slowest * 1e3:.0f} ms ({tally.slowest_item}); over {HANG_SECONDS:.0f} s is a hang")
    print(f"broken: {len(tally.broken)}")
    for line in tally.broken[:50]:
        print(f"  {line.encode('ascii', 'backslashreplace').decode()}")


if __name__ == "__main__":
    raise SystemExit(main())
