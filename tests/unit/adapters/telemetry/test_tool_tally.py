"""What metrics remember of calls, and what waits to be told: both within bounds."""

from __future__ import annotations

import threading
from datetime import timedelta

from groundtrace.outcomes import OutcomeKind
from groundtrace_adapters.telemetry.tally import QUESTIONS, TOOLS, ToolTally
from groundtrace_adapters.telemetry.waiting import Waiting, WaitingBounds
from groundtrace_testing.records import NOON, a_failure, a_row

DAY = timedelta(days=1)


def test_a_tool_that_returns_nothing_for_three_days_is_quiet_for_three_days() -> None:
    tally = ToolTally()
    empty = {"outcome": OutcomeKind.NO_EVIDENCE, "support": None, "reason": "empty_result"}
    rows = [
        a_row(started_at=NOON),
        a_row(started_at=NOON + DAY, **empty),
        a_failure(started_at=NOON + 2 * DAY),
        a_row(started_at=NOON + 4 * DAY, **empty),
        a_row(started_at=NOON + 5 * DAY),
    ]
    assert [tally.quiet(row) for row in rows] == [0, 0, 86_400, 3 * 86_400, 0]


def test_a_repeat_is_the_same_question_in_one_session() -> None:
    tally = ToolTally()
    rows = [
        a_row(),
        a_row(id="2"),
        a_row(id="3", session_id="other"),
        a_row(id="4", tool_name="query_metrics"),
        a_row(id="5", input_fingerprint="f2"),
        a_row(id="6", input_fingerprint="f3", outcome=OutcomeKind.DEDUPED),
    ]
    assert [tally.repeats(row) for row in rows] == [False, True, False, False, False, True]


def test_names_of_tools_are_bounded() -> None:
    tally = ToolTally()
    counted = [tally.tool(a_row(tool_name=f"tool-{number}")) for number in range(TOOLS + 50)]
    for number in range(TOOLS + 50):
        tally.quiet(a_failure(tool_name=f"tool-{number}"))
    assert len(set(counted)) == TOOLS + 1
    assert counted[TOOLS:] == ["_OTHER"] * 50
    assert tally.tool(a_row(tool_name="tool-3")) == "tool-3"
    assert tally.tool(a_row(tool_name="new")) == "_OTHER"


def test_questions_that_are_remembered_are_bounded() -> None:
    tally = ToolTally()
    for number in range(QUESTIONS + 1):
        tally.repeats(a_row(input_fingerprint=str(number)))
    assert tally.repeats(a_row(input_fingerprint="0")) is False
    assert tally.repeats(a_row(input_fingerprint=str(QUESTIONS))) is True


def test_what_finds_no_room_is_dropped_and_counted() -> None:
    waiting: Waiting[int] = Waiting(WaitingBounds(items=2, weight=100))
    assert [waiting.put(number, weight=40) for number in range(4)] == [True, True, False, False]
    assert (waiting.dropped(), waiting.dropped()) == (2, 0)
    assert waiting.take(10) == [0, 1]
    assert waiting.put(5, weight=101) is False


def test_what_was_taken_is_under_way_until_more_is_asked_for() -> None:
    waiting: Waiting[int] = Waiting(WaitingBounds())
    waiting.put(1, weight=1)
    assert waiting.drained(seconds=0) is False
    assert waiting.take(10) == [1]
    assert waiting.drained(seconds=0) is False
    waiting.close()
    assert waiting.take(10) == []
    assert waiting.drained(seconds=0) is True
    assert waiting.put(2, weight=1) is False


def test_who_waits_is_woken() -> None:
    waiting: Waiting[int] = Waiting(WaitingBounds())
    taken: list[int] = []
    thread = threading.Thread(target=lambda: taken.extend(waiting.take(10)))
    thread.start()
    waiting.put(7, weight=1)
    thread.join(5)
    assert taken == [7]
