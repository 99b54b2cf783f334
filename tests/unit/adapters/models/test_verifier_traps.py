"""Statements whose every word stands in the evidence and which are false all the same: none may pass."""

import json

import pytest

from groundtrace.material import series_lines
from groundtrace.roles import Shown
from groundtrace.sources import Aggregate
from groundtrace_adapters.models.rules.verifier import ANSWER_CHARACTERS, verify
from groundtrace_testing.shown_rows import entry, logs_shown, series, series_shown, shown, to_verify

LOGS = logs_shown(
    "e1",
    [
        entry("16:52:03", "FATAL: too many clients already", pod="db-0"),
        entry("16:52:30", "ERROR: card declined by bank", pod="till-0"),
        entry("16:52:40", "probe: 0 failed, lag 3 ms", pod="db-0"),
        entry("16:52:45", "WARN no space left, do not restart node 7", pod="db-0"),
    ],
    params={"start": "2031-05-06T16:50:00Z", "end": "2031-05-06T16:55:00Z"},
)
METRICS = series_shown(
    "e2",
    [
        series("connections", {"16:50:00": 4, "16:53:05": 38}, app="checkout"),
        series("connections", {"16:50:00": 3, "16:53:05": 2}, app="billing"),
    ],
)
BETWEEN = "what happened between 16:50 and 16:54?"


def verdict_on(answer: str, rows: tuple[Shown, ...] = (LOGS, METRICS), question: str = BETWEEN) -> str:
    return str(json.loads(verify(to_verify(question, answer, rows)))["verdict"])


@pytest.mark.parametrize(
    "answer",
    [
        "db-0 logged `card declined by bank` and till-0 logged `too many clients already` at 16:52 [e1].",
        "db-0 logged `too many clients already` at 16:52:45Z and `do not restart` at 16:52:03Z [e1].",
        "till-0 and db-0 logged `card declined by bank` at 16:52:30Z [e1].",
    ],
    ids=["whose", "when", "both"],
)
def test_parts_of_two_entries_are_not_swapped(answer: str) -> None:
    assert verdict_on(answer) == "LOW_CONFID"


def test_parts_of_two_entries_in_their_own_places_pass() -> None:
    answer = "db-0 logged `too many clients already` at 16:52:03Z and till-0 logged `card declined` at 16:52:30Z [e1]."
    assert verdict_on(answer) == "PASS"


@pytest.mark.parametrize(
    "answer",
    [
        "db-0 logged `failed` at 16:52:40Z [e1].",
        "db-0 logged `space left` at 16:52:45Z [e1].",
        "db-0 logged `restart node 7` at 16:52:45Z [e1].",
        "db-0 logged space left at 16:52:45Z [e1].",
        "db-0 failed to log `lag 3 ms` at 16:52:40Z [e1].",
        "db-0 stopped logging `lag 3 ms` at 16:52:40Z [e1].",
    ],
)
def test_a_negation_beside_the_words_is_not_cut_off(answer: str) -> None:
    assert verdict_on(answer) == "LOW_CONFID"


@pytest.mark.parametrize(
    "answer",
    [
        "The bank was declined by the card of till-0 at 16:52:30Z [e1].",
        "till-0 declined the bank by card at 16:52:30Z [e1].",
    ],
)
def test_who_did_what_to_whom_is_not_turned_round(answer: str) -> None:
    assert verdict_on(answer) == "LOW_CONFID"


@pytest.mark.parametrize(
    "answer",
    [
        "connections was 38 at 16:53:05Z [e2].",
        "connections stood at 38 at 16:53:05Z [e2].",
        'The lowest connections{app="checkout"} was 38 between 16:50 and 16:54 [e2].',
        'connections{app="checkout"} was 38 at 16:50:00Z and 4 at 16:53:05Z [e2].',
        'connections{app="billing"} was 38 at 16:53:05Z [e2].',
        'connections{app="checkout"} rose by 38 at 16:53:05Z [e2].',
        'connections{app="checkout"} was 38 % at 16:53:05Z [e2].',
        'connections{app="checkout"} was -38 at 16:53:05Z [e2].',
    ],
)
def test_a_number_belongs_to_its_series_time_and_unit(answer: str) -> None:
    assert verdict_on(answer) in ("LOW_CONFID", "REJECT")


