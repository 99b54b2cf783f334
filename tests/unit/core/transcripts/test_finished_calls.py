"""The window over finished calls: what it remembers, by session, and that it never grows beyond its bound."""

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind, OutcomeKind, Support
from groundtrace.transcripts.finished_calls import WINDOW, FinishedCalls

FOUND = outcomes.Success(support=Support.INDIRECT, output="3 lines")


def finish(finished: FinishedCalls, session: str, key: str, outcome: outcomes.Outcome = FOUND) -> None:
    finished.add(session, key=key, call_id=f"id of {key}", question="q", row_id=f"row of {key}", outcome=outcome)


def test_a_finished_call_is_known_in_its_session_alone() -> None:
    finished = FinishedCalls()
    finish(finished, "a", "1")
    assert finished.has("a", "1")
    assert finished.has_id("a", "id of 1")
    assert not finished.has("b", "1")
    assert not finished.has_id("b", "id of 1")


def test_the_last_call_that_asked_the_same_is_told_whatever_it_amounted_to() -> None:
    finished = FinishedCalls()
    finish(finished, "a", "1")
    finish(finished, "a", "2", outcomes.failure_because(FailureKind.TIMEOUT, "late"))
    finish(finished, "a", "3", outcomes.deduped_from("refused_repeat", ()))
    assert finished.earlier("a", "q") == ("row of 2", OutcomeKind.FAILURE)


def test_the_oldest_call_is_forgotten_behind_the_window() -> None:
    finished = FinishedCalls()
    for number in range(WINDOW + 1):
        finish(finished, "a", str(number))
    assert not finished.has("a", "0")
    assert finished.has("a", "1")
    assert finished.has("a", str(WINDOW))
