"""A level of the goals that costs 0 or 1 is an entry in three tables."""

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.checker.facts import COSTS as CHECKER_COSTS, TableFacts
from optimizer.model import LEVELS, IntArray, Problem
from optimizer.model.levels import Level
from optimizer.solver import solve
from optimizer.solver.kinds import COSTS, CostTable
from tests.support.groups import random_problem

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
    problems = [random_problem(seed) for seed in range(30)]
    others = [solve(problem).target for problem in problems]
    monkeypatch.setitem(LEVELS, NAME, Level("fewer strangers", "that strangers are needed"))
    monkeypatch.setitem(COSTS, NAME, table)
    monkeypatch.setitem(CHECKER_COSTS, NAME, facts)
    goals, witnesses = Goals(levels=levels), []
    for problem, other in zip(problems, others, strict=True):
        verdict = check_assignment(problem, solve(problem, goals).target, goals=goals)
        assert verdict.balance_optimal
        assert verdict.witness is None
        assert verdict.certificate is not None
        witnesses.append(check_assignment(problem, other, goals=goals).witness)
    assert any((witness or "").startswith("fewer strangers: ") for witness in witnesses)
