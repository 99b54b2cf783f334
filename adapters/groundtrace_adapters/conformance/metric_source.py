"""What every MetricSource owes its callers: the same points give the same answers, however they are kept."""

import asyncio
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from returns.pipeline import is_successful

from groundtrace.outcomes import FailureKind
from groundtrace.ports import MetricSource
from groundtrace.sources import Aggregate, MetricAnswer, MetricQuery, SourceError

START = datetime(2026, 11, 30, 16, 50, tzinfo=UTC)
PODS = ("api-0", 'say "hi" \\ }x')
REQUESTS = {PODS[0]: (100.0, 130.0, 10.0, 40.0), PODS[1]: (5.0, 5.0, 5.0, 5.0)}
"""A counter, every 30 s; that of the first pod restarts before its third point."""

CPU = {PODS[0]: (0.5, 0.0, 2.0, 1.0), PODS[1]: (0.0, 0.0, 0.0, 0.0)}
COUNTER, GAUGE = "http_requests_total", "CpuUsage(m)"
ROWS = [(COUNTER, pod, at, value) for pod in PODS for at, value in enumerate(REQUESTS[pod])] + [
    (GAUGE, pod, at, value) for pod in PODS for at, value in enumerate(CPU[pod])
]


def moment(step: float) -> datetime:
    return START + timedelta(seconds=30 * step)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def ask(source: MetricSource, query: MetricQuery) -> MetricAnswer:
    return asyncio.run(source.query(query)).unwrap()


def error_of(source: MetricSource, query: MetricQuery) -> SourceError:
    answer = asyncio.run(source.query(query))
    assert not is_successful(answer)
    return answer.failure()


def values(answer: MetricAnswer) -> list[list[float]]:
    return [[value for _, value in series.points] for series in answer.series]


def of_pod(pod: str, name: str = COUNTER) -> str:
    return f'{{"{name}", pod="{escaped(pod)}"}}'


