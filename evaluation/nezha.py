"""What went wrong at a minute? One day of injected faults asked to the whole assistant, and every PASS checked.

(a) without a pod's name: is the injected pod among the first one and three that the answer names? (b) about that pod.
(c) about a pod without a fault in that minute, and about the injected pod in a quiet minute. Reads `--data` only.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nezha_truth import Day, Fault, faults_of, named_pods, read_day

from groundtrace_app.chat import ChatService
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace
from groundtrace_app.wiring import open_chat, open_model, open_tools

FOLDER = Path("nezha/rca_data/2023-01-30")
RUNBOOKS = Path("runbooks/prometheus-operator/content")
QUIET = timedelta(minutes=4)
"""How long before a fault the quiet minute lies; no other fault is within this time of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question; `pod` is the asked one, `healthy` tells that it has no fault at that minute."""

    kind: str
    text: str
    at: datetime
    fault: Fault
    pod: str | None
    healthy: bool
    logged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its answer as drafted, the decision, and what is wrong with it if it passed."""

    question: Question
    verdict: str
    answer: str
    wrong: tuple[str, ...]
    place: int | None


def main() -> None:
    """Ask everything and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--answers", action="store_true", help="print every answer")
    given = parser.parse_args()
    folder = given.data / FOLDER
    if not folder.is_dir():
        raise SystemExit(f"{folder}: no such folder; name the data with --data")
    day = read_day(folder)
    asked = asyncio.run(_ask_all(given.data, day))
    if given.answers:
        for one in asked:
            print(f"\n{one.question.text} -> {one.verdict}\n{one.answer}")
    _report(asked)
    if any(one.wrong for one in asked):
        raise SystemExit(1)


def questions(day: Day, /) -> Iterable[Question]:
    """Yield four questions a fault: (a), (b), and both of (c)."""
    for fault in day.faults:
        at = fault.at.replace(second=0, microsecond=0)
        logged = any(
            fault.at - timedelta(minutes=1) <= moment <= fault.at for logs in day.logs.values() for moment, _ in logs
        )
        quiet = at - QUIET
        other = _without_fault(day, at)
        for kind, pod, moment, healthy in (
            ("a", None, at, False),
            ("b", fault.pod, at, False),
            ("c: other pod", other, at, True),
            ("c: quiet minute", fault.pod, quiet, True),
        ):
            about = f" with {pod}" if pod else ""
            text = f"what went wrong{about} at {moment:%H:%M}?"
            yield Question(kind=kind, text=text, at=moment, fault=fault, pod=pod, healthy=healthy, logged=logged)


def _without_fault(day: Day, at: datetime) -> str:
    """Return a pod without a fault near a moment, another at each moment."""
    faulty = {fault.pod for fault in day.faults if abs(fault.at - at) < timedelta(minutes=10)}
    free = [pod for pod in day.pods if pod not in faulty]
    return free[(at.hour * 60 + at.minute) % len(free)]


async def _ask_all(data: Path, day: Day) -> list[Asked]:
    settings = Settings(
        store="memory:",
        knowledge=str(data / RUNBOOKS),
        logs=(str(data / FOLDER / "log"),),
        metrics=(str(data / FOLDER / "metric"),),
    )
    trace = open_trace(settings).unwrap()
    chat = open_chat(settings, trace, open_tools(settings).unwrap(), open_model(settings).unwrap())
    try:
        return [await _ask(chat, question, day, f"nezha/{number}") for number, question in enumerate(questions(day))]
    finally:
        trace.close()


async def _ask(chat: ChatService, question: Question, day: Day, session_id: str) -> Asked:
    turn = (await chat.answer(question.text, session_id=session_id)).unwrap()
    verdict: str = turn.decision.verdict.value if turn.decision else "none"
    answer = (turn.evaluation.answer if turn.evaluation else None) or ""
    wrong = faults_of(answer, day, asked=question.at, pod=question.pod, healthy=question.healthy)
    named = named_pods(answer, day)
    place = named.index(question.fault.pod) + 1 if question.fault.pod in named else None
    return Asked(
        question=question, verdict=verdict, answer=answer, wrong=tuple(wrong) if verdict == "PASS" else (), place=place
    )


def _report(asked: Sequence[Asked]) -> None:
    print(f"{len(asked)} questions about {len({one.question.fault.at for one in asked})} faults")
    kinds = dict.fromkeys(one.question.kind for one in asked)
    for kind in kinds:
        ones = [one for one in asked if one.question.kind == kind]
        counts = Counter(one.verdict for one in ones)
        wrong = sum(1 for one in ones if one.wrong)
        print(f"({kind}) n={len(ones)}  " + "  ".join(f"{word} {n}" for word, n in sorted(counts.items())), end="")
        print(f"  wrong PASS {wrong}")
    first = [one for one in asked if one.question.kind == "a"]
    for name, group in _groups(first):
        top = [sum(1 for one in group if one.place is not None and one.place <= most) for most in (1, 3)]
        print(f"(a) injected pod named first {top[0]}, among the first three {top[1]}, of {len(group)} {name}")
    for one in asked:
        for fault in one.wrong:
            print(f"WRONG PASS {one.question.text}: {fault}")


def _groups(asked: Sequence[Asked]) -> Iterable[tuple[str, Sequence[Asked]]]:
    yield "faults", asked
    yield "faults whose minute has logs", [one for one in asked if one.question.logged]
    for kind in sorted({one.question.fault.kind for one in asked}):
        yield f"faults of {kind}", [one for one in asked if one.question.fault.kind == kind]


if __name__ == "__main__":
    main()
