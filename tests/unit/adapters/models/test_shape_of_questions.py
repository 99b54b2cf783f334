"""True statements that do not answer: a question of a certain shape wants an answer of that shape to pass."""

import json

import pytest

from groundtrace.roles import Shown
from groundtrace_adapters.models.rules.symptoms import SEVERE
from groundtrace_adapters.models.rules.verifier import verify
from groundtrace_testing.shown_rows import DAY, entry, logs_shown, series, series_shown, to_verify

ERRORS = [
    entry("03:12:30", "upstream cart returned 502 for order 41", service="pay", level="ERROR"),
    entry("03:13:30", "upstream cart returned 502 for order 57", service="pay", level="ERROR"),
    entry("03:18:00", "upstream cart returned 502 for order 63", service="pay", level="ERROR"),
]
ALL = logs_shown("e1", ERRORS, params={"fields": {"service": "pay"}})
SOME = logs_shown(
    "e1",
    ERRORS[1:],
    params={"fields": {"service": "pay"}, "start": f"{DAY}T03:13:00Z", "end": f"{DAY}T03:30:00Z"},
)
CALM = logs_shown("e1", [entry("03:04:00", "charge ok amount=77", service="pay", level="INFO")])
CPU = series_shown(
    "e2",
    [
        series("cpu_percent", {"03:14:00": 97, "03:15:00": 95}, service="cart"),
        series("cpu_percent", {"03:14:00": 20, "03:15:00": 21}, service="pay"),
    ],
)
COUNTED = "pay logged `upstream cart returned 502` 3 times between 03:12:30Z and 03:18:00Z [e1]."
FIRST = "pay logged `upstream cart returned 502 for order 41` at 03:12:30Z [e1]."
SECOND = "pay logged `upstream cart returned 502 for order 57` at 03:13:30Z [e1]."
LAST = "pay logged `upstream cart returned 502 for order 63` at 03:18:00Z [e1]."
HELD = 'cpu_percent{service="cart"} was 95 at 03:15:00Z [e2].'
BEFORE = 'cpu_percent{service="cart"} was 97 at 03:14:00Z [e2].'


def verdict_on(question: str, answer: str, *rows: Shown) -> str:
    return str(json.loads(verify(to_verify(question, answer, rows)))["verdict"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many errors did pay log?", COUNTED),
        ("how many 502s did pay log?", COUNTED),
        ("how often did pay log an error between 03:10 and 03:20?", COUNTED),
        ("when was the first error of pay?", FIRST),
        ("when did the errors of pay start?", COUNTED),
        ("when was the last error of pay?", LAST),
        ("when did the 502s of pay end?", LAST),
        (
            "when was the last error of pay?",
            "The last error of pay was at 03:18:00Z: `returned 502 for order 63` [e1].",
        ),
        ("were there any errors in pay at 03:12?", FIRST),
        ("show me the logs of pay at 03:12", FIRST),
    ],
)
def test_an_answer_of_the_asked_shape_passes(question: str, answer: str) -> None:
    assert verdict_on(question, answer, ALL, CPU) == "PASS"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many errors did pay log?", FIRST),
        ("how many charges did pay log?", COUNTED),
        ("when was the last error of pay?", FIRST),
        ("when was the first error of pay?", SECOND),
        (
            "when was the last error of pay?",
            "The last error of pay was at 03:12:30Z: `returned 502 for order 41` [e1].",
        ),
        ("when did the errors of pay stop?", SECOND),
        ("did only pay log errors?", COUNTED),
        ("was there no error in pay at 03:12?", FIRST),
        ("is the incident over?", COUNTED),
        ("which service logged more errors, pay or cart?", COUNTED),
        ("which service logged most errors?", COUNTED),
        ("show me the logs of pay at 03:14", 'cpu_percent{service="pay"} was 20 at 03:14:00Z [e2].'),
        ("what is the average cpu_percent of cart between 03:14 and 03:15?", HELD),
        ("what is the cpu of cart at 03:15?", BEFORE),
        ("cpu of cart at 03:15?", BEFORE),
        ("how many errors did pay log before 03:18?", COUNTED),
        ("how many orders of pay failed?", COUNTED),
        ("how many services failed?", COUNTED),
        ("how many different errors did pay log?", COUNTED),
        ("when was the second error of pay?", LAST),
        ("was pay the first to fail?", FIRST),
        ("were all errors of pay for order 41?", FIRST),
        ("did the errors of pay increase?", COUNTED),
        ("when did pay come back?", LAST),
        ("is pay up?", LAST),
        ("is pay ok at 03:12?", FIRST),
        ("how many errors per minute did pay log?", COUNTED),
        ("what is the 502 rate of pay?", COUNTED),
    ],
)
def test_true_statements_of_another_shape_are_not_sure(question: str, answer: str) -> None:
    assert verdict_on(question, answer, ALL, CPU) == "LOW_CONFID"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when was the first error of pay?", SECOND),
        ("when was the last error of pay?", LAST),
        (
            "how many errors did pay log?",
            "pay logged `upstream cart returned 502` 2 times between 03:13:30Z and 03:18:00Z [e1].",
        ),
    ],
)
def test_a_search_of_a_part_shows_no_first_no_last_and_no_total(question: str, answer: str) -> None:
    assert verdict_on(question, answer, SOME) == "LOW_CONFID"


