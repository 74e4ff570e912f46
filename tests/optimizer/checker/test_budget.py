"""Prices show that a load takes more moves than are allowed, and never show it falsely."""

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.checker.budget import are_ruled_out
from optimizer.solver import solve
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import problem, tiny_problem
from tests.support.tiers import tiered


@pytest.mark.parametrize("start", tiered(range(0, 200, 50), 1))
def test_twenty_thousand_forged_prices_rule_nothing_out_that_is_there(start: int) -> None:
    shown = 0
    for seed in range(start, start + 50):
        group, draw = tiny_problem(seed), np.random.default_rng(seed)
        facts = facts_of_problem(group)
        every = facts.every()
        largest, changed = facts.costs(every, "largest"), facts.costs(every, "moves")
        for _ in range(100):
            prices = draw.integers(0, draw.choice([2, 3, 9]), len(group.member_ids))
            load, moves = int(draw.integers(0, 5)), int(draw.integers(0, 5))
            if are_ruled_out(group, prices, load, moves):
                shown += 1
                assert ((largest > load) | (changed > moves)).all(), f"seed {seed}"
    assert shown > 20


def test_prices_below_nothing_or_beyond_all_numbers_prove_nothing() -> None:
    group = problem([4], [[0], [0]], np.array([0, 0, 0, 0]))
    assert are_ruled_out(group, np.array([1, 0]), 2, 1)
    assert not are_ruled_out(group, np.array([1, 0]), 2, 2)
    assert not are_ruled_out(group, np.array([-1, 0]), 2, 1)
    assert not are_ruled_out(group, np.array([2**60, 2**60]), 2, 1)
    assert not are_ruled_out(group, np.array([1]), 2, 1)


def test_a_plan_that_could_be_better_within_its_budget_is_not_proven() -> None:
    """One move of three is made where two are allowed."""
    group, goals = problem([8], [[0], [0]], np.zeros(8, np.int64)), Goals(max_moves=2)
    answer = solve(group, goals)
    good = check_assignment(group, answer.target, goals=goals, rival=answer.rival)
    assert (good.balance_optimal, good.moves_optimal) == (True, True)
    worse = answer.target.copy()
    worse[np.flatnonzero(worse == 1)[0]] = 0
    verdict = check_assignment(group, worse, good.certificate, goals, rival=answer.rival)
    assert verdict.balance_optimal is None
    assert verdict.certificate is None
    assert verdict.certificate_fault == (
        "the certificate doesn't prove that no largest load is lower with so few moves"
    )
    other = check_assignment(group, answer.target, good.certificate, Goals(max_moves=3))
    assert other.balance_optimal is None, "three moves reach a lower load"


def test_a_certificate_with_prices_is_none_of_a_plan_without_a_budget() -> None:
    group, goals = problem([8], [[0], [0]], np.zeros(8, np.int64)), Goals(max_moves=2)
    answer = solve(group, goals)
    good = check_assignment(group, answer.target, goals=goals, rival=answer.rival)
    verdict = check_assignment(group, answer.target, good.certificate)
    assert verdict.balance_optimal is False
    assert verdict.certificate_fault == (
        "the certificate can't be read: its form is 3, and only 1 is known"
    )
    cut = check_assignment(group, answer.target, b"\x03\x01", goals)
    assert cut.certificate_fault == (
        "the certificate can't be read: it ends before the numbers of 2 members do"
    )
    assert cut.balance_optimal is None
