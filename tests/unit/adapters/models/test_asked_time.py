"""Time expressions of questions: what stretch they name, and which day they get."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.models.rules.asked_time import asked_times, resolve
from groundtrace_adapters.models.rules.moments import find_spans, find_stamps

NOW = datetime(2031, 5, 8, 9, 30, tzinfo=UTC)
EARLIEST = datetime(2031, 5, 5, 10, 0, tzinfo=UTC)
LATEST = datetime(2031, 5, 6, 18, 0, tzinfo=UTC)


def stretch(question: str) -> tuple[str, str] | None:
    asked = asked_times(question, NOW)
    if not asked:
        return None
    window = resolve(asked[0], NOW, earliest=EARLIEST, latest=LATEST)
    return (f"{window.start:%d %H:%M:%S}", f"{window.end:%d %H:%M:%S}")


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what broke at 11:52?", "06 11:51:00", "06 11:54:00"),
        ("what broke at 11:52:03?", "06 11:51:03", "06 11:53:04"),
        ("what broke at 11:52Z", "06 11:51:00", "06 11:54:00"),
        ("what broke at 13:52+02:00", "06 11:51:00", "06 11:54:00"),
        ("what broke at 2031-05-05T11:52", "05 11:51:00", "05 11:54:00"),
        ("what broke on 2031-05-05 at 11:52 UTC?", "05 11:51:00", "05 11:54:00"),
        ("what broke at 2031-05-05T06:52:00-05:00?", "05 11:51:00", "05 11:53:01"),
        ("between 16:50 and 16:55 UTC", "06 16:50:00", "06 16:56:00"),
        ("between 17:50 and 17:55 CET", "06 16:50:00", "06 16:56:00"),
        ("from 16:50 to 16:55", "06 16:50:00", "06 16:56:00"),
        ("16:50-16:55", "06 16:50:00", "06 16:56:00"),
        ("16:50 \u2013 16:55", "06 16:50:00", "06 16:56:00"),
        ("between 23:50 and 00:10", "05 23:50:00", "06 00:11:00"),
        ("around 11:52", "06 11:47:00", "06 11:58:00"),
        ("at 4:52 pm", "06 16:51:00", "06 16:54:00"),
        ("since 16:50", "06 16:50:00", "06 17:21:00"),
        ("before 16:50", "06 16:20:00", "06 16:51:00"),
        ("in the last 10 minutes", "08 09:20:00", "08 09:30:01"),
        ("in the past hour", "08 08:30:00", "08 09:30:01"),
        ("yesterday at 11:52", "07 11:51:00", "07 11:54:00"),
        ("what broke yesterday?", "07 00:00:00", "08 00:00:00"),
        ("what broke on 2031-05-05?", "05 00:00:00", "06 00:00:00"),
    ],
)
def test_a_question_names_a_stretch_of_time(question: str, start: str, end: str) -> None:
    assert stretch(question) == (start, end)


@pytest.mark.parametrize(
    "question", ["why is checkout slow?", "error 25:61", "id 11:52:03:44", "version 1.2.3", "ratio 3:4", "at 12:7"]
)
def test_a_question_without_a_time_names_none(question: str) -> None:
    assert stretch(question) is None


def test_a_bare_time_takes_the_latest_day_of_the_data_that_holds_it() -> None:
    assert stretch("at 20:00") == ("05 19:59:00", "05 20:02:00")
    assert stretch("at 09:00") == ("06 08:59:00", "06 09:02:00")


def test_without_data_a_bare_time_is_the_latest_one_that_has_passed() -> None:
    asked = asked_times("at 11:52", NOW)[0]
    assert resolve(asked, NOW, earliest=None, latest=None).start.day == 7


def test_a_sentence_with_and_between_times_is_no_span_unless_it_says_so() -> None:
    stamps = find_stamps("38 at 16:53 and 4 at 16:50")
    assert len(stamps) == 2
    assert find_spans("38 at 16:53 and 4 at 16:50", stamps) == ()


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for asked in asked_times(text, NOW):
        assert asked.on(NOW.date()).start < asked.on(NOW.date()).end


@given(st.times().map(lambda time: time.replace(microsecond=0)))
def test_a_written_time_covers_itself(time: object) -> None:
    stamp = find_stamps(f"at {time}")[0]
    assert stamp.covers(datetime.fromisoformat(f"2031-05-06T{time}+00:00"))