@pytest.mark.parametrize("aggregate", [Aggregate.AVG, Aggregate.RATE, Aggregate.INCREASE])
def test_a_value_of_a_step_is_no_value_at_a_time(aggregate: Aggregate) -> None:
    text = series_lines([series("connections", {"16:53:00": 38}, app="checkout")], aggregate)
    rows = (shown("e1", "query_metrics", text, params={"step": 60}, partial=False),)
    assert verdict_on('connections{app="checkout"} was 38 at 16:53:00Z [e1].', rows) == "LOW_CONFID"


def test_an_extreme_needs_every_point_and_not_the_last_of_long_steps() -> None:
    points = [series("connections", {"16:50:00": 4, "16:53:05": 38}, app="checkout")]
    answer = 'The maximum of connections{app="checkout"} was 38 between 16:50 and 16:54 [e1].'
    assert verdict_on(answer, (series_shown("e1", points, params={"step": 1}),)) == "PASS"
    assert verdict_on(answer, (series_shown("e1", points, params={"step": 300}),)) == "LOW_CONFID"


@pytest.mark.parametrize("stretch", ["16:40 and 16:54", "16:50 and 17:54", "17:50 and 16:54"])
def test_an_extreme_needs_a_search_that_covers_its_stretch(stretch: str) -> None:
    points = [series("connections", {"16:50:00": 4, "16:53:05": 38}, app="checkout")]
    window = {"start": "2031-05-06T16:50:00Z", "end": "2031-05-06T16:55:00Z", "step": 1}
    answer = f'The maximum of connections{{app="checkout"}} was 38 between {stretch} [e1].'
    assert verdict_on(answer, (series_shown("e1", points, params=window),)) == "LOW_CONFID"


def test_a_series_that_is_cut_carries_no_extreme() -> None:
    points = [series("connections", {"16:50:00": 4, "16:53:05": 38}, app="checkout")]
    answer = 'The maximum of connections{app="checkout"} was 38 between 16:50 and 16:54 [e1].'
    assert verdict_on(answer, (series_shown("e1", points, partial=True),)) == "LOW_CONFID"


def test_a_date_alone_is_checked_too() -> None:
    assert verdict_on("On 2031-05-06 db-0 logged `too many clients already` [e1].") == "PASS"
    assert verdict_on("On 2031-05-07 db-0 logged `too many clients already` [e1].") == "LOW_CONFID"


def test_an_endless_answer_is_not_verified() -> None:
    answer = "db-0 logged `too many clients already` at 16:52:03Z [e1].\n" * (ANSWER_CHARACTERS // 50)
    assert verdict_on(answer) == "LOW_CONFID"


@pytest.mark.parametrize(
    "question",
    ["what was the queue_depth between 16:50 and 16:54?", "was disk space short at 16:52?", "did pay-7 fail at 16:52?",
     "what happened at 09:52?", "what happened at 16:52 on 2031-05-05?", "was there a deadlock at 16:52?"],
)  # fmt: skip
def test_a_true_statement_does_not_answer_another_question(question: str) -> None:
    answer = "till-0 logged `card declined by bank` at 16:52:30Z [e1]."
    assert verdict_on(answer, question="what happened at 16:52?") == "PASS"
    assert verdict_on(answer, question=question) == "LOW_CONFID"


@pytest.mark.parametrize(
    "question",
    ["what went wrong at 99:99?", "errors at 16:75?", "was db-0 down at 31:12?", '"', "((((", "\x00\x1b", "7 8"],
)
def test_a_question_that_nothing_could_answer_is_answered_by_nothing(question: str) -> None:
    answer = "db-0 logged `too many clients already` at 16:52:03Z [e1]."
    assert verdict_on(answer, question=BETWEEN) == "PASS"
    assert verdict_on(answer, question=question) == "LOW_CONFID"
