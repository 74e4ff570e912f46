"""Random groups with racks, each a function of its seed, and slow ways to their best plans."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import NamedTuple

from optimizer import Group
from optimizer.model.arrays import IntArray
from optimizer.model.goals import Goals
from optimizer.model.problem import Problem
from tests.optimizer import oracles
from tests.optimizer.oracles import Facts, facts_of_group, facts_of_problem
from tests.support.groups import random_problem, tiny_group

RACKS = ("a", "b", "c")

VARIANTS = [
    Goals(rack=rack, levels=levels)
    for levels in itertools.permutations(("racks", "moves", "spread"))
    for rack in ("leader", "any")
]


def rack_facts(draw: random.Random) -> tuple[str | None, tuple[str, ...]]:
    """The leader's rack and the replicas', one to three of them; some aren't known."""
    if draw.random() < 0.15:
        return draw.choice([None, ""]), draw.choice([(), ("",)])
    replicas = draw.sample(RACKS, draw.choice([1, 1, 2, 3]))
    return replicas[0], tuple(replicas)


def member_rack(draw: random.Random) -> str | None:
    return draw.choice([None, ""]) if draw.random() < 0.2 else draw.choice((*RACKS, "a", "b"))


def tiny_rack_group(seed: int) -> Group:
    """A tiny group with racks; in some a member has a rack that nothing else is in."""
    group, draw = tiny_group(seed), random.Random(-seed)
    members = [replace(member, rack=member_rack(draw)) for member in group.members]
    if members and draw.random() < 0.1:
        members[0] = replace(members[0], rack="far")
    facts = {t: [rack_facts(draw) for _ in range(count)] for t, count in group.topics.items()}
    return replace(
        group,
        members=members,
        leader_racks={t: [leader for leader, _ in fact] for t, fact in facts.items()},
        replica_racks={t: [replicas for _, replicas in fact] for t, fact in facts.items()},
    )


def random_rack_problem(seed: int) -> Problem:
    group, draw = random_problem(seed), random.Random(-seed)
    facts = [rack_facts(draw) for _ in range(group.partition_count)]
    return replace(
        group,
        racks=[member_rack(draw) for _ in group.member_ids],
        leader_racks=[leader for leader, _ in facts],
        replica_racks=[replicas for _, replicas in facts],
    )


class RackFacts(NamedTuple):
    """A group partition by partition: who reads it, owns it, and reads it across racks."""

    facts: Facts
    remote: list[list[bool]]
    local: list[list[bool]]

    def outcome(self, target: list[int | None], goals: Goals) -> tuple[int, ...]:
        """What an assignment reaches, in the order of the goals."""
        return self.facts.reached(target, goals.order, self.remote)


def _facts(facts: Facts, members: list[str | None], near: list[set[str]]) -> RackFacts:
    entries = [[bool(m and racks) for m in members] for racks in near]
    local = [[m in racks for m in members] for racks in near]
    remote = [
        [k and not here for k, here in zip(items, where, strict=True)]
        for items, where in zip(entries, local, strict=True)
    ]
    return RackFacts(facts, remote, local)


def racks_of_group(group: Group, goals: Goals) -> RackFacts:
    near: list[set[str]] = []
    for topic in sorted(group.topics):
        for p in range(group.topics[topic]):
            leader, replicas = group.leader_racks[topic][p], group.replica_racks[topic][p]
            near.append({r for r in ([leader] if goals.rack == "leader" else replicas) if r})
    return _facts(facts_of_group(group), [m.rack for m in group.members], near)


def racks_of_problem(problem: Problem, goals: Goals) -> RackFacts:
    leaders = [(rack,) for rack in problem.leader_racks or ()]
    values = leaders if goals.rack == "leader" else problem.replica_racks or ()
    near = [{rack for rack in items if rack} for items in values]
    return _facts(facts_of_problem(problem), list(problem.racks or ()), near)


def best_by_force(racks: RackFacts, goals: Goals) -> tuple[int, ...]:
    """The least of each level, with the levels above at their least, over all assignments."""
    return oracles.best_by_force(racks.facts, goals.order, racks.remote)


def best_by_network(racks: RackFacts, goals: Goals) -> tuple[int, ...]:
    """The same by min-cost flow, with a node for each partition and an arc for each load."""
    return oracles.best_by_network(racks.facts, goals.order, racks.remote)


def outcome(problem: Problem, target: IntArray, goals: Goals) -> tuple[int, ...]:
    members = [m if m >= 0 else None for m in target.tolist()]
    return racks_of_problem(problem, goals).outcome(members, goals)
