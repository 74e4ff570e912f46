"""The replay against a plain loop of one-second steps, and against what can be worked out."""

from typing import Any

import numpy as np
import pytest

from optimizer.coordinator import Close, Parameters, Scenario, Start, simulate
from optimizer.model import Group, Member
from optimizer.scaling import (
    AsItWas,
    Assignments,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Pauses,
    Prices,
    Process,
    replay,
)
from optimizer.scaling.policies.evenfleet import UsefulSizes
from tests.optimizer.scaling.processes import Scripted, process, random_process
from tests.optimizer.scaling.records import Record, differences, recorded
from tests.support.tiers import tiered


def by_the_second(group: Process, members: int) -> tuple[list[float], float]:
    """The lag at the end of each interval with a fixed size, and record-seconds of lag.

    One loop over seconds, partitions and members, without arrays.
    """
    owners = group.assignments.owners(min(members, group.partitions)).tolist()
    lag = [0.0] * group.partitions
    ends, waited = [], 0.0
    for interval, rates in enumerate(group.rates.tolist()):
        for _ in range(round(float(group.edges[interval + 1] - group.edges[interval]))):
            left = [group.peak_rate] * members
            work = [0.0] * members
            for partition, rate in enumerate(rates):
                lag[partition] += rate
                work[owners[partition]] += lag[partition]
            for partition, owner in enumerate(owners):
                if work[owner] > 0:
                    lag[partition] *= 1.0 - min(1.0, left[owner] / work[owner])
            waited += sum(lag)
        ends.append(sum(lag))
    return ends, waited


