"""Planning and judging many groups by weight at once says what it says of each of them."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer.checker import (
    Bounds,
    Prices,
    Set,
    WeightVerdict,
    check_assignment,
    check_many_by_weight,
    encode_prices,
    encode_set,
)
from optimizer.model import (
    BY_NUMBERS,
    NOBODY,
    Goals,
    HomogeneousGroups,
    IntArray,
    Problem,
    WeighedGroups,
    weighed,
)
from optimizer.solver import SetBound, solve_by_weight, solve_many_by_weight
from optimizer.solver.weighted.batched import solve
from tests.support.groups import problem as group_of, random_weights


def homogeneous_group(draw: np.random.Generator) -> Problem:
    """A group in which everybody reads everything, and one partition has an owner at least."""
    members, topics = int(draw.integers(1, 10)), int(draw.integers(1, 5))
    sizes = draw.integers(1, 9, topics).tolist()
    count, few = sum(sizes), int(draw.integers(1, members + 1))
    owner = np.where(draw.random(count) < 0.8, draw.integers(0, few, count), NOBODY)
    owner[0] = few - 1
    capacity = float(draw.choice([1.0, 0.3, 4.0]))
    return replace(
        group_of(sizes, [list(range(topics))] * members, owner),
        member_subscription=np.zeros(members, np.int64),
        subscriptions=[np.arange(topics)],
        weights=random_weights(draw, count),
        capacities=None if capacity == 1 else np.full(members, capacity),
    )


def at_once(problems: list[Problem]) -> WeighedGroups:
    """The same groups one after the other."""
    members = np.cumsum([0, *(len(problem.member_ids) for problem in problems)])
    partitions = np.cumsum([0, *(problem.partition_count for problem in problems)])
    owners = [
        np.where(problem.owner < 0, NOBODY, problem.owner + first)
        for problem, first in zip(problems, members.tolist(), strict=False)
    ]
    firsts = [
        problem.topic_offsets[:-1] + first
        for problem, first in zip(problems, partitions.tolist(), strict=False)
    ]
    first_of_topic = np.concatenate([*firsts, partitions[-1:]])
    groups = HomogeneousGroups(members, partitions, np.concatenate(owners), first_of_topic)
    capacity = [
        1.0 if problem.capacities is None else float(problem.capacities[0]) for problem in problems
    ]
    settings = [problem.weights for problem in problems if problem.weights is not None]
    return weighed(groups, np.concatenate(settings), np.array(capacity))


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    draw = np.random.default_rng(17)
    return [homogeneous_group(draw) for _ in range(300)]


@pytest.fixture(scope="module")
def groups(problems: list[Problem]) -> WeighedGroups:
    return at_once(problems)


GOALS = (
    Goals(balance="weight"),
    Goals(balance="weight", tolerance=0.1, effort="quick"),
    Goals(balance="weight", tolerance=0.0, effort="standard"),
)


def of_group(groups: WeighedGroups, at: int, target: IntArray) -> IntArray:
    """One group's part of an assignment, by its own members' numbers."""
    start, end = groups.groups.partition_offsets[at : at + 2]
    result: IntArray = target[start:end] - groups.groups.member_offsets[at]
    return result


@pytest.mark.parametrize("goals", GOALS)
def test_plans_and_bounds_are_those_of_one_at_a_time(
    problems: list[Problem], groups: WeighedGroups, goals: Goals
) -> None:
    batch_result = solve_many_by_weight(groups, goals)
    for at in np.flatnonzero(batch_result.solved).tolist():
        target, bound, reason = solve_by_weight(problems[at], goals)
        assert of_group(groups, at, batch_result.target).tolist() == target.tolist()
        assert batch_result.level[at] == bound.level
        assert (batch_result.shown[at] == BY_NUMBERS) == (not isinstance(bound, SetBound))
        assert reason is None
    assert np.count_nonzero(batch_result.solved) > (50 if goals.tolerance == 0 else 150)
    assert not batch_result.solved.all()


def test_larger_groups_and_few_of_a_size_are_left_to_the_search_for_one(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = at_once(problems[: solve.FEWEST - 1])
    assert not solve_many_by_weight(few, GOALS[0]).solved.any()
    monkeypatch.setattr(solve, "MOST_MEMBERS", 3)
    batch_result = solve_many_by_weight(at_once(problems), GOALS[0])
    members = np.array([len(problem.member_ids) for problem in problems])
    assert members[batch_result.solved].max() == 3


def verdict_of_one(problem: Problem, target: IntArray, bound: int, shown: int) -> WeightVerdict:
    members, count = len(problem.member_ids), problem.partition_count
    if shown == BY_NUMBERS:
        certificate = encode_prices(Prices(bound - 1, np.ones(count, np.int64)))
    else:
        certificate = encode_set(Set(bound - 1, np.full(members, bool(shown))))
    verdict = check_assignment(problem, target, certificate, GOALS[0]).weight
    assert verdict is not None
    return verdict


@pytest.mark.parametrize("shown", range(3))
def test_verdicts_are_those_of_one_at_a_time(
    problems: list[Problem], groups: WeighedGroups, shown: int
) -> None:
    """Of any assignment, and of bounds that are shown or aren't."""
    draw = np.random.default_rng(shown)
    of_partition = groups.groups.of_partition
    members = np.diff(groups.groups.member_offsets)[of_partition]
    target = groups.groups.member_offsets[of_partition] + draw.integers(0, members)
    near = solve_many_by_weight(groups, GOALS[0]).level
    level = np.maximum(1, near + draw.integers(-2, 3, len(near)) * draw.integers(0, 1 << 36))
    bounds = Bounds(level, np.full(len(level), shown))
    topics = [problem.topics for problem in problems]
    weight_verdicts = check_many_by_weight(groups, topics, target, bounds, GOALS[0].tolerance)
    for at, verdict in enumerate(weight_verdicts):
        expected = verdict_of_one(problems[at], of_group(groups, at, target), int(level[at]), shown)
        assert verdict == (None if expected.fault else expected)
    assert 20 < sum(verdict is None for verdict in weight_verdicts) < 280
