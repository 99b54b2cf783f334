"""Prometheus, Loki and their kin: a warning and a reached limit make an answer partial, an empty one no proof."""

from __future__ import annotations

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import NoEvidenceReason, Outcome, OutcomeKind

START = 1_773_000_000_000_000_000
SAMPLE = {"metric": {"cluster": "a"}, "value": [1773000000, "12"]}
AWAY = "receive series: store 10.0.0.7 unavailable"


def vector(*samples: object, **more: object) -> Outcome:
    return classify_output({"status": "success", "data": {"resultType": "vector", "result": list(samples)}, **more})


def streams(*counts: int, limit: int | None = None, **more: object) -> Outcome:
    """What Loki's answer amounts to with so many lines in each stream."""
    result = [
        {"stream": {"n": str(number)}, "values": [[str(START + at * 10**8), f"line {at}"] for at in range(count)]}
        for number, count in enumerate(counts)
    ]
    body = {"status": "success", "data": {"resultType": "streams", "result": result, **more}}
    return classify_output(body, limit=limit)


def marks(outcome: Outcome, /) -> tuple[str, ...]:
    assert isinstance(outcome, outcomes.Success)
    return outcome.partial


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"warnings": [AWAY]}, (AWAY,)),
        ({"isPartial": True}, ("the server marks its answer as partial",)),
        ({"infos": ["metric might not be a counter"]}, ()),
        ({"warnings": []}, ()),
        ({"warnings": None, "isPartial": False}, ()),
    ],
    ids=["warning", "flag", "infos", "no_warning", "null"],
)
def test_a_warning_makes_data_partial_and_an_info_does_not(more: dict[str, object], words: tuple[str, ...]) -> None:
    """Field case C08: data_with_warning, infos_only, vm_is_partial, warnings_empty_list."""
    assert marks(vector(SAMPLE, **more)) == words


def test_an_empty_answer_with_a_warning_is_no_proof_of_absence() -> None:
    """Field case C08: empty_with_warning."""
    outcome = vector(warnings=[AWAY])
    assert isinstance(outcome, outcomes.NoEvidence)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.PARTIAL_EMPTY, (AWAY,))


def test_a_warning_behind_very_many_samples_is_read() -> None:
    assert marks(vector(*([SAMPLE] * 60_000), warnings=[AWAY])) == (AWAY,)


def test_a_full_page_of_lines_says_how_far_it_goes() -> None:
    """Field case C11: at_limit."""
    (mark,) = marks(streams(10, limit=10))
    assert "10 lines, as many as the limit allows" in mark
    assert "seen are those from 2026-03-08T20:00:00.000+00:00 to 2026-03-08T20:00:00.900+00:00" in mark


@pytest.mark.parametrize(
    ("counts", "limit", "partial"),
    [((4,), 10, False), ((100,), None, True), ((6, 4), 10, True), ((99,), None, False), ((100,), 5_000, False)],
    ids=["below_limit", "limit_unknown", "two_streams_sum", "below_the_servers", "below_a_large_one"],
)
def test_lines_are_counted_over_all_streams_against_the_limit(
    counts: tuple[int, ...], limit: int | None, *, partial: bool
) -> None:
    """Field case C11: below_limit, limit_unknown, two_streams_sum."""
    assert bool(marks(streams(*counts, limit=limit))) is partial


def test_lines_that_were_processed_are_not_lines_that_came() -> None:
    """Field case C11: processed_stat."""
    stats = {"summary": {"totalLinesProcessed": 10}}
    assert marks(streams(4, limit=10, stats=stats)) == ()


@pytest.mark.parametrize("data", [[], {}, {"alerts": []}, {"groups": [], "total": 0}])
def test_an_envelope_around_nothing_is_no_evidence(data: object) -> None:
    assert isinstance(classify_output({"status": "success", "data": data}), outcomes.NoEvidence)


@pytest.mark.parametrize("data", [["app", "env"], {"alerts": [{"state": "firing"}]}, {"count": 0}])
def test_an_envelope_around_data_is_evidence(data: object) -> None:
    assert marks(classify_output({"status": "success", "data": data})) == ()


def test_an_object_with_more_than_an_envelope_is_itself() -> None:
    assert marks(classify_output({"status": "success", "data": [], "restarted": "cart-0"})) == ()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"resultType": "vector", "result": []}, OutcomeKind.NO_EVIDENCE),
        ({"resultType": "vector", "result": [{"metric": {"a": "b"}, "value": [1, "NaN"]}]}, OutcomeKind.NO_EVIDENCE),
        ({"resultType": "streams", "result": [{"stream": {"a": "b"}, "values": []}]}, OutcomeKind.NO_EVIDENCE),
        ({"resultType": "matrix", "result": [{"metric": {}, "values": [[1, "0"]]}]}, OutcomeKind.SUCCESS),
        ({"resultType": "scan", "result": []}, OutcomeKind.SUCCESS),
    ],
)
def test_data_handed_on_without_its_envelope_is_read_as_within_it(data: dict[str, object], kind: OutcomeKind) -> None:
    assert outcomes.kind_of(classify_output(data)) is kind


def test_a_warning_that_is_a_text_is_one() -> None:
    """Field case C08."""
    data = {"resultType": "vector", "result": [{"metric": {}, "value": [1, "3"]}]}
    outcome = classify_output({"status": "success", "warnings": "one store is away", "data": data})
    assert isinstance(outcome, outcomes.Success)
    assert outcome.partial == ("one store is away",)
