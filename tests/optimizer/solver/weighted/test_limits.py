"""Limits and frontiers of plans by weight."""

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of
from optimizer.solver import weighted_frontier_of
from tests.optimizer.oracles import level_unit, weighed_by_force
from tests.optimizer.test_limits import weighted
from tests.support.groups import tiny_problem
from tests.support.tiers import tiered


def test_a_member_that_is_drained_gives_up_all_by_weight_too() -> None:
    plan = assign(weighted(), goals=Goals(balance="weight", exclude="a"))  # type: ignore[arg-type]
    assert plan.assignment["a"] == []
    sentences = plan.explain().sentences()
    assert [sentence.endswith("; its limits take that") for sentence in sentences] == [True] * 4 + [
        False
    ]


def test_a_members_weight_is_kept_to() -> None:
    goals = Goals(balance="weight", max_weight=[{"members": "a", "most": 1.5}])  # type: ignore[arg-type]
    plan = assign(weighted(), goals=goals)
    assert plan.assignment["a"] == [("t", 3)]
    problem = problem_of(weighted()).problem
    assert check_assignment(problem, np.zeros(4, np.int64), goals=goals).faults == [
        "a is given a weight of 10, and its limits allow 1.5"
    ]


def group(*weights: float) -> Group:
    """a owns all partitions of t, and b nothing."""
    owned = [("t", p) for p in range(len(weights))]
    members = [Member("a", topics=["t"], owned=owned), Member("b", topics=["t"])]
    return Group(topics={"t": len(weights)}, members=members, weights={"t": list(weights)})


@pytest.mark.parametrize(
    ("allowed", "moves", "heaviest"), [(0, 0, 12), (1, 1, 8), (2, 2, 6), (0.25, 1, 8), (None, 2, 6)]
)
def test_the_largest_load_is_the_least_that_so_many_moves_reach(
    allowed: float | None, moves: int, heaviest: float
) -> None:
    """Of 4, 4, 2, 2 one move gives away a 4, and two a 4 and a 2."""
    goals = Goals(balance="weight", tolerance=0.0, max_moves=allowed)
    plan = assign(group(4, 4, 2, 2), goals=goals)
    verdict = plan.check().weight
    assert verdict is not None
    assert (plan.moves, verdict.max_weight) == (moves, pytest.approx(heaviest))


def test_what_is_not_worth_its_moves_stays() -> None:
    """12 and 0 become 6 and 6: two partitions of a mean weight are put right, by two moves."""
    left = assign(group(4, 4, 2, 2), goals=Goals(balance="weight", min_gain=1.1))
    done = assign(group(4, 4, 2, 2), goals=Goals(balance="weight", min_gain=1.0))
    assert (left.moves, done.moves) == (0, 2)
    assert "not worth 2 moves" in "; ".join(left.notes)


@pytest.mark.parametrize("start", tiered(range(0, 150, 50), 1))
def test_bounds_and_points_by_force(start: int) -> None:
    """At each number of moves the bound isn't above the best there is, nor the point below it."""
    points = best = 0
    for seed in range(start, start + 50):
        problem = tiny_problem(seed, weights=True)
        _, level, moves = weighed_by_force(problem)
        unit = level_unit(problem)
        frontier = weighted_frontier_of(problem)
        levels = [round(point.max_weight / unit) for point in frontier.points]
        assert levels == sorted(levels, reverse=True)
        assert round(frontier.weight_bound / unit) <= level.min() <= levels[-1]
        for point, reached in zip(frontier.points, levels, strict=True):
            least = level[moves <= point.moves].min()
            assert round(point.weight_bound / unit) <= least <= reached, seed
            points += 1
            best += reached <= least * 1.001
        assert frontier.points[-1].share == 1
        assert np.all(np.diff([point.moves for point in frontier.points]) > 0)
    assert best > 0.97 * points


@pytest.mark.parametrize(
    "goals",
    [
        Goals(balance="weight", pin=[{"topics": "t", "partitions": [0], "members": "b"}]),
        Goals(balance="weight", exclude=[{"topics": "t", "partitions": [0], "members": "a"}]),
    ],
    ids=["pin", "exclude"],
)
def test_what_limits_move_is_counted(goals: Goals) -> None:
    """The first partition has to move; with the heaviest it makes loads of 8 and 9."""
    group = Group(
        topics={"t": 4},
        members=[Member("a", ["t"], [("t", p) for p in range(4)]), Member("b", ["t"])],
        weights={"t": [1.0, 8.0, 4.0, 4.0]},
    )
    frontier = weighted_frontier_of(problem_of(group).problem, goals)
    assert [(p.moves, p.max_weight) for p in frontier.points] == [
        (1, pytest.approx(16)),
        (2, pytest.approx(9)),
    ]
    assert frontier.current_weight == pytest.approx(17)
    assert assign(group, goals=goals).moves == 2
