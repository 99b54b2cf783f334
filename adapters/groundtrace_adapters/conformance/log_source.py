"""What every LogSource owes its callers: the same facts give the same answers, however they are kept."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from returns.pipeline import is_successful

from groundtrace.outcomes import FailureKind
from groundtrace.ports import LogSource
from groundtrace.sources import LogAnswer, LogQuery, SourceError

Fact = tuple[str, str, str, str]
FACTS: tuple[Fact, ...] = (
    ("2026-11-30T16:50:01.250000Z", "checkout-7d9", "INFO", "order 41 accepted"),
    (
        "2026-11-30T16:50:03Z",
        "checkout-7d9",
        "ERROR",
        "payment failed\n  at shop.Pay.charge(Pay.java:17)\nCaused by: timeout",
    ),
    ("2026-11-30T16:50:03.500000Z", "cart-5c1", "ERROR", "stock item 0x1F missing"),
    ("2026-11-30T17:00:00Z", "cart-5c1", "INFO", "order 42 accepted"),
)
MARKS = ("order 41", "payment failed", "stock item", "order 42")


def at(clock: str, zone: timezone = UTC) -> datetime:
    return datetime.fromisoformat(f"2026-11-30T{clock}").replace(tzinfo=zone)


def ask(source: LogSource, query: LogQuery) -> LogAnswer:
    return asyncio.run(source.search(query)).unwrap()


def error_of(source: LogSource, query: LogQuery) -> SourceError:
    answer = asyncio.run(source.search(query))
    assert not is_successful(answer)
    return answer.failure()


def marks(answer: LogAnswer) -> list[str]:
    return [next(mark for mark in MARKS if mark in entry.text) for entry in answer.entries]


class LogSourceSuite:
    """Over a source that holds `FACTS`: time, pod, level and text of four entries. Give it a fixture `source`."""

    def test_every_entry_is_found_once_oldest_first(self, source: LogSource) -> None:
        answer = ask(source, LogQuery())
        assert marks(answer) == list(MARKS)
        assert answer.unseen == ()

    def test_times_are_utc_and_entities_have_canonical_names(self, source: LogSource) -> None:
        entries = ask(source, LogQuery()).entries
        assert [entry.at for entry in entries] == [datetime.fromisoformat(time) for time, *_ in FACTS]
        assert [entry.fields["pod"] for entry in entries] == [pod for _, pod, *_ in FACTS]
        assert [entry.fields["level"] for entry in entries] == [level for _, _, level, _ in FACTS]

    def test_every_entry_tells_its_origin(self, source: LogSource) -> None:
        origins = [entry.origin for entry in ask(source, LogQuery()).entries]
        assert len(set(origins)) == 4
        assert all(origin.rpartition(":")[2].isdecimal() for origin in origins)

    def test_an_entry_of_several_lines_stays_whole(self, source: LogSource) -> None:
        (entry,) = ask(source, LogQuery(pattern="Pay.java")).entries
        assert "payment failed" in entry.text
        assert entry.text.endswith("Caused by: timeout")

    def test_a_window_holds_its_start_and_not_its_end(self, source: LogSource) -> None:
        window = LogQuery(start=at("16:50:03"), end=at("16:50:03.5"))
        assert marks(ask(source, window)) == ["payment failed"]
        assert marks(ask(source, LogQuery(start=at("17:00:00")))) == ["order 42"]
        assert marks(ask(source, LogQuery(end=at("16:50:03")))) == ["order 41"]

    def test_a_window_counts_in_its_own_zone(self, source: LogSource) -> None:
        east = timezone(timedelta(hours=2))
        assert marks(ask(source, LogQuery(start=at("18:50:03", east), end=at("18:50:04", east)))) == list(MARKS[1:3])
        assert marks(ask(source, LogQuery(start=at("16:50:00", east), end=at("17:30:00", east)))) == []

    def test_a_literal_is_taken_as_it_stands(self, source: LogSource) -> None:
        assert marks(ask(source, LogQuery(pattern="item 0x1F"))) == ["stock item"]
        assert marks(ask(source, LogQuery(pattern="order 4. accepted"))) == []
        assert marks(ask(source, LogQuery(pattern="Order 41"))) == []

    def test_an_expression_is_searched_in_each_whole_entry(self, source: LogSource) -> None:
        assert marks(ask(source, LogQuery(pattern="order 4. accepted$", regex=True))) == ["order 41", "order 42"]
        assert marks(ask(source, LogQuery(pattern=r"(?i)PAYMENT FAILED\s+at", regex=True))) == ["payment failed"]
        assert marks(ask(source, LogQuery(pattern="(?s)payment.*timeout", regex=True))) == ["payment failed"]
        assert marks(ask(source, LogQuery(pattern="(?s)accepted.*payment", regex=True))) == []
        assert marks(ask(source, LogQuery(pattern=r"accepted\s+\S", regex=True))) == []

    def test_a_blank_pattern_matches_every_entry(self, source: LogSource) -> None:
        assert marks(ask(source, LogQuery(pattern=" \u200b"))) == list(MARKS)

    def test_fields_must_all_be_equal(self, source: LogSource) -> None:
        assert marks(ask(source, LogQuery(fields={"pod": "cart-5c1"}))) == ["stock item", "order 42"]
        assert marks(ask(source, LogQuery(fields={"pod": "cart-5c1", "level": "ERROR"}))) == ["stock item"]
        assert marks(ask(source, LogQuery(fields={"pod": "cart-5c"}))) == []
        assert marks(ask(source, LogQuery(fields={"pod": "CART-5c1"}))) == []
        assert marks(ask(source, LogQuery(fields={"tenant": "a"}))) == []

    def test_a_field_may_be_asked_for_under_any_of_its_spellings(self, source: LogSource) -> None:
        assert marks(ask(source, LogQuery(fields={"PodName": "cart-5c1", "severity": "INFO"}))) == ["order 42"]

    @pytest.mark.parametrize(
        ("query", "kept", "reach"),
        [
            (LogQuery(limit=1), ["order 41"], "up to 2026-11-30T16:50:01.250000Z"),
            (LogQuery(limit=1, newest_first=True), ["order 42"], "down to 2026-11-30T17:00:00Z"),
        ],
        ids=["oldest", "newest"],
    )
    def test_a_limit_that_hides_entries_is_told_with_their_number(
        self, source: LogSource, query: LogQuery, kept: list[str], reach: str
    ) -> None:
        """Field case C11."""
        answer = ask(source, query)
        assert marks(answer) == kept
        (told,) = answer.unseen
        assert "limit of 1 reached: 3 more entries match" in told
        assert reach in told

    def test_a_limit_that_hides_nothing_is_not_told(self, source: LogSource) -> None:
        """Field case C11: as many entries as the limit, and no more."""
        answer = ask(source, LogQuery(limit=4, newest_first=True))
        assert marks(answer) == list(reversed(MARKS))
        assert answer.unseen == ()

    def test_no_match_is_an_empty_answer_and_not_an_error(self, source: LogSource) -> None:
        answer = ask(source, LogQuery(pattern="no such words"))
        assert answer.entries == ()
        assert answer.unseen == ()
        assert answer.scanned_entries is not None
        assert answer.scanned_entries >= 4

    def test_a_bad_expression_is_an_error_with_its_place(self, source: LogSource) -> None:
        error = error_of(source, LogQuery(pattern="order (4", regex=True))
        assert error.kind is FailureKind.ERROR
        assert "character 7" in error.message

    @pytest.mark.parametrize("pattern", [r"(a)\1", "(?=order)", "a{5000}"])
    def test_an_expression_beyond_re2_is_an_error(self, source: LogSource, pattern: str) -> None:
        assert error_of(source, LogQuery(pattern=pattern, regex=True)).kind is FailureKind.ERROR

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            (LogQuery(limit=0), "limit"),
            (LogQuery(limit=1_001), "limit"),
            (LogQuery(start=datetime(2026, 11, 30)), "zone"),  # noqa: DTZ001
            (LogQuery(start=at("17:00:00"), end=at("17:00:00")), "end"),
        ],
        ids=["limit-0", "limit-1001", "no-zone", "empty-window"],
    )
    def test_a_query_that_means_nothing_is_an_error_that_names_the_parameter(
        self, source: LogSource, query: LogQuery, words: str
    ) -> None:
        error = error_of(source, query)
        assert error.kind is FailureKind.ERROR
        assert words in error.message

    def test_searches_at_once_do_not_disturb_each_other(self, source: LogSource) -> None:
        async def both() -> list[list[str]]:
            queries = [
                LogQuery(pattern="order 41"),
                LogQuery(pattern="stock"),
                LogQuery(),
                LogQuery(pattern="order 42"),
            ]
            answers = await asyncio.gather(*(source.search(query) for query in queries))
            return [marks(answer.unwrap()) for answer in answers]

        assert asyncio.run(both()) == [["order 41"], ["stock item"], list(MARKS), ["order 42"]]

    def test_a_description_names_entities_and_the_span(self, source: LogSource) -> None:
        description = asyncio.run(source.describe()).unwrap()
        assert description.entities["pod"] == ("cart-5c1", "checkout-7d9")
        assert description.entities["level"] == ("ERROR", "INFO")
        assert description.earliest == at("16:50:01.250")
        assert description.latest == at("17:00:00")
        assert description.unseen == ()
        assert description.revision == asyncio.run(source.describe()).unwrap().revision
