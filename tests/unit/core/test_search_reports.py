"""Sentences that tell of a search alone are no claims; what goes beyond the search is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.search_reports import tells_of_a_search


@pytest.mark.parametrize(
    "sentence",
    [
        "I found no logs.",
        "I didn't find anything.",
        "The search returned nothing.",
        "query_logs returned zero rows",
        "I couldn't query the logs.",
        "I was unable to reach Loki.",
        "No results were found.",
        "No logs matched the query.",
        "Nothing came back.",
        "There were no results for that query.",
        "There is no data for that window.",
        "Unfortunately, I found nothing in the logs.",
        "I looked in the logs and found nothing.",
        "found no errors.",
        "The query came back empty.",
        "The logs show no errors.",
        "None of the searches returned anything.",
        "The query failed.",
        "My search for errors gave no hits.",
    ],
)
def test_a_report_of_a_search_is_known(sentence: str) -> None:
    assert tells_of_a_search(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The database is down.",
        "I found no logs because the database is down.",
        "I found no logs, so the database is down.",
        "I found no errors and the service is healthy.",
        "I found nothing in the logs, the cause is DNS.",
        "The search returned nothing: the service is healthy.",
        "The logs show no errors, which means that checkout is fine.",
        "I found the cause: DNS.",
        "No replicas are available.",
        "Nothing is wrong.",
        "There was nothing wrong.",
        "There are no problems.",
        "There was no outage.",
        "The query is slow.",
        "I did not delete it.",
        "The payment failed.",
    ],
)
def test_what_goes_beyond_the_search_is_no_report_of_it(sentence: str) -> None:
    assert not tells_of_a_search(sentence)


@given(st.text(max_size=200))
def test_it_is_total(sentence: str) -> None:
    assert isinstance(tells_of_a_search(sentence), bool)


def test_a_long_sentence_takes_linear_time() -> None:
    assert not tells_of_a_search("the logs " * 100_000)
    assert not tells_of_a_search("I checked the " + "and found " * 100_000 + ": it")
