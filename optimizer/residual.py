"""The residual network of an assignment, and the cycle in it that improves the assignment."""

from dataclasses import dataclass

import numpy as np

from optimizer.arrays import IntArray

NOWHERE = -1
"""Parent of a node that no arc has reached yet."""


@dataclass(frozen=True)
class Residual:
    """Every step by which an assignment can change, as an arc with a cost.

    Nodes are the kinds, the members and a pool of load. An arc from a kind to a member gives the
    member one more partition of that kind, one back takes one away; an arc from a member to the
    pool raises the member's load by one, one back lowers it. A cycle is a change of the
    assignment, and one of negative cost improves it: there is none if and only if nothing is
    better (Klein 1967).
    """

    tail: IntArray
    head: IntArray
    cost: IntArray
    nodes: int

    def improving_cycle(self) -> list[int] | None:
        """The nodes of a cycle of negative cost in their order, or None (Bellman and Ford).

        All nodes start at distance 0. As soon as the arcs that last lowered a distance form
        a cycle, it is one of negative cost.
        """
        distance = np.zeros(self.nodes, np.int64)
        parent = np.full(self.nodes, NOWHERE)
        while True:
            reached = distance[self.tail] + self.cost
            lower = distance.copy()
            np.minimum.at(lower, self.head, reached)
            better = (reached < distance[self.head]) & (reached == lower[self.head])
            if not better.any():
                return None
            parent[self.head[better]] = self.tail[better]
            distance = lower
            cycle = _cycle(parent)
            if cycle:
                return cycle


def _cycle(parent: IntArray) -> list[int]:
    """A cycle among the parents, from the first to the last; empty if there is none."""
    before = np.append(parent, NOWHERE)  # so that NOWHERE, the last index, leads to itself
    for _ in range(len(parent).bit_length()):
        before = before[before]
    endless = before[before != NOWHERE]
    if not len(endless):
        return []
    cycle = [int(endless[0])]
    while (previous := int(parent[cycle[-1]])) != cycle[0]:
        cycle.append(previous)
    return cycle[::-1]
