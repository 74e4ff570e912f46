"""Equal partitions of topics that are joined go together: the best that is, where that is known."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import IntArray, Problem, units_of, weights_of
from optimizer.model.measures import changes_of, member_loads
from optimizer.model.numbering import problem_of
from optimizer.solver import frontier_of, weighted_frontier_of
from optimizer.strategies.optimal import assign_optimally
from tests.support.limited_groups import every_assignment, keeps_to, random_limits

NAMES = ("pin", "exclude", "max_partitions")

JOINED = "t0, t1"


def joined_group(seed: int) -> Group:
    """Two topics that are joined, of as many partitions or not, and now and then a third."""
    draw = random.Random(seed)
    size = draw.randint(1, 3)
    topics = {"t0": size, "t1": size if draw.random() < 0.6 else draw.randint(1, 3)}
    if draw.random() < 0.3:
        topics["t2"] = draw.randint(1, 2)
    partitions = [(topic, p) for topic, count in topics.items() for p in range(count)]
    count = draw.randint(2, 3)
    owners: list[list[tuple[str, int]]] = [[] for _ in range(count)]
    together = draw.random() < 0.5
    for topic, p in partitions:
        if draw.random() < 0.8:
            owners[(p + seed) % count if together else draw.randrange(count)].append((topic, p))
    reads = [[t for t in topics if draw.random() < 0.85] for _ in range(count)]
    return Group(
        topics,
        [
            Member(f"m{m}", reads[m], owned=[own for own in owners[m] if own[0] in reads[m]])
            for m in range(count)
        ],
        weights={t: [float(draw.randint(1, 9)) for _ in range(n)] for t, n in topics.items()},
    )


def is_together(problem: Problem, target: IntArray) -> bool:
    first, second = problem.topics.index("t0"), problem.topics.index("t1")
    start, other = (int(problem.topic_offsets[t]) for t in (first, second))
    both = min(int(problem.topic_sizes[t]) for t in (first, second))
    return all(
        target[start + p] == target[other + p]
        or min(int(target[start + p]), int(target[other + p])) < 0
        for p in range(both)
    )


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_by_count_as_by_force_where_units_are_alike_and_sound_where_not(seed: int) -> None:
    exact = packed = clashes = 0
    for each in range(seed, seed + 50):
        group, draw = joined_group(each), random.Random(-each)
        problem = problem_of(group).problem
        settings: dict[str, Any] = {}
        if draw.random() < 0.6:
            settings = random_limits(draw, [draw.choice(NAMES)], group)
        budget = draw.choice([None, None, 2])
        goals = Goals(copartition=JOINED, max_moves=budget, **settings)  # type: ignore[arg-type]
        keep = [
            target
            for target in every_assignment(problem)
            if is_together(problem, target) and keeps_to(problem, target, settings)
        ]
        try:
            answer = assign_optimally(problem, goals)
        except LimitsError as error:
            assert not keep or "no plan was found" in str(error), (each, settings)
            clashes += not keep
            continue
        assert keep, (each, settings)
        assert is_together(problem, answer.target)
        assert keeps_to(problem, answer.target, settings), (each, settings)
        first = check_assignment(problem, answer.target, goals=goals, rival=answer.rival)
        again = check_assignment(problem, answer.target, first.certificate, goals)
        squares = [int(loads @ loads) for loads in (member_loads(problem, t) for t in keep)]
        moves = [changes_of(problem, target)[0] for target in keep]
        loads = member_loads(problem, answer.target)
        result = int(loads @ loads), changes_of(problem, answer.target)[0]
        best = min(zip(squares, moves, strict=True))
        for verdict in (first, again):
            assert verdict.faults == []
            assert verdict.certificate_fault is None
            assert verdict.measures is not None
            assert verdict.measures.moves == result[1]
            if budget is None and verdict.balance_optimal:
                assert result[0] == best[0]
                assert verdict.moves_optimal is None or result == best
            assert verdict.balance_optimal is not False, (each, settings)
            assert verdict.moves_optimal is not False
        units = units_of(problem, goals.limits)
        if units.size is None:
            packed += 1
        elif budget is None:
            assert result[0] == best[0], (each, settings)
            assert first.balance_optimal
            exact += 1
            if units.is_owned_whole:
                assert result == best, (each, settings)
                assert first.moves_optimal
    assert min(exact, packed) > 8
    assert clashes


@pytest.mark.parametrize("seed", range(0, 100, 50))
def test_by_weight_no_bound_is_above_what_goes_together(seed: int) -> None:
    best = plans = 0
    for each in range(seed, seed + 50):
        problem = problem_of(joined_group(each)).problem
        goals = Goals(balance="weight", tolerance=0.0, copartition=JOINED)  # type: ignore[arg-type]
        keep = [target for target in every_assignment(problem) if is_together(problem, target)]
        try:
            answer = assign_optimally(problem, goals)
        except LimitsError:
            continue
        verdict = check_assignment(problem, answer.target, answer.certificate, goals)
        weights = weights_of(problem)
        least = min(weights.highest(target) for target in keep)
        assert (verdict.faults, verdict.certificate_fault) == ([], None)
        assert verdict.weight is not None
        assert is_together(problem, answer.target)
        assert verdict.weight.weight_bound <= least * (1 + 1e-9)
        assert verdict.weight.max_weight >= least * (1 - 1e-9)
        plans += 1
        best += verdict.weight.max_weight <= least * 1.001
    assert best >= 0.95 * plans > 20


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


def test_what_is_apart_is_a_fault_and_what_cannot_be_together_is_told() -> None:
    goals = Goals(copartition="orders, payments")  # type: ignore[arg-type]
    problem = problem_of(shop()).problem
    target = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    assert check_assignment(problem, target, goals=goals).faults == [
        "orders-1 is assigned to a and payments-1 to b; they are to be together (2 such)"
    ]
    group = replace(shop(), members=[Member("a", ["orders"]), Member("b", ["payments"])])
    with pytest.raises(LimitsError) as caught:
        assign(group, goals=goals)
    assert str(caught.value) == (
        "its limits can't be met: equal partitions of orders, payments together; 8 partitions of "
        "orders, payments may go to no member that reads them"
    )
    with pytest.raises(LimitsError) as caught:
        assign(
            shop(), goals=replace(goals, max_partitions=[{"most": 5}, {"members": "b", "most": 3}])
        )  # type: ignore[arg-type]
    assert str(caught.value) == (
        "its limits can't be met together: at most 5 partitions for each member and at most 3 "
        "partitions for b and equal partitions of orders, payments together; 8 partitions of "
        "orders, payments may go only to a, b, with room for 6"
    )


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


def test_a_unit_that_no_member_may_have_whole_is_named() -> None:
    topics = {"orders": 1, "payments": 1, "refunds": 1}
    group = Group(topics, [Member(name, [*topics]) for name in "abc"])
    goals = Goals(copartition="orders, payments", max_partitions=1)  # type: ignore[arg-type]
    with pytest.raises(LimitsError) as caught:
        assign(group, goals=goals)
    assert str(caught.value) == (
        "its limits can't be met together: at most 1 partition for each member and equal "
        "partitions of orders, payments together; orders-0 and payments-0 go to the same member, "
        "and the members that read them may have at most 1"
    )


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
