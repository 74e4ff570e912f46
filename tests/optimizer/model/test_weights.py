"""What is told of weights: never more exact than it is, and exact where it can be."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import WeightVerdict, check_assignment
from optimizer.model import IntArray, Problem, Reals
from optimizer.solver.weighted import weighted_frontier_of
from optimizer.strategies.optimal import assign_optimally
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import problem

GOALS = Goals(balance="weight", tolerance=0.0)


def group(weights: list[float], capacities: list[float] | None, members: int = 3) -> Problem:
    """Members that all read one topic."""
    return replace(
        problem([len(weights)], [[0]] * members),
        weights=np.array(weights),
        capacities=None if capacities is None else np.array(capacities),
    )


def planned(problem: Problem) -> tuple[np.ndarray, WeightVerdict]:
    answer = assign_optimally(problem, GOALS)
    verdict = check_assignment(problem, answer.target, answer.certificate, GOALS)
    assert (verdict.faults, verdict.certificate_fault) == ([], None)
    assert verdict.weight is not None
    return answer.target, verdict.weight


def largest(problem: Problem, targets: IntArray) -> Reals:
    """The largest load for a unit of capacity, of what was stated, of each assignment."""
    each = range(len(problem.member_ids))
    loads = [np.where(targets == m, problem.weights, 0.0).sum(axis=1) for m in each]
    return (np.stack(loads, axis=1) / problem.capacities).max(axis=1)


def test_whole_weights_stay_whole() -> None:
    _, verdict = planned(group([2.0] * 6 + [1.0] * 3, None))
    assert (verdict.max_weight, verdict.weight_bound, verdict.weight_gap) == (5.0, 5.0, 0.0)
    _, verdict = planned(group([2.0, 2.0, 2.0, 6.0], [1.0, 2.0, 3.0]))
    assert (verdict.max_weight, verdict.weight_bound) == (2.0, 2.0)


@pytest.mark.parametrize(
    "capacities",
    [[333.0, 250.7, 1000.0], [1.0, 1000.4, 3000.9], [1.0, 1.00049, 0.99951], [np.pi, np.e, 7.0]],
)
def test_capacities_of_no_common_unit_make_no_false_bound(capacities: list[float]) -> None:
    """The bound is below the optimum of what was stated, and the plan's load is its own."""
    draw = np.random.default_rng(5)
    for _ in range(8):
        weighted = group(draw.integers(1, 1000, 7).astype(float).tolist(), capacities)
        target, verdict = planned(weighted)
        best = largest(weighted, facts_of_problem(weighted).every()).min()
        assert verdict.weight_bound <= best * (1 + 1e-15)
        assert verdict.max_weight == pytest.approx(largest(weighted, target[None])[0], rel=1e-15)
        assert not verdict.in_tolerance or verdict.max_weight <= best * (1 + 1e-15)
        frontier = weighted_frontier_of(weighted)
        assert frontier.weight_bound <= best * (1 + 1e-15)
        assert all(point.max_weight >= best * (1 - 1e-15) for point in frontier.points)


@pytest.mark.parametrize(
    ("weights", "owner", "moves"),
    [
        # one partition brings 6 down to 3, and 3 down to 2
        ([3.0, 2.0, 1.0], [0, 0, 0], 1),
        ([2.0, 1.0, 1.0], [0, 0, 1], 1),
        # of 8 more than the half has to go: two of the four
        ([2.0] * 4, [0] * 4, 2),
        ([2.0] * 4, [0, 1, 0, 1], 0),
    ],
)
def test_the_fewest_moves_are_those_that_a_heavy_owner_cannot_avoid(
    weights: list[float], owner: list[int], moves: int
) -> None:
    _, verdict = planned(replace(group(weights, None, 2), owner=np.array(owner)))
    assert verdict.moves_bound == moves


def test_what_nobody_reads_has_no_part_in_the_unit() -> None:
    """By its weight the others would be nothing."""
    weighted = replace(problem([3, 1], [[0], [0]]), weights=np.array([3.0, 2.0, 1.0, 1e18]))
    _, verdict = planned(weighted)
    assert (verdict.max_weight, verdict.weight_bound) == (3.0, 3.0)
