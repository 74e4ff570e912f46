"""Slow and plain ways to the same answers: for each partition and member on its own."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from ortools.graph.python import min_cost_flow

from optimizer import Group
from optimizer.model.arrays import IntArray
from optimizer.model.problem import NOBODY, Problem


class Best(NamedTuple):
    """What an optimal assignment reaches."""

    sum_squares: int
    moves: int
    spread: int


LEVELS = ("moves", "spread")
"""The levels of an outcome below balance, if nothing else is said."""

Remote = list[list[bool]]
"""Whether each member reads each partition across racks."""


class Facts(NamedTuple):
    """A group partition by partition: the indexes of readers, the owner or None, and the topic.

    `host` is that of each member; those without one are on one of their own.
    """

    member_count: int
    readers: list[list[int]]
    owner: list[int | None]
    topic: list[int]
    host: list[str]

    def outcome(self, target: list[int | None]) -> Best:
        """What an assignment reaches; a move takes a partition from a reader who owns it."""
        return Best(*self.reached(target, LEVELS, []))

    def reached(
        self, target: list[int | None], levels: Sequence[str], remote: Remote
    ) -> tuple[int, ...]:
        """The balance, and what is reached at each level."""
        loads = [target.count(m) for m in range(self.member_count)]
        held = Counter((t, m) for t, m in zip(self.topic, target, strict=True) if m is not None)
        on_hosts = Counter(self.host[m] for m in target if m is not None)
        result = {
            "hosts": sum(count * count for count in on_hosts.values()),
            "moves": sum(
                owner in readers and new != owner
                for readers, owner, new in zip(self.readers, self.owner, target, strict=True)
            ),
            "spread": sum(count * count for count in held.values()),
            "racks": sum(
                items[m] for items, m in zip(remote, target, strict=False) if m is not None
            ),
        }
        return (sum(load * load for load in loads), *(result[level] for level in levels))


def facts_of_group(group: Group) -> Facts:
    """Settle the claims one by one: the newest generation's stands, unless two members share it."""
    partitions = [(topic, p) for topic in sorted(group.topics) for p in range(group.topics[topic])]
    readers, owner = [], []
    for partition in partitions:
        readers.append(
            [m for m, member in enumerate(group.members) if partition[0] in member.topics]
        )
        claims = [
            (-1 if member.generation is None else member.generation, m)
            for m, member in enumerate(group.members)
            if partition in member.owned
        ]
        newest = [m for generation, m in claims if generation == max(claims)[0]]
        owner.append(newest[0] if len(newest) == 1 else None)
    topics = {topic: t for t, topic in enumerate(sorted(group.topics))}
    topic = [topics[topic] for topic, _ in partitions]
    hosts = [member.host for member in group.members]
    return Facts(len(hosts), readers, owner, topic, _hosts(hosts))


def _hosts(names: Sequence[str | None]) -> list[str]:
    return [(name or "").removeprefix("/") or f"of {m} alone" for m, name in enumerate(names)]


def facts_of_problem(problem: Problem) -> Facts:
    subscribers = [
        [
            m
            for m, items in enumerate(problem.member_subscription.tolist())
            if t in problem.subscriptions[items]
        ]
        for t in range(len(problem.topics))
    ]
    sizes = np.diff(problem.topic_offsets).tolist()
    readers = [subscribers[t] for t, size in enumerate(sizes) for _ in range(size)]
    owner = [m if m >= 0 else None for m in problem.owner.tolist()]
    count = len(problem.member_ids)
    hosts = _hosts(problem.hosts or [None] * count)
    return Facts(count, readers, owner, problem.topic_of.tolist(), hosts)


def brute_force(facts: Facts) -> Best:
    """The best there is, over all assignments."""
    return Best(*best_by_force(facts, LEVELS, []))


