"""How far groups fall behind, against sums by hand and against small steps of time."""

from dataclasses import replace
from random import Random

import pytest

from optimizer.coordinator import (
    Away,
    ClientSettings,
    Close,
    Freeze,
    Kill,
    Scenario,
    Start,
    Step,
    Timeline,
    simulate,
)
from optimizer.coordinator.lag import Lag
from tests.optimizer.coordinator.random_scenarios import random_scenario
from tests.optimizer.coordinator.test_known_answers import group_of
from tests.support.tiers import tiered

RANGE = ClientSettings(assignors=("range",))


def run(*steps: Step, rate: float = 10, peak_rate: float | None = 100, **facts: bool) -> Timeline:
    """Three members with four partitions each."""
    group = group_of(3, 12, "range", **facts)
    rates = {"orders": [rate] * 12}
    return simulate(Scenario(group, steps, client=RANGE, rates=rates, peak_rate=peak_rate))


def lag_of(timeline: Timeline) -> Lag:
    assert timeline.lag is not None
    return timeline.lag


def test_a_static_restart_has_its_arrivals_to_catch_up_at_what_is_left_of_the_peak_rate() -> None:
    timeline = run(Close(10_000, "m001"), Start(40_000, "m001"), static=True)
    lag, pause = lag_of(timeline), timeline.longest_pause
    assert pause == pytest.approx(30, abs=0.3)
    assert lag.seconds == pytest.approx(pause)
    assert lag.records == pytest.approx(4 * 10 * pause)
    assert lag.catch_up == pytest.approx(4 * 10 * pause / (100 - 40))
    assert lag.never == 0
    assert lag.course[-1] == pytest.approx((10_000 + (pause + lag.catch_up) * 1000, 0), abs=1e-3)
    readers = {item.reader for item in lag.partitions.values()}
    assert [timeline.lives[reader] for reader in readers if reader is not None] == ["m001"]


def test_what_is_read_twice_is_work_as_well() -> None:
    timeline = run(Kill(10_000, "m001"), Start(12_000, "m001"), static=True)
    twice = timeline.seconds_read_twice / 4
    assert twice > 0
    assert timeline.records_read_twice == pytest.approx(10 * timeline.seconds_read_twice)
    assert lag_of(timeline).seconds == pytest.approx(timeline.longest_pause + twice)


def test_a_member_with_more_than_it_can_read_never_catches_up() -> None:
    lag = lag_of(run(Kill(10_000, "m001"), Kill(10_000, "m002"), peak_rate=70))
    assert (lag.catch_up, lag.never) == (None, 12)


def test_a_member_that_reads_hardly_more_than_comes_in_never_catches_up() -> None:
    """What is left is a rounding error of its rate, or would take years."""
    for spare in (1e-13, 1e-6):
        steps = Close(10_000, "m001"), Start(40_000, "m001")
        lag = lag_of(run(*steps, static=True, peak_rate=40 + spare))
        assert (lag.catch_up, lag.never) == (None, 4)


def test_nobody_is_left() -> None:
    assert lag_of(run(*(Kill(10_000, f"m00{at}") for at in range(3)))).never == 12


def test_without_rates_or_peak_rate_nothing_is_told() -> None:
    assert run(peak_rate=None).lag is None
    assert simulate(Scenario(group_of(3, 12, "range"), peak_rate=10)).lag is None


def test_nothing_lags_where_nothing_happens() -> None:
    lag = lag_of(run())
    assert (lag.records, lag.seconds, lag.catch_up, lag.never) == (0, 0, 0, 0)


def test_a_leader_that_is_away_lets_one_partition_lag() -> None:
    (part,) = lag_of(run(Away(10_000, (("orders", 5),), 9_000))).partitions.values()
    assert part.records == pytest.approx(90)
    assert part.catch_up == pytest.approx(90 / (100 - 40))


def stepped(timeline: Timeline, rates: list[float], peak_rate: float, step: float) -> list[float]:
    """The group's lag at each step of time, by a plain loop."""
    lags, course = [0.0] * len(rates), []
    spans = [(item.start, item.end, item.partition, item.member) for item in timeline.readings]
    last = max(end for _, end, _, _ in spans)
    spans = [(a, 1e12 if b == last else b, p, m) for a, b, p, m in spans]
    at = 0.0
    while at < last + 400_000:
        for partition, rate in enumerate(rates):
            lags[partition] += rate * step / 1000
        reads: dict[int, list[int]] = {}
        for start, end, partition, member in spans:
            if start <= at < end:
                reads.setdefault(member, []).append(partition)
        for mine in reads.values():
            left = peak_rate * step / 1000
            for count, partition in enumerate(sorted(mine, key=lags.__getitem__)):
                taken = min(lags[partition], left / (len(mine) - count))
                lags[partition] -= taken
                left -= taken
        course.append(sum(lags))
        at += step
    return course


@pytest.mark.parametrize("seed", tiered(range(12), 4))
def test_small_steps_of_time_come_to_the_same(seed: int) -> None:
    random = Random(seed)
    group = group_of(3, 9, "range", static=seed % 2 == 0)
    rates = [random.choice([0, 1, 5, 20, 40]) for _ in range(9)]
    client = ClientSettings(assignors=("range",), auto_commit=True, commit_ms=1)
    steps: list[Step] = [Freeze(10_000, "m001", random.choice([5_000, 20_000]))]
    steps += [Close(50_000, "m000"), Start(70_000, "m000")]
    peak_rate = sum(rates) * random.choice([0.8, 1.2, 2])
    scenario = Scenario(group, steps, client=client, rates={"orders": rates}, peak_rate=peak_rate)
    timeline = simulate(scenario, seed)
    lag, step = lag_of(timeline), 20.0
    course = stepped(timeline, rates, peak_rate, step)
    near = 2 * step / 1000 * sum(rates) + 0.01 * lag.records
    assert max(course) == pytest.approx(lag.records, abs=near)
    behind = [
        at * step for at, records in enumerate(course) if records > sum(rates) * step / 1000 + 0.1
    ]
    assert max(behind) == pytest.approx(lag.course[-1][0], abs=1_500)


@pytest.mark.parametrize("number", tiered(range(60), 15))
def test_whatever_happens_lag_changes_nothing_else_and_ends_unless_it_never_does(
    number: int,
) -> None:
    scenario, random = random_scenario(number), Random(number)
    topics = [f"t{at}" for at in range(3)] + [f"new{at}" for at in range(1, 9)]
    rates = {topic: [random.choice([0, 1, 10, 50]) for _ in range(60)] for topic in topics}
    peak_rate = random.choice([50, 500, 5_000])
    timeline = simulate(replace(scenario, rates=rates, peak_rate=peak_rate), number)
    plain = simulate(scenario, number)
    assert timeline.happenings == plain.happenings
    assert timeline.unread == plain.unread
    lag = lag_of(timeline)
    assert min(records for _, records in lag.course) >= 0
    if not lag.never:
        assert lag.course[-1][1] == pytest.approx(0, abs=1e-6 * max(1, lag.records))
