"""Limits and budgets by weight: what they forbid, and how it is told that they can't be met."""

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of
from tests.optimizer.test_limits import weighted


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
