"""Answers that passed, made false in one place: how many of them does the verifier of the rules still let pass?

Asks the shipped incident; each line of each passed answer is changed in every way of `CHANGES`, one at a time, and the
whole answer is verified again on the same rows. `--passed` prints each changed line that passed.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from groundtrace.invocation import Invocation, ToolCall
from groundtrace.plan import parse_plan
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor
from groundtrace.roles import DraftRequest, PlanRequest, Shown, ToolSpec, VerifyRequest
from groundtrace.showing import label_rows
from groundtrace_adapters.models.rules.drafter import draft
from groundtrace_adapters.models.rules.planner import STEPS, plan
from groundtrace_adapters.models.rules.verifier import verify
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.tools.opening import tools_of

INCIDENT = Path(__file__).resolve().parents[1] / "examples" / "incident"
NOW = datetime(2026, 11, 30, 17, 30, tzinfo=UTC)
RULES = RecordRules(redactor=Redactor(bytes(32)))
QUESTIONS = (
    "what went wrong at 16:55?",
    "why were connections refused at 16:55?",
    "how many connections did billing-report hold at 16:55?",
    "what happened to checkout between 16:57 and 16:59?",
    "was anything blocked by locks at 16:58?",
    "which process was holding the lock at 16:58?",
    "was fulfilment slow at 16:58?",
    "how many requests failed for checkout between 16:54 and 16:56?",
    "did the schema-migration take a lock at 16:57?",
    "what does too many clients already mean?",
    "what should I do when many sessions wait for a lock?",
)

Change: TypeAlias = Callable[[str], Iterable[str]]
"""From a line to the same line made false in one place, for each such place."""

_QUOTED = re.compile(r"`[^`]*`|\u201c[^\u201d]*\u201d|\{[^{}]*\}")
_NUMBER = re.compile(r"(?<![\w.:-])\d+(?:\.\d+)?(?![\w:.-]|\.\d)")
_CLOCK = re.compile(r"(?<=\s)(\d\d)(?=:\d\d:\d\dZ)")
_CITED = re.compile(r" \[e\d+\]")
_QUOTE = re.compile(r"(?<=`)[^`]{12,}(?=`)|(?<=says: \u201c)[^\u201d]{12,}(?=\u201d)")


def main() -> None:
    """Print, for each way of changing a line, how the changed answers were judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passed", action="store_true", help="print each changed line that passed")
    given = parser.parse_args()
    counts, passed = asyncio.run(_measure())
    for change in CHANGES:
        row = {verdict: counts[change, verdict] for verdict in ("PASS", "LOW_CONFID", "REJECT")}
        print(f"{change:12} n={sum(row.values()):4}  " + "  ".join(f"{word} {count}" for word, count in row.items()))
    print(f"answers that passed unchanged: {counts['unchanged', 'PASS']} of {len(QUESTIONS)}")
    if given.passed:
        print(*passed, sep="\n")


async def _measure() -> tuple[Counter[tuple[str, str]], list[str]]:
    settings = Settings(
        knowledge=str(INCIDENT / "runbooks"),
        logs=tuple(str(INCIDENT / name) for name in ("server.log", "clients.log", "apps.jsonl")),
        metrics=(str(INCIDENT / "metrics.om"),),
    )
    tools = tools_of(settings)
    specs = tuple([await tool.describe() for tool in tools])
    counts: Counter[tuple[str, str]] = Counter()
    passed: list[str] = []
    for question in QUESTIONS:
        rows = await _gather(question, tools, specs)
        answer = draft(DraftRequest(question=question, shown=rows))
        verdict = _verdict(question, answer, rows)
        counts["unchanged", verdict] += 1
        for change, changed, line in _changed(answer) if verdict == "PASS" else ():
            verdict = _verdict(question, changed, rows)
            counts[change, verdict] += 1
            passed += [f"{change}: {question} {line}"] if verdict == "PASS" else []
    return counts, passed


async def _gather(question: str, tools: Sequence[EvidenceTool], specs: tuple[ToolSpec, ...]) -> tuple[Shown, ...]:
    by_name = {tool.name: tool for tool in tools}
    rows: list[Invocation] = []
    texts: dict[str, str] = {}
    for step in range(1, STEPS + 1):
        request = PlanRequest(question=question, now=NOW, tools=specs, seen=label_rows(rows, whole=texts), step=step)
        for call in parse_plan(plan(request)).unwrap():
            number = f"{len(rows):03}"
            answer = await by_name[call.tool].run(call.params, session_id=question, call_id=number)
            seen = ToolCall(
                session_id=question, id=number, tool_name=call.tool, input_params=call.params,
                started_at=NOW + timedelta(milliseconds=len(rows)), duration_ms=0,
            )  # fmt: skip
            rows.append(record(seen, answer.outcome, rules=RULES))
            texts[number] = answer.text
    return label_rows(rows, whole=texts)


def _verdict(question: str, answer: str, rows: tuple[Shown, ...]) -> str:
    request = VerifyRequest(
        question=question, answer=answer, shown=rows, coverage=(), earlier=(), prompt="", version="", sha256=""
    )
    return str(json.loads(verify(request))["verdict"])


def _changed(answer: str) -> Iterator[tuple[str, str, str]]:
    """Yield each way of changing one line: its name, the whole answer, and the line."""
    lines = answer.split("\n")
    for place, line in enumerate(lines):
        for name, change in CHANGES.items():
            for other in change(line):
                if other != line:
                    yield name, "\n".join([*lines[:place], other, *lines[place + 1 :]]), other


def _at(pattern: re.Pattern[str], new: Callable[[str], str], /, *, quoted: bool = False) -> Change:
    """Change each place of a pattern alone; with `quoted` places inside quotations too."""

    def change(line: str) -> Iterator[str]:
        seen = line if quoted else _QUOTED.sub(lambda found: "\x00" * len(found[0]), line)
        for found in pattern.finditer(seen):
            yield line[: found.start()] + new(found[0]) + line[found.end() :]

    return change


def _word(old: str, new: str) -> Change:
    return _at(re.compile(rf"(?<= ){old}(?= )"), lambda _: new)


CHANGES: dict[str, Change] = {
    "number": _at(_NUMBER, lambda old: str(int(old) + 1) if old.isdigit() else f"{float(old) * 1.1:.4g}"),
    "hour": _at(_CLOCK, lambda old: f"{(int(old) + 1) % 24:02}"),
    "direction": _word("rose", "fell"),
    "denied": lambda line: (*_word("was", "was never")(line), *_word("logged", "did not log")(line)),
    "completed": lambda line: (*_word("was", "was always")(line), *_word("logged", "alone logged")(line)),
    "invented": _word("logged", "crashed and logged"),
    "cause": _at(_CITED, lambda old: f" because the disk was full{old}"),
    "uncited": _at(_CITED, lambda _: ""),
    "quotation": _at(_QUOTE, lambda old: re.sub(r" ", " not ", old, count=1), quoted=True),
}


if __name__ == "__main__":
    main()
