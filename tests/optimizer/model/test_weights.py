"""What is told of weights: never more exact than it is, and exact where it can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import WeightVerdict, check_assignment
from optimizer.model import NOBODY, Problem
from optimizer.solver.weighted import weighted_frontier_of
from optimizer.strategies.optimal import assign_optimally
from tests.support.weighted_groups import all_assignments, weighted_problem

GOALS = Goals(balance="weight", tolerance=0.0)


def group(weights: list[float], capacities: list[float] | None, members: int = 3) -> Problem:
    """Members that all read one topic."""
    return replace(
        weighted_problem(0),
        member_ids=[f"m{member}" for member in range(members)],
        topics=["t"],
        topic_offsets=np.array([0, len(weights)]),
        member_subscription=np.zeros(members, np.int64),
        subscriptions=[np.array([0])],
        owner=np.full(len(weights), NOBODY),
        weights=np.array(weights),
        capacities=None if capacities is None else np.array(capacities),
    )


def planned(problem: Problem) -> tuple[np.ndarray, WeightVerdict]:
    answer = assign_optimally(problem, GOALS)
    verdict = check_assignment(problem, answer.target, answer.certificate, GOALS)
    assert (verdict.faults, verdict.certificate_fault) == ([], None)
    assert verdict.weight is not None
    return answer.target, verdict.weight


def largest(problem: Problem, target: np.ndarray) -> float:
    """The largest load for a unit of capacity, of what was stated."""
    assert problem.weights is not None
    assert problem.capacities is not None
    loads = [problem.weights[target == m].sum() for m in range(len(problem.capacities))]
    return float(np.max(np.array(loads) / problem.capacities))


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
        problem = group(draw.integers(1, 1000, 7).astype(float).tolist(), capacities)
        target, verdict = planned(problem)
        best = min(largest(problem, item) for item in all_assignments(problem))
        assert verdict.weight_bound <= best * (1 + 1e-15)
        assert verdict.max_weight == pytest.approx(largest(problem, target), rel=1e-15)
        assert not verdict.in_tolerance or verdict.max_weight <= best * (1 + 1e-15)
        frontier = weighted_frontier_of(problem)
        assert frontier.weight_bound <= best * (1 + 1e-15)
        assert all(point.max_weight >= best * (1 - 1e-15) for point in frontier.points)


def test_what_nobody_reads_has_no_part_in_the_unit() -> None:
    """By its weight the others would be nothing."""
    problem = group([3.0, 2.0, 1.0, 1e18], None, 2)
    problem = replace(problem, topics=["t", "unread"], topic_offsets=np.array([0, 3, 4]))
    _, verdict = planned(problem)
    assert (verdict.max_weight, verdict.weight_bound) == (3.0, 3.0)
