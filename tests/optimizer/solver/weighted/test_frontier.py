"""What moves buy by weight: nothing told is better than there is, and most is as good."""

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.model.numbering import problem_of
from optimizer.solver import weighted_frontier_of
from tests.optimizer.oracles import level_unit, weighed_by_force
from tests.support.groups import tiny_problem
from tests.support.tiers import tiered


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
