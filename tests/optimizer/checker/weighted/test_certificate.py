import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import (
    PriceProof,
    SearchProof,
    Set,
    check_assignment,
    encode_prices,
    encode_search,
    encode_set,
)
from optimizer.strategies.optimal import assign_optimally
from tests.optimizer.oracles import level_unit, weighed_by_force
from tests.support.groups import tiny_problem
from tests.support.tiers import tiered

GOALS = Goals(balance="weight")


@pytest.mark.parametrize("start", tiered(range(0, 90, 30), 1))
def test_nothing_forged_shows_what_is_not_so(start: int) -> None:
    """Sets, prices and searches at random, at levels around the optimum: what is shown is true."""
    shown = 0
    for seed in range(start, start + 30):
        problem = tiny_problem(seed, weights=True)
        every, level, _ = weighed_by_force(problem)
        best, draw = int(level.min()), np.random.default_rng(seed)
        for _ in range(25):
            at = int(best * draw.choice([0.5, 0.9, 0.99, 1.0, 1.0, 1.01, 2.0]))
            at = max(0, at + int(draw.integers(-2, 2)))
            if draw.random() < 0.3:
                forged = encode_search(SearchProof(at))
            elif draw.random() < 0.5:
                members = draw.random(len(problem.member_ids)) < 0.5
                forged = encode_set(Set(at, members))
            else:
                prices = draw.integers(0, 6, problem.partition_count)
                forged = encode_prices(PriceProof(at, prices))
            verdict = check_assignment(problem, every[0], forged, GOALS)
            assert verdict.weight is not None
            bound = round(verdict.weight.weight_bound / level_unit(problem))
            assert bound <= best
            shown += verdict.certificate_fault is None
    assert shown > 0


def test_no_bytes_make_the_check_raise() -> None:
    draw = np.random.default_rng(1)
    problem = tiny_problem(45, weights=True)
    plan = assign_optimally(problem, GOALS)
    assert plan.certificate
    for _ in range(200):
        forged = bytearray(plan.certificate)
        for _ in range(int(draw.integers(1, 4))):
            forged[int(draw.integers(len(forged)))] = int(draw.integers(256))
        cut = bytes(forged[: int(draw.integers(len(forged) + 1))])
        for certificate in (bytes(forged), cut):
            verdict = check_assignment(problem, plan.target, certificate, GOALS)
            assert verdict.weight is not None
            assert verdict.weight.weight_bound <= verdict.weight.max_weight


@pytest.mark.parametrize(
    ("certificate", "fault"),
    [
        (bytes([1, 0, 0]), "its form is 1, and that of a plan by weight 2"),
        (bytes([2]) + bytes(8) + bytes([7]), "byte 9 of it is none of 0, 1 and 2"),
        (bytes([2]) + bytes([255] * 8) + bytes([0]), "its level is beyond"),
        (bytes([2]) + bytes(8) + bytes([1, 3]), "bad width of prices at byte 10"),
        (bytes([2]) + bytes(8) + bytes([1, 1]), "0 bytes of it are no prices of"),
        (bytes([2]) + bytes(8) + bytes([0]), "0 bytes of it are no bits of"),
    ],
)
def test_what_cannot_be_read_is_told(certificate: bytes, fault: str) -> None:
    problem = tiny_problem(45, weights=True)
    target = assign_optimally(problem, GOALS).target
    verdict = check_assignment(problem, target, certificate, GOALS)
    assert verdict.certificate_fault is not None
    assert fault in verdict.certificate_fault
