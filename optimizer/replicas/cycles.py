"""Cycles of exchanges that make a choice better; where there is none, prices that show it."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from optimizer.replicas.numbering import IntArray
from optimizer.replicas.placement import (
    Exchanges,
    Placement,
    can_exchange,
    cheapest_exchanges,
    exchange,
    run_starts,
)
from optimizer.replicas.prices import Prices

BETWEEN = -1
"""The partition of an arc that is no exchange: a slot or a broker gains or loses a replica.

Arcs stand as exchanges do, from who gives to who takes.
"""


class Searched(NamedTuple):
    """Either cycles that make the choice better, as indexes of arcs, or each node's distance."""

    arcs: Exchanges
    cycles: list[list[int]]
    distance: IntArray


def _residual_arcs(placement: Placement, choice: IntArray) -> Exchanges:
    """Exchanges, and what it costs when a slot, and then its broker, gains or loses a replica.

    Nodes are slots, then brokers, then the sink.
    """
    slots, used = placement.topics * placement.brokers, np.flatnonzero(placement.rack_of >= 0)
    slot = (np.arange(placement.topics)[:, None] * placement.brokers + used).ravel()
    broker = slots + used
    sink = np.full(len(used), slots + placement.brokers)
    of_topic = placement.topic_loads(choice)[:, used].ravel()
    weight = placement.load_weight * placement.weight[used]
    parts = [
        cheapest_exchanges(placement, choice),
        *_up_and_down(slot, np.tile(broker, placement.topics), placement.topic_weight, of_topic),
        *_up_and_down(broker, sink, weight, placement.loads(choice)[used]),
    ]
    return Exchanges(*map(np.concatenate, zip(*parts, strict=True)))


def _up_and_down(
    tail: IntArray, head: IntArray, weight: IntArray | int, load: IntArray
) -> list[Exchanges]:
    nowhere = np.full(len(tail), BETWEEN)
    return [
        Exchanges(tail, head, weight * (2 * load + 1), nowhere),
        Exchanges(head, tail, -weight * (2 * load - 1), nowhere),
    ]


def search(placement: Placement, choice: IntArray) -> Searched:
    """Bellman and Ford's search from everywhere at once."""
    arcs = _residual_arcs(placement, choice)
    nodes = (placement.topics + 1) * placement.brokers + 1
    order = np.argsort(arcs.taker, kind="stable")
    arcs = Exchanges(*(values[order] for values in arcs))
    start = run_starts(arcs.taker)
    heads = arcs.taker[start]
    sizes = np.diff(np.append(start, len(arcs.taker)))
    distance = np.zeros(nodes, np.int64)
    arc_to = np.full(nodes, -1)
    while len(heads):
        reached = distance[arcs.giver] + arcs.cost
        least = np.minimum.reduceat(reached, start)
        nearer = least < distance[heads]
        if not nearer.any():
            break
        at = np.flatnonzero(np.repeat(nearer, sizes) & (reached == np.repeat(least, sizes)))
        arc_to[arcs.taker[at]] = at
        distance[heads[nearer]] = least[nearer]
        if cycles := _cycles(arcs, arc_to):
            return Searched(arcs, cycles, distance)
    return Searched(arcs, [], distance)


def _cycles(arcs: Exchanges, arc_to: IntArray) -> list[list[int]]:
    """The cycles among the arcs by which nodes were reached last; each is negative."""
    nodes = len(arc_to)
    parent = np.append(np.where(arc_to >= 0, arcs.giver[arc_to], nodes), nodes)
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
            node = int(arcs.giver[arc_to[node]])
        if cycle:
            cycles.append(cycle[::-1])
    return cycles


def prices_of(placement: Placement, searched: Searched) -> Prices:
    """What the distances of a search that found no cycle say that a replica more is worth."""
    shape = placement.topics + 1, placement.brokers
    price = (searched.distance[-1] - searched.distance[:-1]).reshape(shape)
    return Prices(price[-1], price[:-1])


class Step(NamedTuple):
    """One arc of a cycle: what it costs, and the exchange that it stands for, if any."""

    cost: int
    partition: int
    giver: int
    taker: int


def carry_out(placement: Placement, choice: IntArray, searched: Searched) -> None:
    """Change the choice in place along every cycle that no other has got in the way of."""
    touched: set[int] = set()
    tail, head, cost, partition = searched.arcs
    every = np.stack([cost, partition, tail % placement.brokers, head % placement.brokers])
    for cycle in searched.cycles:
        steps = [Step(*step) for step in every[:, cycle].T.tolist()]
        partitions = {step.partition for step in steps} - {BETWEEN}
        if touched & partitions:
            continue
        touched |= partitions
        for step in _untangled(placement, choice, steps):
            if step.partition != BETWEEN:
                exchange(choice, *np.array([step[1:]]).T)


def _untangled(placement: Placement, choice: IntArray, steps: list[Step]) -> list[Step]:
    """The cycle, or a part of it that makes the choice better and can be carried out.

    Two exchanges a → b and c → d of one partition are in each other's way if they would use the
    same room of a rack. Then a → d and c → b are possible too, each closes a cycle of its own, and
    these two cost together what the one did.
    """
    swaps = [at for at, step in enumerate(steps) if step.partition != BETWEEN]
    for item, other in combinations(swaps, 2):
        first, second = steps[item], steps[other]
        if first.partition != second.partition:
            continue
        across = _step(placement, first.partition, first.giver, second.taker)
        back = _step(placement, first.partition, second.giver, first.taker)
        if can_exchange(placement, choice, *np.array([across[1:], back[1:]]).T).all():
            outer = [*steps[:item], across, *steps[other + 1 :]]
            inner = [*steps[item + 1 : other], back]
            better = outer if sum(step.cost for step in outer) < 0 else inner
            return _untangled(placement, choice, better)
    return steps


def _step(placement: Placement, partition: int, giver: int, taker: int) -> Step:
    cost = placement.cost_of(partition, taker) - placement.cost_of(partition, giver)
    return Step(cost, partition, giver, taker)
