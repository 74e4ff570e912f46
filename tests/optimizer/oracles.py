"""Slow and plain ways to the same answers: for each partition and member on its own."""

from __future__ import annotations

import itertools
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


class Facts(NamedTuple):
    """A group partition by partition: the indexes of its readers, and of its owner or None."""

    member_count: int
    readers: list[list[int]]
    owner: list[int | None]

    def outcome(self, target: list[int | None]) -> Best:
        """What an assignment reaches; a move takes a partition from a reader who owns it."""
        loads = [target.count(m) for m in range(self.member_count)]
        moved = [
            owner in readers and new != owner
            for readers, owner, new in zip(self.readers, self.owner, target, strict=True)
        ]
        return Best(sum(load * load for load in loads), sum(moved))


def facts_of_group(group: Group) -> Facts:
    """Settle the claims one by one: the newest generation's stands, unless two members share it."""
    partitions = [(topic, p) for topic in sorted(group.topics) for p in range(group.topics[topic])]
    readers, owner = [], []
    for partition in partitions:
        readers.append([m for m, some in enumerate(group.members) if partition[0] in some.topics])
        claims = [
            (-1 if some.generation is None else some.generation, m)
            for m, some in enumerate(group.members)
            if partition in some.owned
        ]
        newest = [m for generation, m in claims if generation == max(claims)[0]]
        owner.append(newest[0] if len(newest) == 1 else None)
    return Facts(len(group.members), readers, owner)


def facts_of_problem(problem: Problem) -> Facts:
    subscribers = [
        [
            m
            for m, some in enumerate(problem.member_subscription.tolist())
            if t in problem.subscriptions[some]
        ]
        for t in range(len(problem.topics))
    ]
    sizes = np.diff(problem.topic_offsets).tolist()
    readers = [subscribers[t] for t, size in enumerate(sizes) for _ in range(size)]
    owner = [m if m >= 0 else None for m in problem.owner.tolist()]
    return Facts(len(problem.member_ids), readers, owner)


def brute_force(facts: Facts) -> Best:
    """The least Σ load², and the fewest moves with it, over all assignments there are."""
    choices = np.array(list(itertools.product(*(some for some in facts.readers if some))), np.int64)
    read = [p for p, readers in enumerate(facts.readers) if readers]
    loads = np.stack([(choices == m).sum(axis=1) for m in range(facts.member_count)] or [[0]])
    sum_squares = (loads * loads).sum(axis=0)
    keepable = [facts.owner[p] in facts.readers[p] for p in read]
    owner = np.array([facts.owner[p] if keepable[at] else -1 for at, p in enumerate(read)], int)
    moves = ((choices != owner) & (owner >= 0)).sum(axis=1)
    least = sum_squares.min()
    return Best(int(least), int(moves[sum_squares == least].min()))


def plain_network(facts: Facts) -> Best:
    """The same by min-cost flow, with a node for each partition and an arc for each load."""
    count = len(facts.readers)
    read = [p for p, readers in enumerate(facts.readers) if readers]
    sink = count + facts.member_count
    network = min_cost_flow.SimpleMinCostFlow()
    dearer = count + 1
    chosen = {}
    for p in read:
        for m in facts.readers[p]:
            moved = facts.owner[p] in facts.readers[p] and m != facts.owner[p]
            arc = network.add_arc_with_capacity_and_unit_cost(p, count + m, 1, int(moved))
            chosen[arc] = (p, m)
    for m in range(facts.member_count):
        for n in range(1, sum(m in facts.readers[p] for p in read) + 1):
            network.add_arc_with_capacity_and_unit_cost(count + m, sink, 1, (2 * n - 1) * dearer)
    for p in read:
        network.set_node_supply(p, 1)
    network.set_node_supply(sink, -len(read))
    assert network.solve() == network.OPTIMAL
    target: list[int | None] = [None] * count
    for arc, (p, m) in chosen.items():
        if network.flow(arc):
            target[p] = m
    return facts.outcome(target)


def outcome_of(problem: Problem, target: IntArray) -> Best:
    """What an assignment by indexes reaches, counted partition by partition."""
    return facts_of_problem(problem).outcome([None if m == NOBODY else m for m in target.tolist()])
