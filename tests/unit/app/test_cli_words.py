"""How a recorded call is told in a timeline: from its row alone, for each outcome and each form of material."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.invocation import Invocation, OutputState
from groundtrace.material import log_lines, note_line, passage_lines, series_lines
from groundtrace.outcomes import Support
from groundtrace.retrieval import Layer
from groundtrace.sources import Aggregate, LogEntry, Passage, Series
from groundtrace_app.cli.call_words import asked_words, came_words, outcome_words, unseen_words
from groundtrace_app.cli.timeline import moment_words
from groundtrace_testing.gate_rows import deduped, failure, no_evidence, success

NIGHT = "2026-05-04 23:00:00 to 2026-05-05 01:00:00"
AT = datetime(2026, 5, 4, 3, 12, tzinfo=UTC)


def asking(**params: object) -> Invocation:
    return success(input_params=json.dumps(params))


def returning(text: str, state: OutputState = OutputState.FULL) -> Invocation:
    return success(output_preview=text, output_state=state, output_bytes=len(text))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (success(), "success DIRECT"),
        (success(support=Support.INDIRECT, partial=True), "success INDIRECT (partial)"),
        (no_evidence(), "no_evidence no_match"),
        (no_evidence(partial=True), "no_evidence no_match (partial)"),
        (deduped(), "deduped same_query"),
        (failure(), "failure timeout"),
    ],
)
def test_the_outcome_is_told_in_the_words_of_the_contract(row: Invocation, words: str) -> None:
    assert outcome_words(row) == words


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (asking(pattern="refused"), "refused"),
        (asking(pattern="refused", limit=20, regex=None), "limit=20: refused"),
        (
            asking(
                pattern="refused",
                fields={"app": "shop"},
                start="2026-05-04T03:00:00Z",
                end="2026-05-04T03:30:00Z",
            ),
            "2026-05-04 03:00:00 to 03:30:00, app=shop: refused",
        ),
        (
            asking(start="2026-05-04T23:00:00Z", end="2026-05-05T01:00:00Z"),
            "2026-05-04 23:00:00 to 2026-05-05 01:00:00",
        ),
        (asking(end="2026-05-04T03:30:00Z"), "the beginning to 2026-05-04 03:30:00"),
        (asking(start=1777863600), "1777863600 to the end"),
        (asking(selector='up{app="a"}', step=60), 'step=60: up{app="a"}'),
        (asking(), "everything"),
        (success(input_params='{"pattern": "cut off her'), '{"pattern": "cut off her'),
        (success(input_params="[1, 2]"), "[1, 2]"),
    ],
)
def test_what_was_asked_is_the_window_the_names_and_then_the_text(row: Invocation, words: str) -> None:
    assert asked_words(row) == words


def test_log_entries_are_counted_and_the_first_is_told() -> None:
    entries = [LogEntry(at=AT, text=f"shop refused {number}", origin=f"a.log:{number}") for number in (1, 2, 3)]
    text = log_lines(entries)
    assert came_words(returning(text), {}) == "3 entries, first 03:12:00: shop refused 1"
    assert came_words(returning(text, OutputState.TRUNCATED), {}) == "3+ entries, first 03:12:00: shop refused 1"
    timeless = log_lines([LogEntry(at=None, text="boot", origin="a.log:1")])
    assert came_words(returning(timeless), {}) == "1 entry, first without a time: boot"


def test_series_are_named_with_their_last_value() -> None:
    series = [Series(name="conns", labels={"app": "shop"}, points=((AT, 0.0), (AT, 30.0)))]
    text = series_lines(series, Aggregate.LAST)
    assert came_words(returning(text), {}) == "1 series: conns{app=shop} = 30.0 at 03:12:00"


def test_a_series_that_is_longer_than_the_preview_is_still_named() -> None:
    series = [Series(name="conns", labels={"app": 'a "b" }'}, points=((AT, 1.0),) * 200)]
    row = returning(series_lines(series, Aggregate.LAST)[:1_500], OutputState.TRUNCATED)
    assert came_words(row, {}) == '1.5 KB: conns{app=a "b" }}'


def test_passages_are_told_by_title_and_heading() -> None:
    def passage(heading: str) -> Passage:
        return Passage(
            uri="pool.md", entry="pool.md", title="Pool exhausted", abstract="", heading=heading, text="...",
            layer=Layer.L1, score=1.0, coverage=1.0, content_hash="h",
        )  # fmt: skip

    text = passage_lines([passage("Diagnosis"), passage("")])
    assert came_words(returning(text), {}) == "2 passages: Pool exhausted > Diagnosis; Pool exhausted"


def test_remarks_of_the_tool_are_no_entries() -> None:
    text = "\n".join((log_lines([LogEntry(at=AT, text="x", origin="a:1")]), note_line("1 file was not read")))
    assert came_words(returning(text), {}) == "1 entry, first 03:12:00: x"


def test_other_output_is_its_size_and_its_beginning() -> None:
    assert came_words(returning("all good\nreally"), {}) == "15 bytes: all good really"


def test_each_other_outcome_says_what_it_amounts_to() -> None:
    assert came_words(no_evidence(), {}) == "nothing matched"
    assert came_words(no_evidence(reason="below_relevance", l0_count=4), {}).endswith(", 4 candidates")
    assert came_words(failure(), {}) == "it took too long (no answer after 30 s)"
    repeat = deduped(details=json.dumps({"of": ["call-1", "old"], "inherited": "success"}))
    assert came_words(repeat, {"call-1": "e1"}) == "nothing new: repeats e1, old, which was success"
    assert came_words(deduped(), {}) == "nothing new: repeats an earlier call"


def test_what_was_not_seen_is_told_where_something_was_not() -> None:
    assert unseen_words(success(details='{"partial": ["limit of 2 reached", "b.gz is damaged"]}')) == (
        "limit of 2 reached; b.gz is damaged"
    )
    assert unseen_words(success()) == ""


WORDS = st.text() | st.sampled_from(
    ["pattern", "start", "origin", "points", "layer", "metric", "labels", "partial", "of"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
STORED = (
    st.text()
    | JSON.map(json.dumps)
    | JSON.map(lambda value: json.dumps({"metric": "m", "labels": {}, "points": value}))
)


@given(STORED, STORED, STORED)
def test_any_recorded_text_is_told_in_one_printable_line(params: str, output: str, details: str) -> None:
    """Whatever a row of others holds, the words stay in their line and drive no terminal."""
    row = success(input_params=params, output_preview=output, details=details)
    for words in (asked_words(row), came_words(row, {}), unseen_words(row)):
        assert len(words.splitlines()) <= 1
        assert "\x1b" not in words


def test_the_head_of_a_series_that_is_no_json_is_shown_as_it_stands() -> None:
    broken = '{"metric": "\\q", "labels": {}'
    assert came_words(returning(broken, OutputState.TRUNCATED), {}).endswith(f": {broken}")


@pytest.mark.parametrize("year", [1, 999, 2026, 9_999])
def test_a_year_has_four_digits_however_early(year: int) -> None:
    moment = datetime(year, 1, 2, tzinfo=UTC)
    assert moment_words(moment) == f"{year:04}-01-02 00:00:00Z"
    assert f"{year:04}-01-02 00:00:00 to the end" in asked_words(asking(start=moment.isoformat()))
