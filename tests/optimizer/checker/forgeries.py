"""Groups with their best plans, plans and certificates forged of these, and what each proves."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer import Goals
from optimizer.checker.certificate import decode, encode
from optimizer.checker.check import check_assignment
from optimizer.model import IntArray, Problem
from optimizer.solver.solve import solve
from tests.optimizer.oracles import Facts, best_by_network, facts_of_problem, levels_in
from tests.support.groups import random_problem

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
