"""Groups with their best plans, plans and certificates forged of these, and what each proves."""

import itertools
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer import Goals
from optimizer.checker.certificate import decode, encode
from optimizer.checker.check import check_assignment
from optimizer.model import NOBODY, IntArray, Problem
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


Cell = tuple[str, int]


def cells_of(items: Case) -> list[Cell]:
    """The topics and members that have numbers of their own: all, if racks tell partitions apart.

    So it is if two partitions of a topic that is read differ in who reads them across racks.
    """
    facts = items.facts
    rows: dict[int, set[tuple[bool, ...]]] = {}
    readers: set[Cell] = set()
    for p, of_p in enumerate(facts.readers):
        here, remote = items.facts.local[p], items.facts.remote[p]
        rows.setdefault(facts.topic[p], set()).add((*here, *remote) if of_p else ())
        readers |= {(facts.topic[p], m) for m in of_p}
    return sorted(readers) if any(len(row) > 1 for row in rows.values()) else []


def numbered(items: Case) -> int:
    """How many numbers a certificate has for each level."""
    return len(items.problem.member_ids) + len(cells_of(items))


def proves(items: Case, target: IntArray, certificate: bytes) -> bool:
    """Whether potentials allow every single step, by the definition, partition by partition.

    A step gives a partition to another reader or raises or lowers a load; its cost, as a list with
    an entry a level, may not be less than the potentials let fall. Lists compare level by level,
    so that a level counts where all above it are exactly even. Where topics and members have
    numbers of their own, a partition goes from one of these to another, and a step apart leads from
    there to the member.
    """
    members, facts = len(items.problem.member_ids), items.facts
    order, cells = items.order, cells_of(items)
    numbers = [level.tolist() for level in decode(certificate, numbered(items), 1 + len(order))]
    loads = [int(np.count_nonzero(target == m)) for m in range(members)]
    of_readers = [loads[m] for m in range(members) if any(m in reader for reader in facts.readers)]
    low, high = min(of_readers, default=0), max(of_readers, default=0)
    start = [-min(load, low) if high - low <= 1 else -load for load in loads]
    start += [start[m] for _, m in cells]
    on_hosts = Counter(dict.fromkeys(facts.host, 0))
    for m, load in enumerate(loads):
        on_hosts[facts.host[m]] += load
    emptiest = min(on_hosts.values(), default=0)
    shifts = [-emptiest if level == "hosts" else 0 for level in order]
    potential = [
        [start[at] + numbers[0][at]]
        + [shift + level[at] for shift, level in zip(shifts, numbers[1:], strict=True)]
        for at in range(len(start))
    ]
    hosts = dict(on_hosts) if items.on_hosts else {str(m): None for m in range(members)}
    for host, of_host in hosts.items():
        here = [m for m in range(members) if (facts.host[m] if items.on_hosts else str(m)) == host]
        if not _has_potential(items, loads, potential, here, of_host):
            return False
    held = Counter(zip(facts.topic, target.tolist(), strict=True))
    of_cell = {cell: potential[members + at] for at, cell in enumerate(cells)}
    for (topic, m), cell in of_cell.items():
        of_topic = held[topic, m]
        more, less = (_cost(items, {"spread": n}) for n in (2 * of_topic + 1, 1 - 2 * of_topic))
        if potential[m] > _above(cell, more) or (of_topic and cell > _above(potential[m], less)):
            return False
    for topic in set(facts.topic):
        steps = chains(items, target, topic)
        for (holder, m), cost in steps.items():
            if m == holder:
                if cost < _cost(items, {}):
                    return False
            elif not cells:
                spread = {"spread": 2 * (held[topic, m] - held[topic, holder] + 1)}
                if potential[m] > _above(potential[holder], _above(cost, _cost(items, spread))):
                    return False
            elif of_cell[topic, m] > _above(of_cell[topic, holder], cost):
                return False
    return True


def _has_potential(
    items: Case, loads: list[int], potential: list[list[int]], members: list[int], load: int | None
) -> bool:
    """Whether a host, to and from which members' loads lead, can have a potential at all.

    None is no host but the pool, whose potential is 0.
    """
    pool = _cost(items, {})
    most = [_above(potential[m], [loads[m], *pool[1:]]) for m in members]
    least = [_above(potential[m], [loads[m] - 1, *pool[1:]]) for m in members if loads[m]]
    most += [_cost(items, {"hosts": 1 - load})] if load else [pool] if load is None else []
    least += [_cost(items, {"hosts": -load}) if load is not None else pool]
    return max(least) <= min(most)


def chains(items: Case, target: IntArray, topic: str) -> dict[tuple[int, int], list[int]]:
    """The least cost of one partition of a topic less here and one more there, spread apart.

    Other members may pass on partitions of the topic: whoever is between two has as many as before.
    """
    facts, result = items.facts, {}
    for p, holder in enumerate(target.tolist()):
        owner, remote = facts.owner[p], items.facts.remote[p]
        for m in facts.readers[p] if facts.topic[p] == topic and holder != NOBODY else []:
            moves = {"moves": (owner == holder) - (owner == m), "racks": remote[m] - remote[holder]}
            cost = _cost(items, moves)
            result[holder, m] = min(result.get((holder, m), cost), cost)
    members = {m for pair in result for m in pair}
    for between, giver, taker in itertools.product(members, repeat=3):
        if (giver, between) in result and (between, taker) in result:
            cost = _above(result[giver, between], result[between, taker])
            result[giver, taker] = min(result.get((giver, taker), cost), cost)
    return result


def is_settled(items: Case, target: IntArray, certificate: bytes) -> bool:
    """Whether the lower levels show by their numbers alone that nothing is better.

    No potentials are given then below balance, and none are asked for.
    """
    numbers = decode(certificate, numbered(items), 1 + len(items.order))
    return not any(level.any() for level in numbers[-1:])


def _cost(items: Case, cost: dict[str, int]) -> list[int]:
    return [0, *(int(cost.get(level, 0)) for level in items.order)]


def _above(potential: list[int], cost: list[int]) -> list[int]:
    return [a + b for a, b in zip(potential, cost, strict=True)]


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
