"""Forged plans and certificates: none passes for optimal, and no honest one is refused."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker.certificate import MalformedCertificateError, decode, encode
from optimizer.checker.check import Verdict, check_assignment
from optimizer.model import IntArray, Problem, levels_of
from optimizer.model.numbering import problem_of
from optimizer.solver import solve
from tests.optimizer.oracles import Facts, best_by_network, facts_of_problem, levels_in
from tests.optimizer.test_optimum import is_judged
from tests.support.groups import random_problem, tiny_group
from tests.support.tiers import tiered

RACKS = [
    Goals(rack=rack, levels=levels)
    for levels in itertools.permutations(("racks", "moves", "spread"))
    for rack in ("leader", "any")
]

HOSTS = [
    Goals(rack=rack, levels=levels)
    for levels in itertools.permutations(("racks", "moves", "hosts", "spread"))
    for rack in (None, "any")
]

PLAIN = [Goals(levels=("moves", "spread")), Goals(levels=("spread", "moves"))]


class Case(NamedTuple):
    """A group with its goals, its best plan, and what is best without the help of either."""

    problem: Problem
    goals: Goals
    target: IntArray
    certificate: bytes
    facts: Facts
    best: tuple[int, ...]

    @property
    def on_hosts(self) -> bool:
        """Whether some members share a host, and not all of them the same."""
        return 1 < len(set(self.facts.host)) < len(self.problem.member_ids)

    @property
    def order(self) -> list[str]:
        """The levels that are looked at."""
        return [level for level in self.goals.order if level != "hosts" or self.on_hosts]


def goals_of(seed: int) -> Goals:
    """Every other group has racks, and a third have hosts, in all orders of the levels."""
    if seed % 3 == 0:
        return HOSTS[seed // 3 % len(HOSTS)]
    return RACKS[seed // 2 % len(RACKS)] if seed % 2 else PLAIN[seed // 2 % 2]


def case(seed: int) -> Case:
    hosts = seed % 3 == 0
    group = random_problem(seed, racks=hosts or seed % 2 == 1, hosts=hosts)
    return case_of(group, goals_of(seed), solve(group, goals_of(seed)).target)


def case_of(group: Problem, goals: Goals, target: IntArray, certificate: bytes = b"") -> Case:
    certificate = certificate or check_assignment(group, target, goals=goals).certificate or b""
    facts = facts_of_problem(group, goals)
    return Case(group, goals, target, certificate, facts, best_by_network(facts, levels_in(goals)))


def outcome_of(items: Case, target: IntArray) -> tuple[int, ...]:
    return items.facts.reached(target, levels_in(items.goals))


def numbered(items: Case) -> int:
    """How many numbers a certificate has for each level.

    Topics and members have numbers of their own where two partitions of a topic that is read differ
    in who reads them across racks.
    """
    facts, rows = items.facts, set()
    readers = {(facts.topic[p], m) for p, of_p in enumerate(facts.readers) for m in of_p}
    for p, of_p in enumerate(facts.readers):
        rows.add((facts.topic[p], *((*facts.local[p], *facts.remote[p]) if of_p else ())))
    differ = len(rows) > len({topic for topic, *_ in rows})
    return len(items.problem.member_ids) + differ * len(readers)


def tampered_plan(items: Case, draw: np.random.Generator) -> IntArray:
    """One partition given to another reader, or two exchanged between their members."""
    target, readers = items.target.copy(), items.facts.readers
    shared = [p for p, of_p in enumerate(readers) if len(of_p) > 1]
    if not shared:
        return target
    if draw.random() < 0.5:
        p = draw.choice(shared)
        target[p] = draw.choice([m for m in readers[p] if m != target[p]])
        return target
    p = draw.choice(shared)
    other = [
        q
        for q in shared
        if target[q] != target[p] and target[q] in readers[p] and target[p] in readers[q]
    ]
    if other:
        q = draw.choice(other)
        target[p], target[q] = target[q], target[p]
    return target


def tampered_certificate(items: Case, draw: np.random.Generator) -> bytes:
    """One number of one level is raised or lowered."""
    levels = 1 + len(items.order)
    numbers = decode(items.certificate, numbered(items), levels)
    numbers = [level.copy() for level in numbers]
    level = numbers[draw.integers(levels)]
    level[draw.integers(len(level))] += draw.choice([-2, -1, 1, 2])
    return encode(numbers)


def tampered_facts(items: Case, draw: np.random.Generator) -> Case:
    """The same plan and certificate when a member is on another host, or owners are others."""
    hosts, owner = [*(items.problem.hosts or ())], items.problem.owner
    if hosts and draw.random() < 0.7:
        hosts[draw.integers(len(hosts))] = draw.choice(["h0", "h1", "new"])
    else:
        owner = draw.permutation(owner)
    other = replace(items.problem, hosts=hosts or None, owner=owner)
    return case_of(other, items.goals, items.target, items.certificate)


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
