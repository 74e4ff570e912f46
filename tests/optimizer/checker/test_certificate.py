"""Certificates: they come with every optimal plan, prove it, and prove nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.checker.budget import are_ruled_out
from optimizer.checker.certificate import MalformedCertificateError, decode, encode
from optimizer.model import GONE, Problem
from optimizer.solver import solve
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import problem, tiny_problem
from tests.support.tiers import tiered


def joined(members: int = 40, topics: int = 12, size: int = 100) -> Problem:
    """Each member reads a random half of the topics, the last one has just joined."""
    draw = np.random.default_rng(1)
    halves = [draw.choice(topics, topics // 2, replace=False).tolist() for _ in range(members)]
    before = problem([size] * topics, halves[:-1])
    return problem([size] * topics, halves, solve(before).target)


def test_certificates_are_small_beside_their_plans() -> None:
    """A plan takes a few bytes a partition; a certificate one or two a member, if any."""
    group = joined()
    verdict = check_assignment(group, solve(group).target)
    assert verdict.moves_optimal
    assert verdict.measures is not None
    assert verdict.measures.moves > 10
    assert verdict.certificate is not None
    assert 0 < len(verdict.certificate) <= 2 * len(group.member_ids)


def test_members_alike_and_plans_without_moves_need_no_certificate() -> None:
    group = problem([60], [[0]] * 7, np.repeat([0, 1, 2, GONE], 15))
    stays = replace(joined(), owner=solve(joined()).target)
    for each, target in ((group, solve(group).target), (stays, stays.owner)):
        verdict = check_assignment(each, target)
        assert (verdict.moves_optimal, verdict.certificate) == (True, b"")


@pytest.mark.parametrize(
    ("certificate", "fault"),
    [
        (b"\x02", "its form is 2, and only 1 is known"),
        (b"\x01", "bad width of numbers at byte 1"),
        (b"\x01\x03", "bad width of numbers at byte 1"),
        (b"\x01\x00\x01\x00\x00", "it ends before the numbers of 3 members do"),
        (b"\x01\x00\x10", "it ends before the numbers of 3 members do"),
        (b"\x01\x00\x00\x00", "1 bytes follow its last level"),
        (b"\x01\x00\x10\x08", "bits of it are set beyond its last member"),
        (b"\x01\x00\x08" + b"\x7f" * 24, f"a number of it is beyond {2**60}"),
    ],
)
def test_bytes_that_are_no_certificate_are_refused(certificate: bytes, fault: str) -> None:
    with pytest.raises(MalformedCertificateError, match=fault):
        decode(certificate, 3, 2)
    group = problem([2, 2], [[0], [0, 1], [1]])
    verdict = check_assignment(group, solve(group).target, certificate, levels=["moves"])
    assert verdict.certificate_fault == f"the certificate can't be read: {fault}"
    assert verdict.moves_optimal, "what it says of the plan is found by a search"


def test_numbers_come_back_as_they_went() -> None:
    draw = np.random.default_rng(1)
    for end in (1, 2, 2**7, 2**15, 2**31, 2**60):
        levels = [draw.integers(-end, end, 11), draw.integers(0, 2, 11), np.zeros(11, np.int64)]
        for there, back in zip(levels, decode(encode(levels), 11, 3), strict=True):
            assert there.tolist() == back.tolist()
    assert encode([np.zeros(4, np.int64)] * 2) == b""


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
