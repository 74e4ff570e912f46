"""The checker against brute force: right about good assignments, and about spoilt ones."""

from __future__ import annotations

import re

import numpy as np
import pytest

from optimizer.checker.check import check_assignment
from optimizer.model.arrays import IntArray
from optimizer.model.measures import measure
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY, Problem
from optimizer.solver.solve import solve
from optimizer.strategies import STRATEGIES
from tests.optimizer.oracles import brute_force, facts_of_problem, outcome_of
from tests.support.groups import problem, random_problem, tiny_group


def spoilt(group: Problem, draw: np.random.Generator) -> IntArray:
    """The optimum with some partitions given to other readers, or two of them exchanged."""
    target = solve(group).target.copy()
    facts = facts_of_problem(group)
    read = [p for p, readers in enumerate(facts.readers) if readers]
    if len(read) < 2:
        return target
    if draw.random() < 0.5:
        for p in draw.choice(read, draw.integers(1, 3)).tolist():
            target[p] = draw.choice(facts.readers[p])
        return target
    p, q = draw.choice(read, 2, replace=False).tolist()
    if target[p] in facts.readers[q] and target[q] in facts.readers[p]:
        target[p], target[q] = target[q], target[p]
    return target


@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_tiny_assignments_are_judged_as_brute_force_judges_them(seed: int) -> None:
    draw = np.random.default_rng(seed)
    seen = set()
    for each in range(seed, seed + 100):
        group = problem_of(tiny_group(each)).problem
        best = brute_force(facts_of_problem(group))
        for target in [solve(group).target, *(spoilt(group, draw) for _ in range(4))]:
            verdict = check_assignment(group, target)
            reached = outcome_of(group, target)
            balanced = reached.sum_squares == best.sum_squares
            assert verdict.faults == []
            assert verdict.balance_optimal == balanced, f"seed {each}"
            assert verdict.moves_optimal == (reached.moves == best.moves if balanced else None)
            spread = (reached == best) if verdict.moves_optimal else None
            assert verdict.spread_optimal == spread, f"seed {each}"
            assert (verdict.witness is None) == (reached == best)
            seen.add((verdict.balance_optimal, verdict.moves_optimal, verdict.spread_optimal))
    assert seen == {
        (True, True, True),
        (True, True, False),
        (True, False, None),
        (False, None, None),
    }


def test_larger_assignments_of_the_solver_are_accepted() -> None:
    for seed in range(200):
        group = random_problem(seed)
        verdict = check_assignment(group, solve(group).target)
        assert verdict[:5] == ([], verdict.measures, True, True, None), f"seed {seed}"
        certified = check_assignment(group, solve(group).target, verdict.certificate)
        assert certified == verdict, f"seed {seed}"


def test_more_balanced_witness_lowers_the_squares_of_the_loads() -> None:
    """The transfers that it names lead from readers to readers, and to a better balance."""
    improved = 0
    for seed in range(200):
        group = random_problem(seed)
        target = spoilt(group, np.random.default_rng(seed))
        verdict = check_assignment(group, target)
        if verdict.balance_optimal:
            continue
        assert verdict.witness is not None
        after = target.copy()
        for topic, number, giver, taker in re.findall(
            r"(t\d+)-(\d+) from (m\d+) to (m\d+)", verdict.witness
        ):
            partition = group.topic_offsets[group.topics.index(topic)] + int(number)
            assert after[partition] == group.member_ids.index(giver)
            after[partition] = group.member_ids.index(taker)
        assert check_assignment(group, after).faults == []
        assert outcome_of(group, after).sum_squares < outcome_of(group, target).sum_squares
        improved += 1
    assert improved > 30


def test_measures_are_recounted() -> None:
    for seed in range(100):
        group = random_problem(seed)
        for strategy in (STRATEGIES["optimal"], STRATEGIES["range"]):
            target = strategy.assign(group).target
            assert check_assignment(group, target).measures == measure(group, target)


GROUP = problem([2, 1, 1], [[0, 1], [0], []], np.array([0, 0, 0, NOBODY]))


def faults(target: list[int]) -> list[str]:
    verdict = check_assignment(GROUP, np.array(target))
    assert not verdict.balance_optimal
    return verdict.faults


def test_optimal_assignment_has_no_faults() -> None:
    assert check_assignment(GROUP, np.array([0, 1, 0, NOBODY])).faults == []


def test_partition_left_out_is_named() -> None:
    assert faults([0, NOBODY, 0, NOBODY]) == ["t00000-1 has subscribers and no owner"]


def test_partition_of_a_member_that_does_not_subscribe_is_named() -> None:
    assert faults([0, 2, 1, 0]) == [
        f"{name} is assigned to a member that doesn't subscribe to it"
        for name in ("t00000-1", "t00001-0", "t00002-0")
    ]


def test_faults_beyond_the_first_are_counted() -> None:
    group = problem([9], [[0]], np.full(9, NOBODY))
    assert check_assignment(group, np.full(9, NOBODY)).faults[-1] == (
        "4 more partitions: each has subscribers and no owner"
    )


def test_assignment_of_another_shape_is_a_fault() -> None:
    assert faults([0, 1]) == ["2 partitions are assigned, and the group has 4"]
    assert faults([0, 1, 3, NOBODY]) == ["an index is not one of the 3 members'"]
    assert faults([0, 1, -2, NOBODY]) == ["an index is not one of the 3 members'"]


def test_exchanged_partitions_are_named() -> None:
    group = problem([4], [[0], [0]], np.array([0, 0, 1, 1]))
    verdict = check_assignment(group, np.array([0, 1, 0, 1]))
    assert verdict.witness == (
        "fewer moves: m00000 owns t00000-1 and is given t00000-2; m00001 could have that one"
    )


def test_cost_reducing_path_is_named() -> None:
    """m0 passes one to m1, who passes one on to m2: nobody reads both their topics."""
    group = problem([2, 1], [[0], [0, 1], [1]], np.full(3, NOBODY))
    verdict = check_assignment(group, np.array([0, 0, 1]))
    assert verdict.witness == (
        "more balanced: t00000-0 from m00000 to m00001, t00001-0 from m00001 to m00002"
    )


def test_fewer_moves_may_need_a_chain_of_transfers() -> None:
    """Loads are 1 each and stay so when two members give back what a third could have spared."""
    group = problem([2, 2], [[0], [0, 1], [1], [0, 1]], np.array([1, 0, 1, 2]))
    target = np.array([0, 3, 1, 2])
    verdict = check_assignment(group, target)
    assert verdict.moves_optimal is False
    assert verdict.witness is not None
    assert brute_force(facts_of_problem(group)).moves < outcome_of(group, target).moves
