"""What the checker says of assignments that are none, or that aren't the best."""

import re

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.checker.facts import COSTS as CHECKER_COSTS, TableFacts
from optimizer.model import LEVELS, NOBODY, IntArray, Problem
from optimizer.model.levels import Level
from optimizer.solver import solve
from optimizer.solver.kinds import COSTS, CostTable
from optimizer.strategies.range import assign_ranges
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import problem, random_problem


def test_more_balanced_witness_lowers_the_squares_of_the_loads() -> None:
    """The transfers that it names lead from readers to readers, and to a better balance."""
    improved = 0
    for seed in range(100):
        group = random_problem(seed)
        target = assign_ranges(group).target
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
        assert facts_of_problem(group).reached(after) < facts_of_problem(group).reached(target)
        improved += 1
    assert improved > 15


@pytest.mark.parametrize(
    ("target", "faults"),
    [
        ([0, 1, 0, NOBODY], []),
        ([0, NOBODY, 0, NOBODY], ["t00000-1 has subscribers and no owner"]),
        (
            [0, 2, 1, 0],
            [
                f"{name} is assigned to a member that doesn't subscribe to it"
                for name in ("t00000-1", "t00001-0", "t00002-0")
            ],
        ),
        ([0, 1], ["2 partitions are assigned, and the group has 4"]),
        ([0, 1, 3, NOBODY], ["an index is not one of the 3 members'"]),
        ([0, 1, -2, NOBODY], ["an index is not one of the 3 members'"]),
        ([NOBODY] * 9, ["4 more partitions: each has subscribers and no owner"]),
    ],
)
def test_what_is_no_assignment_of_the_group_is_named(target: list[int], faults: list[str]) -> None:
    group = problem([2, 1, 1], [[0, 1], [0], []], np.array([0, 0, 0, NOBODY]))
    verdict = check_assignment(group if len(target) < 9 else problem([9], [[0]]), np.array(target))
    assert verdict.faults[-len(faults) :] == faults
    assert not (faults and verdict.balance_optimal)


@pytest.mark.parametrize(
    ("group", "target", "witness"),
    [
        pytest.param(
            problem([4], [[0], [0]], np.array([0, 0, 1, 1])),
            [0, 1, 0, 1],
            "fewer moves: m00000 owns t00000-1 and is given t00000-2; m00001 could have that one",
            id="an exchange",
        ),
        pytest.param(
            problem([2, 1], [[0], [0, 1], [1]]),
            [0, 0, 1],
            "more balanced: t00000-0 from m00000 to m00001, t00001-0 from m00001 to m00002",
            id="m0 passes one to m1, who passes one on to m2: nobody reads both their topics",
        ),
        pytest.param(
            problem([2, 2], [[0], [0, 1], [1], [0, 1]], np.array([1, 0, 1, 2])),
            [0, 3, 1, 2],
            "fewer moves: .*",
            id="two members give back what a third could have spared: loads stay 1 each",
        ),
    ],
)
def test_what_would_be_better_is_named(group: Problem, target: list[int], witness: str) -> None:
    verdict = check_assignment(group, np.array(target))
    assert re.fullmatch(witness, str(verdict.witness))


NAME = "strangers"
"""Partitions of the first topic cost all members but the first one."""


def columns(problem: Problem) -> IntArray:
    return np.minimum(np.arange(len(problem.member_ids)), 1)


def table(problem: Problem, _: Goals) -> CostTable:
    return CostTable((problem.topic_of == 0).astype(np.int64), columns(problem), 2, np.array([2]))


def facts(problem: Problem, _: Goals) -> TableFacts:
    costly = np.array([[False, False], [False, True]])
    return TableFacts((problem.topic_of == 0).astype(np.int64), columns(problem), NAME, costly)


@pytest.mark.parametrize("levels", [(NAME,), ("moves", NAME)])
def test_a_cost_in_the_tables_is_planned_proven_and_said(
    levels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [random_problem(seed) for seed in range(30)]
    others = [solve(group).target for group in groups]
    monkeypatch.setitem(LEVELS, NAME, Level("fewer strangers", "that strangers are needed"))
    monkeypatch.setitem(COSTS, NAME, table)
    monkeypatch.setitem(CHECKER_COSTS, NAME, facts)
    goals, witnesses = Goals(levels=levels), []
    for group, other in zip(groups, others, strict=True):
        verdict = check_assignment(group, solve(group, goals).target, goals=goals)
        assert verdict.balance_optimal
        assert verdict.witness is None
        assert verdict.certificate is not None
        witnesses.append(check_assignment(group, other, goals=goals).witness)
    assert any((witness or "").startswith("fewer strangers: ") for witness in witnesses)