def best_by_force(facts: Facts, levels: Sequence[str], remote: Remote) -> tuple[int, ...]:
    """The least of each level, with the levels above at their least, over all assignments."""
    read = [p for p, readers in enumerate(facts.readers) if readers]
    choices = np.array(list(itertools.product(*(facts.readers[p] for p in read))), np.int64)
    every = range(facts.member_count)
    loads = np.stack([(choices == m).sum(axis=1) for m in every] or [[0]])
    owner = np.array([-1 if (o := facts.owner[p]) not in facts.readers[p] else o for p in read])
    nothing = np.zeros(len(choices), np.int64)
    topic = np.array([facts.topic[p] for p in read])
    held = [(choices[:, topic == t] == m).sum(axis=1) for t in set(topic.tolist()) for m in every]
    on_hosts = [
        loads[[m for m in every if facts.host[m] == host]].sum(axis=0) for host in set(facts.host)
    ]
    across = [np.array(remote[p], np.int64)[choices[:, at]] for at, p in enumerate(read) if remote]
    result = {
        "hosts": sum((count * count for count in on_hosts), nothing),
        "moves": ((choices != owner) & (owner >= 0)).sum(axis=1) if read else nothing,
        "spread": sum((count * count for count in held), nothing),
        "racks": sum(across, nothing),
    }
    outcome = [(loads * loads).sum(axis=0), *(result[level] for level in levels)]
    first = np.lexsort(outcome[::-1])[0]
    return tuple(int(level[first]) for level in outcome)


def plain_network(facts: Facts) -> Best:
    """The same by a network of single partitions."""
    return Best(*best_by_network(facts, LEVELS, []))


def best_by_network(facts: Facts, levels: Sequence[str], remote: Remote) -> tuple[int, ...]:
    """The same by min-cost flow: a node for each partition, and for each topic and member.

    From there to the member goes an arc for each partition of the topic, from the member to its
    host one for each load, and from the host one for each load of its own.
    """
    count = len(facts.readers)
    read = [p for p, readers in enumerate(facts.readers) if readers]
    cells: dict[tuple[int, int], int] = {}
    for p in read:
        for m in facts.readers[p]:
            cells.setdefault((facts.topic[p], m), count + facts.member_count + len(cells))
    hosts = sorted(set(facts.host))
    first_host = count + facts.member_count + len(cells)
    sink = first_host + len(hosts)
    # So much one cycle of partitions changes at most: it passes each node once.
    step = dict.fromkeys(("moves", "racks"), count + 1)
    step |= {"spread": 2 * count * facts.member_count + 2, "hosts": 2 * count + 2}
    weights, weight = {}, 1
    for level in reversed(levels):
        weights[level], weight = weight, weight * step[level]
    network = min_cost_flow.SimpleMinCostFlow()
    add = network.add_arc_with_capacity_and_unit_cost
    selection = {}
    for p in read:
        for m in facts.readers[p]:
            moved = facts.owner[p] in facts.readers[p] and m != facts.owner[p]
            across = bool(remote) and remote[p][m]
            cost = weights["moves"] * moved + weights.get("racks", 0) * across
            selection[add(p, cells[facts.topic[p], m], 1, cost)] = p, m
    for (topic, m), cell in cells.items():
        for n in range(1, facts.topic.count(topic) + 1):
            add(cell, count + m, 1, weights.get("spread", 0) * (2 * n - 1))
    of_hosts = weights.get("hosts", 0)
    loads = [(count + m, first_host + hosts.index(h), weight) for m, h in enumerate(facts.host)]
    loads += [(first_host + h, sink, of_hosts) for h in range(len(hosts))]
    for n, (tail, head, cost) in itertools.product(range(1, len(read) + 1), loads):
        add(tail, head, 1, (2 * n - 1) * cost)
    for p in read:
        network.set_node_supply(p, 1)
    network.set_node_supply(sink, -len(read))
    assert network.solve() == network.OPTIMAL
    target: list[int | None] = [None] * count
    for arc, (p, m) in selection.items():
        if network.flow(arc):
            target[p] = m
    return facts.reached(target, levels, remote)


def outcome_of(problem: Problem, target: IntArray) -> Best:
    """What an assignment by indexes reaches, counted partition by partition."""
    return facts_of_problem(problem).outcome([None if m == NOBODY else m for m in target.tolist()])
