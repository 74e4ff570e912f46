"""A network of steps with costs, and the cycle in it that costs less than nothing."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from optimizer.model import NOTHING, IntArray, ranges, stable_order

ROUNDS = 4
"""Rounds after which a search looks for a cycle, and carries distances along all paths."""


class CostArcs(NamedTuple):
    """Some arcs of a network: where each leads from and to, and what it costs."""

    tail: IntArray
    head: IntArray
    cost: IntArray


class CycleSearch(NamedTuple):
    """A cycle of negative cost as its nodes in their order, or potentials that exclude any."""

    cycle: list[int] | None
    potential: IntArray


def search(parts: Sequence[CostArcs], nodes: int) -> CycleSearch:
    """Look for a cycle of negative cost in the network of all parts (Bellman and Ford).

    All nodes start at distance 0. If no arc lowers any, distances are potentials. If the arcs that
    last lowered each form a cycle, it is one of negative cost; after as many rounds as there are
    nodes they always do.

    A round goes through the parts in turn, each by the distances that the one before it left: parts
    that stand as cycles pass them carry a distance farther in a round. Only arcs from nodes that
    have been lowered are examined again. Every few rounds, where a cycle is looked for, distances
    go along all arcs that last lowered their nodes, however long the paths are that they form.
    """
    by_tail = [_ByTail(arcs, nodes) for arcs in parts if len(arcs.tail)]
    tree = _Tree(np.zeros(nodes, np.int64), np.arange(nodes), np.zeros(nodes, np.int64))
    for lowered in count():
        for part in by_tail:
            heads = part.lower(tree)
            for each in by_tail if len(heads) else ():
                each.is_lower[heads] = True
        if not any(part.is_lower.any() for part in by_tail):
            return CycleSearch(None, tree.distance)
        if lowered % ROUNDS == ROUNDS - 1:
            cycle, heads = tree.carry()
            if cycle:
                return CycleSearch(cycle, tree.distance)
            for each in by_tail:
                each.is_lower[heads] = True
    raise AssertionError("rounds don't end by themselves")


class _Tree(NamedTuple):
    """How far each node is, and the arc that last lowered it: whence, and at what cost.

    A node that no arc has lowered comes from itself, at no cost.
    """

    distance: IntArray
    parent: IntArray
    cost: IntArray

    def carry(self) -> tuple[list[int], IntArray]:
        """Go along all arcs down from the roots: a cycle if there is one, or what is lower now."""
        distance, parent, cost = self
        above, below = parent.copy(), cost.copy()
        for _ in range(len(parent).bit_length()):
            below += below[above]
            above = above[above]
        endless = (parent[above] != above).nonzero()[0]
        if len(endless):
            return self._cycle(int(above[endless[0]])), NOTHING
        reached = distance[above] + below
        lower = (reached < distance).nonzero()[0]
        distance[lower] = reached[lower]
        return [], lower

    def _cycle(self, node: int) -> list[int]:
        """The cycle that a node is on, from the first to the last."""
        cycle = [node]
        while (previous := int(self.parent[cycle[-1]])) != node:
            cycle.append(previous)
        return cycle[::-1]


class _ByTail:
    """Arcs sorted by where they come from; `is_lower` marks nodes that are to be examined."""

    def __init__(self, arcs: CostArcs, nodes: int) -> None:
        order = stable_order(arcs.tail, nodes)
        self._head, self._cost = arcs.head[order], arcs.cost[order].astype(np.int64)
        counts = np.bincount(arcs.tail, minlength=nodes)
        self._count, self._start = counts, counts.cumsum() - counts
        self._leads_on = counts > 0
        self.is_lower = self._leads_on.copy()

    def lower(self, tree: _Tree) -> IntArray:
        """Lower the distances that arcs lower, and note whence; the nodes that are lower now."""
        tails = (self.is_lower & self._leads_on).nonzero()[0]
        self.is_lower[:] = False
        counts = self._count[tails]
        arcs = ranges(self._start[tails], counts)
        cost, heads = self._cost[arcs], self._head[arcs]
        reached = tree.distance[tails].repeat(counts) + cost
        better = (reached < tree.distance[heads]).nonzero()[0]
        heads, reached = heads[better], reached[better]
        np.minimum.at(tree.distance, heads, reached)
        best = (reached == tree.distance[heads]).nonzero()[0]
        # Of two equal arcs to a node the last counts, for both of its facts.
        last = better[best]
        tree.parent[heads[best]] = tails.repeat(counts)[last]
        tree.cost[heads[best]] = cost[last]
        return heads
