"""Equal partitions of topics that are joined go together, or it is told why they can't."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of
from optimizer.solver import frontier_of, weighted_frontier_of


def shop(payments: int = 4) -> Group:
    owned = [("orders", p) for p in range(4)] + [("payments", p) for p in range(payments)]
    return Group(
        {"orders": 4, "payments": payments},
        [Member("a", ["orders", "payments"], owned), Member("b", ["orders", "payments"])],
    )


def test_a_join_moves_both_sides_of_it() -> None:
    plan = assign(shop(), goals=Goals(copartition="orders, payments"))  # type: ignore[arg-type]
    assert plan.loads == {"a": 4, "b": 4}
    assert [p for t, p in plan.assignment["a"] if t == "orders"] == [
        p for t, p in plan.assignment["a"] if t == "payments"
    ]
    verdict = plan.check()
    assert (verdict.balance_optimal, verdict.moves_optimal, plan.moves) == (True, True, 4)


def test_what_is_apart_is_a_fault() -> None:
    goals = Goals(copartition="orders, payments")  # type: ignore[arg-type]
    problem = problem_of(shop()).problem
    target = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    assert check_assignment(problem, target, goals=goals).faults == [
        "orders-1 is assigned to a and payments-1 to b; they are to be together (2 such)"
    ]


def test_nothing_is_told_of_what_moves_buy_where_topics_go_together() -> None:
    problem = problem_of(shop()).problem
    goals = Goals(copartition="orders, payments")  # type: ignore[arg-type]
    for frontier in (frontier_of, weighted_frontier_of):
        with pytest.raises(LimitsError, match="isn't worked out under copartition"):
            frontier(problem, goals)


def test_topics_that_go_together_are_told_by_names_or_a_pattern() -> None:
    with pytest.raises(GoalsError) as caught:
        Goals(copartition="orders", max_per_topic=2)  # type: ignore[arg-type]
    assert caught.value.faults == [
        "copartition names the topic 'orders' alone: name at least two, with a comma between "
        "them, or a pattern of them",
    ]
    with pytest.raises(GoalsError) as caught:
        Goals(copartition="order*", max_per_topic=2)  # type: ignore[arg-type]
    assert caught.value.faults == [
        "max_per_topic doesn't work with copartition: use max_partitions"
    ]
    assert assign(shop(3), goals=Goals(copartition="*")).loads == {"a": 4, "b": 3}  # type: ignore[arg-type]


def test_units_that_cannot_be_packed_are_told_in_partitions() -> None:
    """Three units of two partitions, one of one: 7 of room for 7, and no way to pack them."""
    topics = {"orders": 3, "payments": 3, "refunds": 1}
    group = Group(topics, [Member(name, [*topics]) for name in "ab"])
    goals = Goals(
        copartition="orders, payments",  # type: ignore[arg-type]
        max_partitions=[{"members": "a", "most": 4}, {"members": "b", "most": 3}],  # type: ignore[arg-type]
    )
    assert assign(group, goals=goals).loads == {"a": 4, "b": 3}
    tight = [{"members": "a", "most": 5}, {"members": "b", "most": 3}]
    lone = Group({"orders": 4, "payments": 4}, group.members)
    with pytest.raises(LimitsError) as caught:
        assign(lone, goals=replace(goals, max_partitions=tight))  # type: ignore[arg-type]
    assert "weigh" not in str(caught.value)
