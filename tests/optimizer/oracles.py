"""Slow and plain ways to the same answers: for each partition and member on its own."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from ortools.graph.python import min_cost_flow

from optimizer import Group
from optimizer.model import DEFAULT_GOALS, NOBODY, Flags, Goals, IntArray, Problem, weights_of
from optimizer.model.limits import matches

LEVELS = ("balance", "moves", "spread")
"""The levels of a group without racks and hosts, if nothing else is said."""


def levels_in(goals: Goals) -> tuple[str, ...]:
    """All levels in the order of the goals."""
    return ("balance", *goals.order)


@dataclass(frozen=True)
class Facts:
    """A group partition by partition: who reads it, who owns it, and of which topic it is.

    Members are indexes in the order of their names. `host` is that of each member; those without
    one are on one of their own. `local` and `remote` tell whether a member reads a partition within
    its rack, and across racks; without a rack in the goals, none does.
    """

    partitions: list[tuple[str, int]]
    members: list[str]
    readers: list[list[int]]
    owner: list[int]
    host: list[str]
    local: list[list[bool]]
    remote: list[list[bool]]

    @cached_property
    def topic(self) -> list[str]:
        return [topic for topic, _ in self.partitions]

    @cached_property
    def is_kept(self) -> Flags:
        """Which partitions have an owner who reads them."""
        owners = zip(self.owner, self.readers, strict=True)
        return np.array([owner in readers for owner, readers in owners], bool)

    def every(self) -> IntArray:
        """All assignments of the partitions that are read, a row each."""
        choices = [*itertools.product(*(readers or [NOBODY] for readers in self.readers))]
        return np.array(choices, np.int64).reshape(len(choices), len(self.readers))

    def loads(self, targets: IntArray, weights: IntArray | int = 1) -> IntArray:
        """What each member has in each assignment: partitions, or what they weigh."""
        each = [(np.where(targets == m, weights, 0)).sum(axis=1) for m in range(len(self.members))]
        return np.array(each, np.int64).reshape(len(self.members), len(targets)).T

    def by_host(self, loads: IntArray) -> dict[str, IntArray]:
        hosts = np.array(self.host)
        return {host: loads[:, hosts == host].sum(axis=1) for host in set(self.host)}

    def of_topic(self, targets: IntArray, topic: str) -> IntArray:
        return self.loads(targets[:, [at == topic for at in self.topic]])

    def costs(self, targets: IntArray, level: str) -> IntArray:
        """What each assignment comes to at a level."""
        loads, nothing = self.loads(targets), np.zeros(len(targets), np.int64)
        if level == "balance":
            return (loads**2).sum(axis=1)
        if level == "largest":
            return loads.max(axis=1, initial=0)
        if level == "moves":
            return ((targets != self.owner) & self.is_kept).sum(axis=1)
        if level == "hosts":
            return sum((on_host**2 for on_host in self.by_host(loads).values()), nothing)
        if level == "spread":
            of_topics = (self.of_topic(targets, topic) for topic in set(self.topic))
            return sum(((held**2).sum(axis=1) for held in of_topics), nothing)
        remote = np.array([[*here, False] for here in self.remote], bool)
        remote = remote.reshape(len(self.readers), len(self.members) + 1)
        return remote[np.arange(len(self.readers)), targets].sum(axis=1)

    def reached(self, target: IntArray, levels: Sequence[str] = LEVELS) -> tuple[int, ...]:
        """What one assignment comes to."""
        return tuple(int(self.costs(target[None], level)[0]) for level in levels)

    def by_member(self, target: IntArray) -> dict[str, list[tuple[str, int]]]:
        """An assignment by names."""
        pairs = [*zip(self.partitions, target.tolist(), strict=True)]
        return {name: [p for p, at in pairs if at == m] for m, name in enumerate(self.members)}

    def best(self, targets: IntArray, levels: Sequence[str] = LEVELS) -> tuple[int, ...]:
        """The least of each level, with the levels above at their least, of these assignments."""
        costs = [self.costs(targets, level) for level in levels]
        first = np.lexsort(costs[::-1])[0]
        return tuple(int(cost[first]) for cost in costs)

    def keeps(self, targets: IntArray, limits: Mapping[str, list[dict[str, Any]]]) -> Flags:
        """Which assignments keep to limits that tell members by names, and hosts by patterns."""
        fits, loads = np.ones(len(targets), bool), self.loads(targets)
        for name, limit in [(name, limit) for name, each in limits.items() for limit in each]:
            most, topics = limit.get("most"), limit.get("topics", "*")
            told = [matches(limit.get("members", "*"), member) for member in self.members]
            about = [
                matches(topics, topic) and number in limit.get("partitions", [number])
                for topic, number in self.partitions
            ]
            given = np.isin(targets[:, about], np.flatnonzero(told))
            if name == "pin":
                fits &= (given | (targets[:, about] == NOBODY)).all(axis=1)
            elif name == "exclude":
                fits &= ~given.any(axis=1)
            elif name == "max_partitions":
                fits &= (loads[:, told] <= most).all(axis=1)
            elif name == "max_per_topic":
                for topic in {topic for topic in self.topic if matches(topics, topic)}:
                    fits &= (self.of_topic(targets, topic) <= most).all(axis=1)
            elif name == "max_per_host":
                for host, on_host in self.by_host(loads).items():
                    fits &= (on_host <= most) | (not matches(limit.get("hosts", "*"), host))
            else:
                raise ValueError(name)
        return fits

    def are_together(self, targets: IntArray, topics: Sequence[str]) -> Flags:
        """Which assignments give equal partitions of the topics to one member."""
        fits = np.ones(len(targets), bool)
        for p, q in itertools.combinations(range(len(self.partitions)), 2):
            (one, number), (other, same) = self.partitions[p], self.partitions[q]
            if number == same and one in topics and other in topics:
                pair = targets[:, [p, q]]
                fits &= (pair[:, 0] == pair[:, 1]) | (pair == NOBODY).any(axis=1)
        return fits


def facts_of_group(group: Group, goals: Goals = DEFAULT_GOALS) -> Facts:
    """Settle the claims one by one: the newest generation's stands, unless two members share it."""
    members = sorted(group.members, key=lambda member: member.member_id)
    partitions = [(topic, p) for topic in sorted(group.topics) for p in range(group.topics[topic])]
    owner, near = [], []
    for topic, p in partitions:
        claims = [
            (-1 if member.generation is None else member.generation, m)
            for m, member in enumerate(members)
            if (topic, p) in member.owned
        ]
        newest = [m for generation, m in claims if generation == max(claims)[0]]
        owner.append(newest[0] if len(newest) == 1 else NOBODY)
        if goals.rack and group.leader_racks:
            leader, replicas = group.leader_racks[topic][p], group.replica_racks[topic][p]
            near.append([leader] if goals.rack == "leader" else replicas)
    return _facts(
        partitions,
        [member.member_id for member in members],
        [
            [m for m, member in enumerate(members) if topic in member.topics]
            for topic, _ in partitions
        ],
        owner,
        [member.host for member in members],
        [member.rack for member in members],
        near,
    )