@pytest.mark.parametrize("seed", tiered(range(8), 3))
def test_it_equals_a_loop_of_seconds_within_a_step(seed: int) -> None:
    """The lag of each interval's end is the same; the lag over time, within a step's arrivals."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        group = random_process(rng, 6, 120.0)
        members = int(rng.integers(1, 4))
        ends, waited = by_the_second(group, members)
        for step in (1.0, 20.0, 60.0):
            course = replay([group], [Fixed(members)], step=step)[0][0]
            assert course.lag.tolist() == pytest.approx(ends, abs=1e-6)
            slack = step * float(group.rates.sum(axis=1).max()) * 720
            assert abs(float(course.lag_record_seconds.sum()) - waited) <= slack


def test_groups_together_and_policies_together_are_as_each_alone() -> None:
    rng = np.random.default_rng(3)
    groups = [random_process(rng, 6) for _ in range(6)]
    policies = [AsItWas(), Fixed(2), Hpa(20.0), Keda(20.0), Evenfleet()]
    together = replay(groups, policies)
    for group, courses in zip(groups, together, strict=True):
        for policy, course in zip(policies, courses, strict=True):
            alone = replay([group], [policy])[0][0]
            assert course.totals(Prices()) == alone.totals(Prices())


def test_a_group_that_is_too_small_lags_by_what_it_can_not_read() -> None:
    """4 partitions at 100 a second, 2 members that read 150 each: 100 more wait each second."""
    group = process([[100.0] * 4], peak_rate=150.0)
    (course,) = replay([group], [Fixed(2)])[0]
    assert course.lag.tolist() == pytest.approx([100.0 * 3600])
    assert course.lag_seconds.tolist() == pytest.approx([3600 / 4])
    assert float(course.late.sum()) == pytest.approx(4 * (3600 - 240))  # late above 60 s: 240 s
    totals = course.totals(Prices())
    assert (totals.member_hours, totals.rebalances) == (2.0, 0)
    assert totals.on_time == pytest.approx(240 / 3600)
    assert totals.lag == pytest.approx(100.0 * (3600 + 60) / 2)  # at the ends of 60 steps
    assert totals.worst_lag_seconds == pytest.approx(900)
    assert totals.late_partition_hours == pytest.approx(4 * (3600 - 240) / 3600)
    assert totals.cost == pytest.approx(2.0 + 10 * totals.late_partition_hours)


@pytest.mark.parametrize("start", [0.0, 1.0, 20.0, 30.0, 60.0, 90.0, 600.0])
def test_members_that_start_later_read_later_and_are_paid_at_once(start: float) -> None:
    """As it was: 1 member, then 2. The second reads so long after it is asked for."""
    group = process([[100.0] * 2] * 2, peak_rate=100.0, recorded=1, start_seconds=start)
    group.recorded[1] = 2
    (course,) = replay([group], [AsItWas()])[0]
    assert course.member_seconds.tolist() == [3600.0, 7200.0]
    assert course.lag.tolist() == pytest.approx([100.0 * 3600, 100.0 * 3600 + 100.0 * start])


@pytest.mark.parametrize("seed", tiered(range(20), 6))
def test_who_starts_within_a_step_does_as_in_steps_of_a_second(seed: int) -> None:
    """Sizes that change with intervals of two minutes, and starts of any length."""
    rng = np.random.default_rng(seed)
    start = float(rng.integers(1, 200))
    group = process([[20.0] * 6] * 8, seconds=120.0, peak_rate=70.0, start_seconds=start)
    group.recorded[:] = rng.integers(1, 7, 8)
    other = process([[5.0] * 3] * 8, seconds=120.0, start_seconds=30.0)
    other.recorded[:] = rng.integers(1, 4, 8)
    by_steps = (replay([group, other], [AsItWas()], step=step) for step in (60.0, 1.0))
    for (whole,), (exact,) in zip(*by_steps, strict=True):
        assert whole.lag.tolist() == pytest.approx(exact.lag.tolist(), abs=1e-6)


def test_a_rebalance_takes_the_time_that_the_twin_says() -> None:
    """Eager members all stop. One of three has two partitions, and no time to catch up."""
    pauses = Pauses("range")
    group = process([[50.0] * 4] * 2, peak_rate=100.0, seconds=60.0, pauses=pauses)
    group.recorded[1] = 3
    (course,) = replay([group], [AsItWas()])[0]
    pause = pauses.between(2, 3)
    assert pause.stop > 0
    assert float(course.lag[1]) == pytest.approx(100.0 * pause.stop)
    # of four partitions one moves
    totals = course.totals(Prices())
    assert totals.unread_seconds == pytest.approx(3 * pause.stop + pause.moved)
    assert totals.rebalances == pause.rebalances > 0


def test_a_static_group_waits_for_the_session_of_a_member_that_is_closed() -> None:
    """Instance ids: nobody takes over before the session ends (45 s by default)."""
    assert Pauses("range", static=True).between(3, 2).moved > 30
    assert Pauses("range").between(3, 2).moved < 10


def test_an_interval_whose_rates_are_not_known_does_not_count() -> None:
    group = process([[50.0] * 2, [float("nan")] * 2, [50.0] * 2], peak_rate=40.0)
    (course,) = replay([group], [Fixed(1)])[0]
    assert course.seconds.tolist() == [3600.0, 0.0, 3600.0]
    assert course.lag.tolist() == pytest.approx([60.0 * 3600, 60.0 * 3600, 60.0 * 7200])
    assert course.totals(Prices()).member_hours == 2.0


def test_processes_of_different_times_are_refused() -> None:
    with pytest.raises(ValueError, match="same edges"):
        replay([process(), process(seconds=60.0)], [Fixed(1)])


def test_evenfleet_takes_sizes_that_lower_the_largest_load() -> None:
    """24 partitions at 100 a second, members that do 70 % of 500: 6.9 members, so 8."""
    group = process([[100.0] * 24] * 3, peak_rate=500.0)
    (course,) = replay([group], [Evenfleet()])[0]
    assert course.members.tolist() == [8, 8, 8]
    assert group.assignments.useful(24) == [1, 2, 3, 4, 5, 6, 8, 12, 24]


def test_evenfleet_grows_at_once_and_shrinks_after_its_time() -> None:
    rates = [[10.0] * 4] * 2 + [[100.0] * 4] + [[10.0] * 4] * 3
    group = process(rates, peak_rate=100.0)
    (course,) = replay([group], [Evenfleet(headroom=1.0, down_seconds=3600.0)])[0]
    assert course.members.tolist() == [1, 1, 4, 4, 1, 1]
    assert course.totals(Prices()).changes == 2


def test_evenfleet_expects_the_same_hour_of_the_week_before() -> None:
    """A week later it has the members before the rate rises, and nothing is late."""
    week = [[10.0] * 4] * 167 + [[100.0] * 4]
    group = process(week * 2 + [[10.0] * 4], peak_rate=110.0, start_seconds=600.0)
    (course,) = replay([group], [Evenfleet(headroom=1.0, ahead_seconds=900.0)])[0]
    first, second = 167, 335
    assert course.some_late[first] > 0
    assert course.some_late[second] == 0
    assert course.members[second - 1] == 4


def test_lag_makes_an_autoscaler_flap_where_rates_do_not_change() -> None:
    """The issue's own example: members come for lag, and go when it is gone."""
    group = process([[100.0] * 24] * 24, peak_rate=500.0, strategy="range")
    by_lag, by_rate = replay([group], [Keda(5000.0, min_replica_count=1), Evenfleet()])[0]
    assert int(by_lag.changes.sum()) > 20 > int(by_rate.changes.sum())


