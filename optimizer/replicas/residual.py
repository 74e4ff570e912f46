"""Whether any cycle of exchanges makes a choice better; if none does, prices that show it."""

from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import IntArray
from optimizer.replicas.exchanges import exchanges_of
from optimizer.replicas.placement import Placement
from optimizer.replicas.prices import Prices

BETWEEN = -1
"""The partition of an arc that is no exchange: a place or a broker gains or loses a replica."""


class Arcs(NamedTuple):
    """Arcs between places, brokers and the sink; `partition` is where an exchange is possible."""

    tail: IntArray
    head: IntArray
    cost: IntArray
    partition: IntArray


class Searched(NamedTuple):
    """Either cycles that make the choice better, as indexes of arcs, or each node's distance."""

    arcs: Arcs
    cycles: list[list[int]]
    distance: IntArray


def residual_arcs(placement: Placement, indices: IntArray) -> Arcs:
    """Exchanges, and what it costs when a broker (and with it a place) gains or loses a replica.

    Nodes are places (topic · brokers + broker), then, where topics count, brokers, then the sink.
    """
    exchanges = exchanges_of(placement, indices)
    cells = placement.topics * placement.brokers
    used = np.flatnonzero(placement.rack_of >= 0)
    parts = [Arcs(*exchanges[:4])]
    first = 0
    if placement.topic_weight:
        first = cells
        x = placement.topic_loads(indices)[:, used].ravel()
        place = (np.arange(placement.topics)[:, None] * placement.brokers + used).ravel()
        broker = cells + place % placement.brokers
        parts += _up_and_down(place, broker, placement.topic_weight * np.ones_like(x), x)
    sink = first + placement.brokers if placement.topic_weight else cells
    loads = placement.loads(indices)[used]
    weight = placement.load_weight * placement.weight[used]
    parts += _up_and_down(first + used, np.full(len(used), sink), weight, loads)
    tail, head, cost, partition = map(np.concatenate, zip(*parts, strict=True))
    return Arcs(tail, head, cost, partition)


def _up_and_down(tail: IntArray, head: IntArray, weight: IntArray, load: IntArray) -> list[Arcs]:
    nowhere = np.full(len(tail), BETWEEN)
    return [
        Arcs(tail, head, weight * (2 * load + 1), nowhere),
        Arcs(head, tail, -weight * (2 * load - 1), nowhere),
    ]


def search(placement: Placement, indices: IntArray) -> Searched:
    """Bellman and Ford's search from everywhere at once."""
    arcs = residual_arcs(placement, indices)
    nodes = placement.topics * placement.brokers + 1
    nodes += placement.brokers if placement.topic_weight else 0
    order = np.argsort(arcs.head, kind="stable")
    arcs = Arcs(*(values[order] for values in arcs))
    start = np.flatnonzero(np.diff(arcs.head, prepend=-1))
    heads = arcs.head[start] if len(start) else arcs.head
    sizes = np.diff(np.append(start, len(arcs.head)))
    distance = np.zeros(nodes, np.int64)
    arc_to = np.full(nodes, -1)
    while len(heads):
        reached = distance[arcs.tail] + arcs.cost
        least = np.minimum.reduceat(reached, start)
        nearer = least < distance[heads]
        if not nearer.any():
            break
        at = np.flatnonzero(np.repeat(nearer, sizes) & (reached == np.repeat(least, sizes)))
        arc_to[arcs.head[at]] = at
        distance[heads[nearer]] = least[nearer]
        if cycles := _cycles(arcs, arc_to):
            return Searched(arcs, cycles, distance)
    return Searched(arcs, [], distance)


def _cycles(arcs: Arcs, arc_to: IntArray) -> list[list[int]]:
    """The cycles among the arcs by which nodes were reached last; each is negative."""
    nodes = len(arc_to)
    parent = np.append(np.where(arc_to >= 0, arcs.tail[arc_to], nodes), nodes)
    ahead, steps = parent, 1
    while steps < nodes:
        ahead, steps = ahead[ahead], steps * 2
    on_cycle = np.unique(ahead[ahead < nodes])
    seen: set[int] = set()
    cycles = []
    for first in on_cycle.tolist():
        node, cycle = first, []
        while node not in seen:
            seen.add(node)
            cycle.append(int(arc_to[node]))
            node = int(arcs.tail[arc_to[node]])
        if cycle:
            cycles.append(cycle[::-1])
    return cycles


def prices_of(placement: Placement, searched: Searched) -> Prices:
    """What the distances of a search that found no cycle say that a replica more is worth."""
    distance = searched.distance
    cells = placement.topics * placement.brokers
    of_place = (distance[-1] - distance[:cells]).reshape(placement.topics, placement.brokers)
    if not placement.topic_weight:
        return Prices(of_place[0], of_place)
    return Prices(distance[-1] - distance[cells:-1], of_place)