def facts_of_problem(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Facts:
    topics = [problem.subscriptions[s].tolist() for s in problem.member_subscription.tolist()]
    sizes, count = np.diff(problem.topic_offsets).tolist(), len(topics)
    partitions = [(t, p) for t, size in enumerate(sizes) for p in range(size)]
    leaders: list[Any] = [(rack,) for rack in problem.leader_racks or ()]
    near = {None: [], "leader": leaders}.get(goals.rack, problem.replica_racks)
    return _facts(
        [(problem.topics[t], p) for t, p in partitions],
        list(problem.member_ids),
        [[m for m in range(count) if t in topics[m]] for t, _ in partitions],
        np.maximum(problem.owner, NOBODY).tolist(),
        list(problem.hosts or [None] * count),
        list(problem.racks or [None] * count),
        list(near or []),
    )


def _facts(
    partitions: list[tuple[str, int]],
    members: list[str],
    readers: list[list[int]],
    owner: list[int],
    hosts: list[str | None],
    racks: list[str | None],
    near: Sequence[Any],
) -> Facts:
    host = [(h or "").removeprefix("/") or f"of {m} alone" for m, h in enumerate(hosts)]
    sets = [{rack for rack in each if rack} for each in near] or [set()] * len(partitions)
    local = [[rack in there for rack in racks] for there in sets]
    remote = [[bool(rack and there) and rack not in there for rack in racks] for there in sets]
    return Facts(partitions, members, readers, owner, host, local, remote)


def best_by_network(facts: Facts, levels: Sequence[str] = LEVELS) -> tuple[int, ...]:
    """The best by min-cost flow: a node for each partition, and for each topic and member.

    From there to the member goes an arc for each partition of the topic, from the member to its
    host one for each load, and from the host one for each load of its own.
    """
    count, members = len(facts.readers), len(facts.members)
    read = [p for p, readers in enumerate(facts.readers) if readers]
    topics, is_kept = facts.topic, facts.is_kept.tolist()
    cells: dict[tuple[str, int], int] = {}
    for p in read:
        for m in facts.readers[p]:
            cells.setdefault((topics[p], m), count + members + len(cells))
    hosts = sorted(set(facts.host))
    first_host = count + members + len(cells)
    sink = first_host + len(hosts)
    # So much one cycle of partitions changes at most: it passes each node once.
    step = dict.fromkeys(("moves", "racks"), count + 1)
    step |= {"spread": 2 * count * members + 2, "hosts": 2 * count + 2, "balance": 1}
    weights, weight = dict.fromkeys(step, 0), 1
    for level in reversed(levels):
        weights[level], weight = weight, weight * step[level]
    network = min_cost_flow.SimpleMinCostFlow()
    add = network.add_arc_with_capacity_and_unit_cost
    selection = {}
    for p in read:
        for m in facts.readers[p]:
            moved = is_kept[p] and m != facts.owner[p]
            cost = weights["moves"] * moved + weights["racks"] * facts.remote[p][m]
            selection[add(p, cells[topics[p], m], 1, cost)] = p, m
    for (topic, m), cell in cells.items():
        for n in range(1, topics.count(topic) + 1):
            add(cell, count + m, 1, weights["spread"] * (2 * n - 1))
    of_members, of_hosts = weights["balance"], weights["hosts"]
    loads = [(count + m, first_host + hosts.index(h), of_members) for m, h in enumerate(facts.host)]
    loads += [(first_host + h, sink, of_hosts) for h in range(len(hosts))]
    for n, (tail, head, cost) in itertools.product(range(1, len(read) + 1), loads):
        add(tail, head, 1, (2 * n - 1) * cost)
    for p in read:
        network.set_node_supply(p, 1)
    network.set_node_supply(sink, -len(read))
    assert network.solve() == network.OPTIMAL
    target = np.full(count, NOBODY)
    for arc, (p, m) in selection.items():
        if network.flow(arc):
            target[p] = m
    return facts.reached(target, levels)


def weighed_by_force(problem: Problem) -> tuple[IntArray, IntArray, IntArray]:
    """Every assignment of a small group with weights, its highest level, and its moves."""
    facts, weights = facts_of_problem(problem), weights_of(problem)
    every = facts.every()
    loads = facts.loads(every, weights.of_partition)
    level = (-(-loads * weights.parts // weights.capacity)).max(axis=1, initial=0)
    return every, level, facts.costs(every, "moves")


def level_unit(problem: Problem) -> float:
    """The load for a unit of capacity that the level 1 is."""
    weights = weights_of(problem)
    return weights.weight_unit / weights.capacity_unit / weights.parts
