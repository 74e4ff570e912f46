"""Forged plans and certificates: none passes for optimal, and no honest one is refused."""

import numpy as np
import pytest

from optimizer.checker.certificate import MalformedCertificateError, decode, encode
from optimizer.checker.check import Verdict, check_assignment
from optimizer.model.arrays import IntArray
from optimizer.model.numbering import problem_of
from optimizer.model.spread import levels_of
from optimizer.solver.solve import solve
from tests.optimizer.checker.forgeries import (
    HOSTS,
    RACKS,
    case,
    outcome_of,
    tampered_certificate,
    tampered_facts,
    tampered_plan,
)
from tests.optimizer.oracles import levels_in
from tests.optimizer.test_optimum import is_judged
from tests.support.groups import tiny_group
from tests.support.tiers import tiered


@pytest.mark.parametrize("start", tiered(range(0, 250, 25), 2))
def test_thousand_tampered_plans_and_certificates_are_judged_rightly(start: int) -> None:
    """A plan is called optimal just where it is, and a certificate refused where it fails."""
    seen = set()
    for seed in range(start, start + 25):
        items, draw = case(seed), np.random.default_rng(seed)
        other = tampered_facts(items, draw)
        trials = [
            (items, items.target, items.certificate),
            (other, items.target, items.certificate),
            *((items, tampered_plan(items, draw), items.certificate) for _ in range(4)),
            *((items, items.target, tampered_certificate(items, draw)) for _ in range(2)),
        ]
        for of, target, certificate in trials:
            verdict = check_assignment(of.problem, target, certificate, of.goals)
            reached, levels = outcome_of(of, target), levels_in(of.goals)
            is_judged(verdict, levels, reached, of.best)
            is_best, refused = reached == of.best, verdict.certificate_fault is not None
            is_honest = (target is items.target, certificate) == (True, items.certificate)
            if of is items and (is_honest or not is_best):
                assert refused != is_best, f"seed {seed}"
            if refused and is_best:
                fault = str(verdict.certificate_fault)
                assert "should go from" in fault or "doesn't fit" in fault or of is other
            seen.add((is_best, refused, of is other))
    assert seen >= {(True, True, False), (True, False, False), (False, True, False)}
    assert (False, True, True) in seen


@pytest.mark.parametrize("start", tiered(range(1000, 1300, 50), 1))
def test_no_forged_numbers_raise_or_change_the_verdict(start: int) -> None:
    """Some levels keep their numbers, the others get any. Tiny groups have many idle members."""
    refused = 0
    for seed in range(start, start + 50):
        draw, hosts = np.random.default_rng(seed), seed % 2 == 1
        goals = HOSTS[seed // 2 % len(HOSTS)] if hosts else RACKS[seed % len(RACKS)]
        group = problem_of(tiny_group(seed, racks=True, hosts=hosts)).problem
        target = solve(group, goals).target
        honest = check_assignment(group, target, goals=goals)
        for _ in range(10):
            levels = 1 + len(levels_of(group, goals))
            numbers = numbers_of(honest, len(group.member_ids), levels)
            for level in numbers:
                if draw.random() < 0.4:
                    low = 0 if draw.random() < 0.7 else -1
                    level[:] = draw.integers(low, draw.choice([2, 2, 3]), len(level))
            verdict = check_assignment(group, target, encode(numbers), goals)
            assert verdict[:9] == honest[:9], f"seed {seed}"
            again = check_assignment(group, target, verdict.certificate, goals)
            assert again.certificate_fault is None, f"seed {seed}"
            refused += verdict.certificate_fault is not None
    assert refused > 10


def numbers_of(verdict: Verdict, members: int, levels: int) -> list[IntArray]:
    """The numbers of a certificate; zeros if it has numbers of topics and members as well."""
    assert verdict.certificate is not None
    try:
        return [level.copy() for level in decode(verdict.certificate, members, levels)]
    except MalformedCertificateError:
        return [np.zeros(members, np.int64) for _ in range(levels)]
