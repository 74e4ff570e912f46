"""Costs that grow with what is there: exact near a point, and lines farther away.

Not every unit has an arc of its own: near the point it has; farther away an arc stands for several,
at their mean cost. So nothing seems cheaper than it is, and what is at the point seems what it is.
If a cheapest flow stays near its point, the true residual network has no cycle of negative cost,
and nothing is better (Klein 1967). Otherwise the flow is the next point.
"""

from collections.abc import Sequence
from typing import NamedTuple

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
        open_arcs = Arcs(*(column[free] for column in arcs))
        indices = cheapest_flow([open_arcs], supply)
        if indices is None:
            return None
        flows[free] = indices
        if number < len(each):
            potential = _potentials(open_arcs, indices, len(supply))
            is_tight = open_arcs.cost + potential[open_arcs.tail] == potential[open_arcs.head]
            fixed = ~is_tight & (indices > 0)
            supply = supply.copy()
            np.subtract.at(supply, open_arcs.tail[fixed], indices[fixed])
            np.add.at(supply, open_arcs.head[fixed], indices[fixed])
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


EXACT_RADIUS = 3
"""Units this near to the point, and one more, have an arc of their own each."""

STEPS = np.concatenate((np.arange(1, EXACT_RADIUS + 1), 2 ** np.arange(2, 40)))
"""How far from the point the cost is exact; in between it is a line."""


class Segments(NamedTuple):
    """Arcs of some nodes, from one number of units to another."""

    node: IntArray
    start: IntArray
    end: IntArray


def segments_near(point: IntArray, most: IntArray, steps: IntArray = STEPS) -> Segments:
    """Cut the numbers of units of each node, from none to the most, into segments."""
    steps = steps[: steps.searchsorted(most.max(initial=0)) + 1]
    offsets = np.concatenate((-steps[::-1], [0], steps))
    points = point[:, None] + offsets
    np.maximum(points, 0, out=points)
    np.minimum(points, most[:, None], out=points)
    points[:, 0], points[:, -1] = 0, most
    node, column = (points[:, 1:] > points[:, :-1]).nonzero()
    return Segments(node, points[node, column], points[node, column + 1])


def dearer_arcs(
    first: int,
    head: IntArray,
    point: IntArray,
    most: IntArray,
    weight: IntArray | int,
    base: IntArray | int = 0,
    steps: IntArray = STEPS,
) -> tuple[Arcs, Segments]:
    """Arcs from nodes, numbered from `first` on, along which Σ weight × (base + units)² grows.

    So the n-th unit costs weight × (2 (base + n) - 1) near the point; `most` flow out of each node.
    """
    segments = segments_near(point, most, steps)
    node, start, end = segments
    rise, below = (each if isinstance(each, int) else each[node] for each in (weight, base))
    cost = rise * (start + end + 2 * below)
    return Arcs(first + node, head[node], end - start, cost), segments


def are_near(flows: IntArray, point: IntArray) -> bool:
    """Whether what some units cost is exact in the network near a point."""
    return bool((np.abs(flows - point) <= EXACT_RADIUS).all())
