"""Laws of steps: what they keep, and what adds up."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.sources import Aggregate
from groundtrace_adapters.sources.metric_files.aggregates import Point, aggregated

SECOND = 1_000_000
NUMBERS = st.integers(0, 1_000).map(float)
POINTS = st.lists(
    st.tuples(st.integers(0, 600), NUMBERS), min_size=1, max_size=30, unique_by=lambda point: point[0]
).map(lambda points: [(at * SECOND, value) for at, value in sorted(points)])
STEPS = st.none() | st.integers(1, 700).map(lambda seconds: seconds * SECOND)


def run(points: list[Point], aggregate: Aggregate, step: int | None = None) -> list[Point]:
    return list(aggregated(points, aggregate, start=0, step=step))


@given(POINTS, STEPS, st.sampled_from(Aggregate))
def test_every_value_stands_at_the_time_of_a_real_point_and_in_order(
    points: list[Point], step: int | None, aggregate: Aggregate
) -> None:
    times = [at for at, _ in run(points, aggregate, step)]
    assert set(times) <= {at for at, _ in points}
    assert times == sorted(set(times))


@given(POINTS, STEPS)
def test_increases_of_steps_add_up_to_that_of_the_window(points: list[Point], step: int | None) -> None:
    whole = sum(value for _, value in run(points, Aggregate.INCREASE))
    assert sum(value for _, value in run(points, Aggregate.INCREASE, step)) == whole


@given(st.lists(NUMBERS, min_size=2, max_size=20).map(sorted))
def test_without_a_restart_the_increase_is_last_minus_first(values: list[float]) -> None:
    points = [(at * SECOND, value) for at, value in enumerate(values)]
    assert run(points, Aggregate.INCREASE) == [(points[-1][0], values[-1] - values[0])]


@given(POINTS, STEPS)
def test_least_mean_and_greatest_are_in_order(points: list[Point], step: int | None) -> None:
    low, mean, high = (
        [value for _, value in run(points, one, step)] for one in (Aggregate.MIN, Aggregate.AVG, Aggregate.MAX)
    )
    assert all(a <= b + 1e-9 and b <= c + 1e-9 for a, b, c in zip(low, mean, high, strict=True))


@given(POINTS, st.integers(1, 50))
def test_short_steps_keep_every_point(points: list[Point], seconds: int) -> None:
    if all(later[0] // (seconds * SECOND) > earlier[0] // (seconds * SECOND) for earlier, later in pairwise(points)):
        assert run(points, Aggregate.LAST, seconds * SECOND) == points


def test_a_restart_counts_as_a_rise_from_zero() -> None:
    points = [(0, 100.0), (SECOND, 130.0), (2 * SECOND, 10.0), (3 * SECOND, 40.0)]
    assert run(points, Aggregate.INCREASE) == [(3 * SECOND, 70.0)]
    assert run(points, Aggregate.RATE) == [(3 * SECOND, 70.0 / 3)]


@pytest.mark.parametrize("aggregate", [Aggregate.RATE, Aggregate.INCREASE])
def test_one_point_has_no_rate(aggregate: Aggregate) -> None:
    assert run([(0, 1.0)], aggregate) == []
    assert run([(0, 1.0), (SECOND, 2.0)], aggregate, SECOND) == [(SECOND, 1.0)]


def test_nan_counts_only_where_there_is_nothing_else() -> None:
    points = [(0, 1.0), (SECOND, math.nan), (2 * SECOND, 3.0)]
    assert run(points, Aggregate.AVG) == [(2 * SECOND, 2.0)]
    assert run(points, Aggregate.INCREASE) == [(2 * SECOND, 2.0)]
    assert math.isnan(run(points, Aggregate.MAX, SECOND)[1][1])
    assert math.isnan(run(points[:2], Aggregate.LAST)[0][1])


def test_huge_values_have_a_mean() -> None:
    assert run([(0, 1.7e308), (SECOND, 1.7e308)], Aggregate.AVG)[0][1] == pytest.approx(1.7e308)
    assert run([(0, math.inf), (SECOND, 1.0)], Aggregate.AVG) == [(SECOND, math.inf)]
