"""The bound equals brute force over all courses of sizes, and nothing costs less."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest

from optimizer.scaling import (
    AsItWas,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Prices,
    Process,
    least_costs,
    replay,
)
from tests.optimizer.scaling.processes import process, random_process
from tests.optimizer.scaling.scripted import Scripted

UNITS = 16

POLICIES = (
    *(AsItWas(), Fixed(1), Fixed(3), Fixed(), Hpa(20.0), Hpa("5s", name="hpa in seconds")),
    *(Keda(20.0), Keda("5s", min_replica_count=1, name="keda in seconds"), Evenfleet()),
)


def relaxed_cost(course: Sequence[int], group: Process, prices: Prices) -> float:
    """What a course costs the relaxed group, told apart from the bound's code: one queue."""
    allowed = prices.late_after * np.maximum(group.rates, group.usual).sum(axis=1).max()
    unit = (allowed if allowed > 0 else max(group.peak_rate * 60, 1.0)) / UNITS
    queue, cost = 0, 0.0
    for members, rates in zip(course, group.rates, strict=True):
        read = group.peak_rate * min(members, group.partitions)
        change = int(np.floor((rates.sum() - read) * 60 / unit + 1e-9))
        queue = min(max(0, queue + change), UNITS + 1)
        cost += prices.member_hour * members / 60
        if queue > UNITS and not len(group.hot):
            cost += prices.late_partition_hour / 60
    return cost + prices.rebalance * sum(a != b > 0 for a, b in pairwise(course))


def cool(rng: np.random.Generator) -> Process:
    """A tiny group of four steps without a hot partition."""
    while True:
        group = random_process(rng, 4)
        if not len(group.hot) and group.rates.any():
            return group


def random_prices(rng: np.random.Generator) -> Prices:
    return Prices(
        rebalance=float(rng.choice([0.0, 0.01, 0.05, 0.5])),
        late_partition_hour=float(rng.choice([1.0, 10.0, 100.0])),
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_the_cheapest_of_all_courses(seed: int) -> None:
    """50 groups for each seed, 500 in all."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        group, prices = cool(rng), random_prices(rng)
        sizes = range(group.partitions + 1)
        least = min(relaxed_cost(course, group, prices) for course in product(sizes, repeat=4))
        assert least_costs([group], prices)[0] == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_no_course_and_no_policy_costs_less_than_the_bound(seed: int) -> None:
    """500 groups with pauses, times to start and hot partitions, under nine policies."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(50):
        group, prices = random_process(rng, 4), random_prices(rng)
        bound = least_costs([group], prices)[0]
        courses = replay([group], POLICIES, prices)[0]
        assert min(item.totals(prices).cost for item in courses) >= bound - 1e-9


def test_no_written_course_costs_less_than_the_bound() -> None:
    rng = np.random.default_rng(7)
    for _ in range(10):
        group, prices = random_process(rng, 4), random_prices(rng)
        scripts = [Scripted(sizes) for sizes in product(range(group.partitions + 1), repeat=4)]
        costs = [item.totals(prices).cost for item in replay([group], scripts, prices)[0]]
        assert min(costs) >= least_costs([group], prices)[0] - 1e-9


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
    bound = least_costs([group], Prices(member_hour=0.0, rebalance=0.0))[0]
    assert bound == pytest.approx(10 * late_minutes / 60)
    fixed = replay([group], [Fixed(2)], Prices())[0][0]
    assert float(fixed.late.sum()) == pytest.approx(60 * late_minutes)
