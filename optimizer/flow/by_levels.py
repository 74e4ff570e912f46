"""Flows of least cost at several levels, where all levels together are more than 64 bits hold."""

from collections.abc import Sequence

import numpy as np

from optimizer.flow.or_tools import Arcs, cheapest_flow
from optimizer.model import IntArray, run_starts


def cheapest_by_levels(levels: Sequence[Sequence[Arcs]], supply: IntArray) -> IntArray | None:
    """A flow of least cost at the first level, of those at the second, and so on; None if none.

    The parts of every level are the same arcs, at what they cost at that level. With potentials
    that show that a flow is the cheapest, every cheapest flow has the same on an arc that costs
    more or less than the difference of its ends (complementary slackness): such arcs are left as
    they are, and the next level uses the others. Raises `CostOverflowError` where a single level
    doesn't fit 64 bits.
    """
    each = [Arcs(*map(np.concatenate, zip(*parts, strict=True))) for parts in levels]
    flows = np.zeros(len(each[0].cost), np.int64)
    free = np.arange(len(flows))
    for number, arcs in enumerate(each, 1):
        items = Arcs(*(column[free] for column in arcs))
        indices = cheapest_flow([items], supply)
        if indices is None:
            return None
        flows[free] = indices
        if number < len(each):
            potential = _potentials(items, indices, len(supply))
            is_tight = items.cost + potential[items.tail] == potential[items.head]
            fixed = ~is_tight & (indices > 0)
            supply = supply.copy()
            np.subtract.at(supply, items.tail[fixed], indices[fixed])
            np.add.at(supply, items.head[fixed], indices[fixed])
            free = free[is_tight]
    return flows


def _potentials(arcs: Arcs, flows: IntArray, nodes: int) -> IntArray:
    """How far each node is at least from any, along what a cheapest flow leaves (Bellman, Ford)."""
    forward, back = flows < arcs.capacity, flows > 0
    tail = np.concatenate((arcs.tail[forward], arcs.head[back]))
    head = np.concatenate((arcs.head[forward], arcs.tail[back]))
    cost = np.concatenate((arcs.cost[forward], -arcs.cost[back]))
    order = np.argsort(head, kind="stable")
    tail, head, cost = tail[order], head[order], cost[order]
    starts = run_starts(head)
    heads, distance = head[starts], np.zeros(nodes, np.int64)
    while len(heads):
        reached = np.minimum.reduceat(distance[tail] + cost, starts)
        lower = reached < distance[heads]
        if not lower.any():
            break
        distance[heads[lower]] = reached[lower]
    return distance
