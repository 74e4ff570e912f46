"""The bound equals brute force over all courses, and nothing that meets the SLO costs less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import inf, isinf

import numpy as np
import pytest

from optimizer.scaling import (
    AsItWas,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Prices,
    Process,
    least_costs,
    replay,
)
from optimizer.scaling.bound import GAP
from tests.optimizer.scaling.courses_of_queue import all_courses, least_of_mixtures
from tests.optimizer.scaling.processes import process, random_process
from tests.optimizer.scaling.scripted import Scripted
from tests.support.tiers import tiered

POLICIES = (
    *(AsItWas(), Fixed(1), Fixed(3), Fixed(), Hpa(20.0), Hpa("5s", name="hpa in seconds")),
    *(Keda(20.0), Keda("5s", min_replica_count=1, name="keda in seconds"), Evenfleet()),
)


def cool(rng: np.random.Generator) -> Process:
    """A tiny group of four steps without a hot partition."""
    while True:
        group = random_process(rng, 4)
        if not len(group.hot) and group.rates.any():
            return group


def random_prices(rng: np.random.Generator) -> Prices:
    """Often with lateness so cheap that only the SLO keeps a course from it."""
    return Prices(
        rebalance=float(rng.choice([0.0, 0.01, 0.05, 0.5])),
        late_partition_hour=float(rng.choice([0.1, 1.0, 10.0, 100.0])),
        late_after=float(rng.choice([20.0, 60.0])),
        on_time=float(rng.choice([0.0, 0.5, 0.7, 0.75, 0.99, 1.0])),
    )


@pytest.mark.parametrize("seed", tiered(range(10), 3))
def test_the_bound_is_the_cheapest_of_all_courses_that_meet_the_slo(seed: int) -> None:
    """50 groups for each seed, 500 in all; in many the cheapest course would be too late."""
    rng = np.random.default_rng(seed)
    bound_by_slo = 0
    for _ in range(50):
        group, prices = cool(rng), random_prices(rng)
        courses = all_courses(group, prices)
        least = least_of_mixtures(courses, prices.late_seconds(4 * 60))
        assert least_costs([group], prices, gap=0.0)[0] == pytest.approx(least, abs=1e-7)
        assert least * (1 - GAP) - 1e-7 <= least_costs([group], prices)[0] <= least + 1e-7
        bound_by_slo += least > min(item.cost for item in courses) + 1e-9
    assert bound_by_slo >= 5


@pytest.mark.parametrize("seed", tiered(range(5), 2))
def test_without_lateness_the_bound_is_one_course(seed: int) -> None:
    """An SLO of 1 allows no late step, so nothing can be mixed."""
    rng = np.random.default_rng(50 + seed)
    for _ in range(20):
        group, prices = cool(rng), replace(random_prices(rng), on_time=1.0)
        on_time = [item.cost for item in all_courses(group, prices) if not item.late]
        assert least_costs([group], prices, gap=0.0)[0] == pytest.approx(min(on_time), abs=1e-7)


@pytest.mark.parametrize("seed", tiered(range(10), 3))
def test_no_course_and_no_policy_that_meets_the_slo_costs_less(seed: int) -> None:
    """500 groups with pauses, times to start and hot partitions, under nine policies."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(50):
        group, prices = random_process(rng, 4), random_prices(rng)
        assert least_cost(group, prices, POLICIES) >= least_costs([group], prices)[0] - 1e-7


def least_cost(group: Process, prices: Prices, policies: Sequence[Policy]) -> float:
    """Of the policies that meet the SLO; infinite where none does."""
    totals = [item.totals(prices) for item in replay([group], policies, prices)[0]]
    return min((item.cost for item in totals if item.meets_slo), default=inf)