@pytest.mark.parametrize(("heaviest", "members"), [(50.0, 2), (75.0, 2), (89.0, 12), (120.0, 12)])
def test_room_beside_a_heavy_partition_is_not_worth_many_members(
    heaviest: float, members: int
) -> None:
    """A partition in twelve has most of the rate, of members that read 100 a second.

    At 75 no size leaves it 30 % of room; two members read all of it with 15 %, twelve with 25 %.
    """
    group = process([[heaviest, *[2.0] * 11]], peak_rate=100.0)
    assert UsefulSizes([group], 0.7).at_rates(group.total).tolist() == [members]
    fixed = replay([group], [Fixed()])[0][0].totals(Prices())
    assert fixed.most_members == members
    assert fixed.meets_slo == (heaviest <= 100)


def test_with_even_partitions_the_headroom_stays() -> None:
    group = process([[55.0] * 12], peak_rate=100.0)
    assert UsefulSizes([group], 0.7).at_rates(group.total).tolist() == [12]
    assert UsefulSizes([group], 0.95).at_rates(group.total).tolist() == [12]


def test_a_higher_rate_never_takes_fewer_members() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes = UsefulSizes([random_process(rng)], float(rng.uniform(0.3, 1.0)))
        needed = [int(sizes.at_rates(np.array([rate]))[0]) for rate in np.linspace(0.0, 300.0, 200)]
        assert needed == sorted(needed)


@pytest.fixture(scope="module")
def courses() -> list[Record]:
    return recorded()


@pytest.mark.parametrize("kind", ["hpa", "keda"])
@pytest.mark.parametrize("share", tiered(range(5), 1))
def test_every_decision_is_as_recorded(courses: list[Record], kind: str, share: int) -> None:
    of_kind = [record for record in courses if record["kind"] == kind]
    assert len(of_kind) == 600
    assert [text for record in of_kind[share::5] for text in differences(record)] == []


@pytest.mark.parametrize(
    ("changed", "differ"),
    [
        ({"start": 20}, "20 members at 15 s, 6 are recorded"),
        ({"members": [2] * 60}, "61 decisions, 60 are recorded"),
    ],
)
def test_a_record_that_was_changed_differs(
    courses: list[Record], changed: dict[str, Any], differ: str
) -> None:
    record = next(record for record in courses if record["kind"] == "hpa")
    assert differ in differences(record | changed)[0]


TOPIC, PARTITIONS, RATE, PACE = "orders", 12, 37.5, 100.0
SECONDS, MORE_AT, FEWER_AT, FEW, MANY = 60, 15, 50, 2, 6
WITHIN = 0.2


def by_twin(strategy: str, seed: int) -> tuple[int, float]:
    """Rebalances, and record-seconds of lag."""
    owners = Assignments({TOPIC: PARTITIONS}, strategy).owners(FEW).tolist()
    members = [
        Member(f"m{m}", [TOPIC], [(TOPIC, p) for p in range(PARTITIONS) if owners[p] == m])
        for m in range(FEW)
    ]
    more = [f"m{m}" for m in range(FEW, MANY)]
    steps = [
        *(Start(MORE_AT * 1000, name, topics=(TOPIC,)) for name in more),
        *(Close(FEWER_AT * 1000, name) for name in more),
    ]
    client = Parameters().using(strategy, own=False).client
    scenario = Scenario(
        Group({TOPIC: PARTITIONS}, members),
        steps,
        client,
        rates={TOPIC: [RATE] * PARTITIONS},
        peak_rate=PACE,
        end=SECONDS * 1000,
    )
    timeline = simulate(scenario, seed)
    assert timeline.lag is not None
    at, records = np.array(timeline.lag.course).T
    fine = np.linspace(0, SECONDS, 6001)
    return timeline.rebalances, float(np.trapezoid(np.interp(fine, at / 1000, records), fine))


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky", "uniform"])
def test_rebalances_and_lag_are_those_of_the_twin(strategy: str) -> None:
    group = Process(
        edges=np.array([0.0, SECONDS]),
        rates=np.full((1, PARTITIONS), RATE),
        recorded=np.array([FEW]),
        peak_rate=PACE,
        assignments=Assignments({TOPIC: PARTITIONS}, strategy),
        pauses=Pauses(strategy),
        start_seconds=0.0,
        lag=np.zeros(PARTITIONS),
        uncommitted=np.full(PARTITIONS, np.nan),
    )
    sizes = tuple(MANY if MORE_AT <= at < FEWER_AT else FEW for at in range(SECONDS))
    course = replay([group], [Scripted(sizes, 1.0)], step=1.0)[0][0]
    twins = [by_twin(strategy, seed) for seed in range(5)]
    assert int(course.rebalances.sum()) in {rebalances for rebalances, _ in twins}
    expected = float(np.mean([waited for _, waited in twins]))
    assert float(course.lag_record_seconds.sum()) == pytest.approx(expected, rel=WITHIN)