class MetricSourceSuite:
    """Over a source that holds `ROWS`: name, pod, position and value of each point, 30 seconds apart from `START`.

    Give it a fixture `source`.
    """

    def test_a_series_gives_its_points_in_time_order(self, source: MetricSource) -> None:
        (series,) = ask(source, MetricQuery(selector=of_pod(PODS[0]), step_seconds=1)).series
        assert series.name == COUNTER
        assert series.labels == {"pod": PODS[0]}
        assert series.points == tuple((moment(at), value) for at, value in enumerate(REQUESTS[PODS[0]]))

    def test_series_are_sorted_by_name_and_labels(self, source: MetricSource) -> None:
        answer = ask(source, MetricQuery(selector='{pod=~".+"}'))
        assert [(one.name, one.labels["pod"]) for one in answer.series] == [
            (GAUGE, PODS[0]),
            (GAUGE, PODS[1]),
            (COUNTER, PODS[0]),
            (COUNTER, PODS[1]),
        ]
        assert answer.unseen == ()

    @pytest.mark.parametrize(
        ("selector", "pods"),
        [
            (COUNTER, PODS),
            (f'{COUNTER}{{pod="api-0"}}', PODS[:1]),
            (f'{COUNTER}{{PodName="api-0"}}', PODS[:1]),
            (f"{COUNTER} {{ pod = 'api-0' , }}", PODS[:1]),
            (f'{COUNTER}{{pod!="api-0"}}', PODS[1:]),
            (f'{COUNTER}{{pod=~"api-.*"}}', PODS[:1]),
            (f'{COUNTER}{{pod=~"api"}}', ()),
            (f'{COUNTER}{{pod!~"api-.|x"}}', PODS[1:]),
            (f'{COUNTER}{{zone=""}}', PODS),
            (f'{COUNTER}{{zone!=""}}', ()),
            (f'{{__name__="{COUNTER}", pod="api-0"}}', PODS[:1]),
            (of_pod(PODS[1]), PODS[1:]),
            (GAUGE, PODS),
            (f'{GAUGE}{{pod="api-0"}}', PODS[:1]),
            (of_pod(PODS[0], GAUGE), PODS[:1]),
            ("http_requests", ()),
        ],
    )
    def test_a_selector_takes_what_fits_it(self, source: MetricSource, selector: str, pods: tuple[str, ...]) -> None:
        assert tuple(one.labels["pod"] for one in ask(source, MetricQuery(selector=selector)).series) == pods

    @pytest.mark.parametrize(
        ("aggregate", "value", "at"),
        [
            (Aggregate.LAST, 40.0, 3),
            (Aggregate.MIN, 10.0, 2),
            (Aggregate.MAX, 130.0, 1),
            (Aggregate.AVG, 70.0, 3),
            (Aggregate.INCREASE, 70.0, 3),
            (Aggregate.RATE, 70.0 / 90, 3),
        ],
    )
    def test_the_whole_window_is_one_step_unless_one_is_given(
        self, source: MetricSource, aggregate: Aggregate, value: float, at: int
    ) -> None:
        (series,) = ask(source, MetricQuery(selector=of_pod(PODS[0]), aggregate=aggregate)).series
        ((when, found),) = series.points
        assert when == moment(at)
        assert found == pytest.approx(value)

    def test_steps_begin_at_the_start_of_the_window(self, source: MetricSource) -> None:
        query = MetricQuery(selector=of_pod(PODS[0], GAUGE), start=START, end=moment(3), step_seconds=60)
        answer = ask(source, query)
        assert answer.series[0].points == ((moment(1), 0.0), (moment(3), 1.0))
        assert [at for at, _ in ask(source, MetricQuery(selector=COUNTER, step_seconds=45)).series[0].points] == [
            moment(1),
            moment(2),
            moment(3),
        ]
        assert answer.scanned_points == 4

    def test_increases_of_steps_add_up_to_that_of_the_window(self, source: MetricSource) -> None:
        by_step = MetricQuery(selector=of_pod(PODS[0]), step_seconds=30, aggregate=Aggregate.INCREASE)
        assert values(ask(source, by_step)) == [[30.0, 10.0, 30.0]]

    def test_a_window_holds_both_its_ends(self, source: MetricSource) -> None:
        query = MetricQuery(selector=of_pod(PODS[0]), start=moment(1), end=moment(2), step_seconds=1)
        assert values(ask(source, query)) == [[130.0, 10.0]]
        east = timezone(timedelta(hours=5, minutes=30))
        shifted = MetricQuery(selector=of_pod(PODS[0]), start=moment(2).astimezone(east), step_seconds=1)
        assert values(ask(source, shifted)) == [[10.0, 40.0]]

    def test_zero_is_a_value(self, source: MetricSource) -> None:
        answer = ask(source, MetricQuery(selector=of_pod(PODS[1], GAUGE), aggregate=Aggregate.AVG))
        assert values(answer) == [[0.0]]
        idle = MetricQuery(selector=of_pod(PODS[1]), aggregate=Aggregate.RATE)
        assert values(ask(source, idle)) == [[0.0]]

    def test_a_rate_of_one_point_is_told_as_unseen(self, source: MetricSource) -> None:
        answer = ask(source, MetricQuery(selector=COUNTER, start=moment(3), aggregate=Aggregate.RATE))
        assert answer.series == ()
        assert answer.scanned_points == 2
        assert "fewer than two points" in answer.unseen[0]

    @pytest.mark.parametrize(
        "query", [MetricQuery(selector="no_such"), MetricQuery(selector=COUNTER, start=moment(99))]
    )
    def test_an_unknown_name_or_an_empty_window_is_an_empty_answer(
        self, source: MetricSource, query: MetricQuery
    ) -> None:
        answer = ask(source, query)
        assert (answer.series, answer.scanned_points, answer.unseen) == ((), 0, ())

    @pytest.mark.parametrize(
        ("selector", "place"),
        [
            ("", 1),
            ("{}", 1),
            ("a{b", 4),
            ("a{b}", 4),
            ('a{b="c"', 8),
            ("a{b=c}", 4),
            ('a{b="c" d="e"}', 9),
            ('a{b=~"("}', 1),
            ('a{b="c"} / 2', 9),
            ("a b", 3),
            ("rate(a[5m])", 7),
            ("sum(a)", 7),
        ],
    )
    def test_a_malformed_selector_is_an_error_with_its_place(
        self, source: MetricSource, selector: str, place: int
    ) -> None:
        error = error_of(source, MetricQuery(selector=selector))
        assert error.kind is FailureKind.ERROR
        assert f"character {place}" in error.message

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            (MetricQuery(selector=COUNTER, start=datetime(2026, 11, 30)), "zone"),  # noqa: DTZ001
            (MetricQuery(selector=COUNTER, start=moment(1), end=moment(0)), "end"),
            (MetricQuery(selector=COUNTER, step_seconds=0.0), "step"),
            (MetricQuery(selector=COUNTER, step_seconds=math.nan), "step"),
            (MetricQuery(selector=COUNTER, step_seconds=0.001), "steps"),
        ],
        ids=["no-zone", "end-before-start", "step-0", "step-nan", "too-many-steps"],
    )
    def test_a_query_that_means_nothing_is_an_error_that_names_the_parameter(
        self, source: MetricSource, query: MetricQuery, words: str
    ) -> None:
        error = error_of(source, query)
        assert error.kind is FailureKind.ERROR
        assert words in error.message

    def test_a_description_names_metrics_entities_and_the_span(self, source: MetricSource) -> None:
        description = asyncio.run(source.describe()).unwrap()
        assert description.metrics == (GAUGE, COUNTER)
        assert description.entities == {"pod": PODS}
        assert (description.earliest, description.latest) == (moment(0), moment(3))
        assert description.unseen == ()