@pytest.mark.parametrize(
    "question",
    [
        "were there any errors in pay before 03:05?",
        "is pay failing at 03:04?",
        "what went wrong with pay at 03:04?",
        "which errors did pay log at 03:04?",
    ],
)
def test_benign_entries_answer_no_question_about_errors(question: str) -> None:
    said = json.loads(verify(to_verify(question, "pay logged `charge ok amount=77` at 03:04:00Z [e1].", (CALM,))))
    assert said["verdict"] == "LOW_CONFID"
    assert "the answer names no error" in said["reasons"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the cpu of cart at 03:15?", HELD),
        ("CPU of cart at 03:15?", HELD),
        ("what is the cpu of cart at 03:15:10?", HELD),
        ("which service had the most cpu at 03:15?", HELD),
        ("what was the maximum of cpu_percent for cart between 03:14 and 03:15?", BEFORE),
    ],
)
def test_a_measured_value_at_the_asked_time_passes(question: str, answer: str) -> None:
    assert verdict_on(question, answer, CPU) == "PASS"


def test_what_is_not_the_most_is_not_named_as_it() -> None:
    answer = 'cpu_percent{service="pay"} was 21 at 03:15:00Z [e2].'
    assert verdict_on("which service had the most cpu at 03:15?", answer, CPU) == "LOW_CONFID"


def test_the_average_of_the_asked_time_passes() -> None:
    question = "what is the average cpu_percent of cart between 03:14 and 03:15?"
    answer = 'cpu_percent{service="cart"} averaged 96 between 03:14 and 03:15 [e2].'
    assert verdict_on(question, answer, CPU) == "PASS"


SEARCHED = logs_shown("e1", ERRORS, params={"fields": {"service": "pay"}, "pattern": SEVERE, "regex": True})
CHARGES = [entry("03:14:00", "charge ok amount=77", service="pay", level="INFO")]
RETRIED = [entry("03:14:30", "upstream cart returned 502 for order 57, retrying", service="pay", level="INFO")]
WHOLE = {"fields": {"service": "pay"}}


def test_a_count_in_a_search_for_errors_is_sure_where_another_row_shows_that_there_are_no_more() -> None:
    question = "how many errors did pay log?"
    assert verdict_on(question, COUNTED, SEARCHED) == "LOW_CONFID"
    assert verdict_on(question, COUNTED, SEARCHED, logs_shown("e2", ERRORS + CHARGES, params=WHOLE)) == "PASS"
    assert verdict_on(question, COUNTED, SEARCHED, logs_shown("e2", ERRORS + RETRIED, params=WHOLE)) == "LOW_CONFID"


@pytest.mark.parametrize("bound", [{"start": f"{DAY}T03:13:00Z"}, {"end": f"{DAY}T03:15:00Z"}])
def test_a_search_that_is_open_at_one_end_holds_no_total_of_the_other(bound: dict[str, str]) -> None:
    half = logs_shown("e1", ERRORS, params={**WHOLE, **bound})
    assert verdict_on("how many errors did pay log between 03:10 and 03:20?", COUNTED, half) == "LOW_CONFID"