def test_no_written_course_costs_less_than_the_bound() -> None:
    rng = np.random.default_rng(7)
    for _ in range(10):
        group, prices = random_process(rng, 4), random_prices(rng)
        scripts = [Scripted(sizes) for sizes in product(range(group.partitions + 1), repeat=4)]
        assert least_cost(group, prices, scripts) >= least_costs([group], prices)[0] - 1e-7


def test_to_close_all_members_and_to_start_again_is_one_rebalance() -> None:
    """A minute without records between two with some: nobody is paid, and one rebalance is."""
    group = process([[50.0], [0.0], [0.0], [50.0]], seconds=60, peak_rate=100)
    prices = Prices(rebalance=0.01)
    scripts = [Scripted((1, 0, 0, 1)), Fixed(1)]
    costs = [item.totals(prices).cost for item in replay([group], scripts, prices)[0]]
    bound = least_costs([group], prices)[0]
    assert bound <= min(costs)
    assert costs[0] == pytest.approx(2 / 60 + 0.01)


def test_where_load_divides_evenly_a_true_course_costs_what_the_bound_says() -> None:
    """Two even partitions with 150 records a second, for members that read 100."""
    group = process([[75.0] * 2] * 5, seconds=60, peak_rate=100)
    prices = Prices(rebalance=0.001, late_after=65.0)
    scripts = [Scripted(sizes) for sizes in product(range(3), repeat=5)]
    costs = [item.totals(prices).cost for item in replay([group], scripts, prices)[0]]
    assert least_costs([group], prices, units=130)[0] == pytest.approx(min(costs))


def test_a_hot_partition_is_late_whatever_the_members() -> None:
    """200 records a second for one member that reads 100: late from the second minute on."""
    group = process([[200.0, 0.0]] * 4, seconds=60, peak_rate=100)
    assert group.hot.tolist() == [0]
    late_minutes = 2  # behind by 60, 120 seconds' worth after minutes 2 and 4: above 60 twice
    prices = Prices(member_hour=0.0, rebalance=0.0, on_time=0.5)
    assert least_costs([group], prices)[0] == pytest.approx(10 * late_minutes / 60)
    fixed = replay([group], [Fixed(2)], Prices())[0][0]
    assert float(fixed.late.sum()) == pytest.approx(60 * late_minutes)
    assert isinf(least_costs([group], replace(prices, on_time=0.6))[0])
    assert not fixed.totals(replace(prices, on_time=0.6)).meets_slo


def test_a_policy_that_breaks_the_slo_may_cost_less_than_the_bound() -> None:
    """100 records a second for members that read 100: nobody, against one."""
    group = process([[100.0]] * 10, seconds=60, peak_rate=100)
    prices = Prices(late_partition_hour=0.1)
    nobody, one = replay([group], [Scripted((0,)), Fixed(1)], prices)[0]
    bound = least_costs([group], prices)[0]
    assert (nobody.totals(prices).meets_slo, one.totals(prices).meets_slo) == (False, True)
    assert nobody.totals(prices).cost < bound <= one.totals(prices).cost


def test_a_longer_window_costs_as_much_a_day() -> None:
    """Roundings don't add up: of 7 hours at 3.5 members' worth, 4 members are the least."""
    group = process([[87.5] * 4] * 7, peak_rate=100)
    assert least_costs([group], Prices(rebalance=0.2))[0] == pytest.approx(28, rel=0.02)


@pytest.mark.parametrize("seconds", tiered([37.0, 90.0, 400.0], 1))
def test_intervals_need_not_be_whole_steps(seconds: float) -> None:
    """Steps are then shorter, so members read a whole number of units, rounded up."""
    rng = np.random.default_rng(round(seconds))
    for _ in range(30):
        group, prices = random_process(rng, 4, seconds), random_prices(rng)
        scripts = [Scripted(sizes, seconds) for sizes in product(range(4), repeat=4)]
        bound = least_costs([group], prices)[0]
        assert least_cost(group, prices, [*POLICIES, *scripts]) >= bound - 1e-7
