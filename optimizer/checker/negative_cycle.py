"""A network of steps with costs, and the cycle in it that costs less than nothing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray

ROUNDS = 4
"""A search looks for a cycle once in so many rounds."""

NOWHERE = -1
"""Parent of a node that no arc has reached yet."""


class Search(NamedTuple):
    """A cycle of negative cost as its nodes in their order, or potentials that exclude any."""

    cycle: list[int] | None
    potential: IntArray


@dataclass(frozen=True)
class Arcs:
    """A network by its arcs: where each leads from and to, and what it costs."""

    tail: IntArray
    head: IntArray
    cost: IntArray
    nodes: int

    def search(self) -> Search:
        """Look for a cycle of negative cost (Bellman and Ford).

        All nodes start at distance 0. If no arc lowers any, distances are potentials. If the arcs
        that last lowered each form a cycle, it is one of negative cost; that is looked at in some
        of the rounds, and after as many as there are nodes they always do.
        """
        distance = np.zeros(self.nodes, np.int64)
        parent = np.full(self.nodes, NOWHERE)
        for lowered in count(1):
            reached = distance[self.tail] + self.cost
            lower = distance.copy()
            np.minimum.at(lower, self.head, reached)
            better = (reached < distance[self.head]) & (reached == lower[self.head])
            if not better.any():
                return Search(None, distance)
            parent[self.head[better]] = self.tail[better]
            distance = lower
            cycle = [] if lowered % ROUNDS else _cycle(parent)
            if cycle:
                return Search(cycle, distance)
        raise AssertionError("rounds don't end by themselves")


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
