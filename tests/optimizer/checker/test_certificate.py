"""Certificates: they come with every optimal plan, prove it, and prove nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker.certificate import MalformedCertificateError, decode, encode
from optimizer.checker.check import check_assignment
from optimizer.model.problem import GONE, NOBODY, Problem
from optimizer.solver.solve import solve
from tests.support.groups import problem


def joined(members: int = 40, topics: int = 12, size: int = 100) -> Problem:
    """Each member reads a random half of the topics, the last one has just joined."""
    draw = np.random.default_rng(1)
    halves = [draw.choice(topics, topics // 2, replace=False).tolist() for _ in range(members)]
    before = problem([size] * topics, halves[:-1], np.full(topics * size, NOBODY))
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


def test_members_who_all_read_the_same_need_no_certificate() -> None:
    group = problem([60], [[0]] * 7, np.repeat([0, 1, 2, GONE], 15))
    verdict = check_assignment(group, solve(group).target)
    assert (verdict.moves_optimal, verdict.certificate) == (True, b"")


def test_plans_without_moves_need_no_certificate() -> None:
    group = joined()
    stays = replace(group, owner=solve(group).target)
    verdict = check_assignment(stays, stays.owner)
    assert (verdict.moves_optimal, verdict.certificate) == (True, b"")


def test_certificate_of_another_plan_is_refused_and_the_cycle_named() -> None:
    group = problem([2, 1], [[0], [0, 1], [1]], np.full(3, NOBODY))
    good = check_assignment(group, solve(group).target).certificate
    verdict = check_assignment(group, np.array([0, 0, 1]), good)
    assert verdict.balance_optimal is False
    assert verdict.certificate is None
    assert verdict.certificate_fault == (
        "the certificate doesn't prove that nothing is more balanced: by its numbers t00000-0 "
        "should go from m00000 to m00001"
    )
    assert verdict.witness == (
        "more balanced: t00000-0 from m00000 to m00001, t00001-0 from m00001 to m00002"
    )


def test_reads_across_racks_that_can_be_avoided_are_named() -> None:
    group = replace(
        problem([2], [[0], [0]], np.array([0, 1])), racks=["x", "y"], leader_racks=["y", "x"]
    )
    verdict = check_assignment(group, np.array([0, 1]), goals=Goals(rack="leader"))
    assert (verdict.balance_optimal, verdict.racks_optimal) == (True, False)
    assert verdict.moves_optimal is None, "moves are looked at when racks are at their best"
    assert verdict.witness == (
        "fewer reads across racks: t00000-0 from m00000 to m00001, t00000-1 from m00001 to m00000"
    )
    assert (verdict.reads_found, verdict.reads) == ((0, 2), (0, 2))


def test_numbers_that_leave_an_idle_member_no_arc_are_refused_in_words() -> None:
    """Member b has nothing in the plan; its forged number at racks bars its way to the pool."""
    group = Group(
        topics={"t": 1},
        members=[Member("a", ["t"], rack="x"), Member("b", ["t"], [("t", 0)], rack="y")],
        leader_racks={"t": ["x"]},
    )
    plan = assign(group, goals=Goals(rack="leader"))
    verdict = plan.check(bytes([1, 0, 16, 2, 0, 0]))
    assert (verdict.balance_optimal, verdict.racks_optimal, verdict.moves_optimal) == (True,) * 3
    assert verdict.certificate_fault == (
        "the certificate doesn't prove that it needs this many moves: by its numbers t-0 should go "
        "from a to b"
    )
    assert plan.check(verdict.certificate).certificate_fault is None


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
    group = problem([2, 2], [[0], [0, 1], [1]], np.full(4, NOBODY))
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
