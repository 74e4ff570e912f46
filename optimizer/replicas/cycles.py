"""Cycles of exchanges that make a choice better; where there is none, prices that show it."""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from optimizer.replicas.numbering import NOBODY, BoolArray, IntArray
from optimizer.replicas.placement import (
    Exchanges,
    Placement,
    can_exchange,
    cheapest_exchanges,
    exchange,
    has,
    run_starts,
)

FAR = 2**62
"""Dearer than anything."""


@dataclass(frozen=True)
class Prices:
    """What one replica more is worth at each broker, and at each broker for each topic."""

    of_broker: IntArray  # (B,)
    of_topic: IntArray  # (G, B)


def sound_rows(placement: Placement, choice: IntArray) -> BoolArray:
    """Which partitions have as many brokers as they want, none twice, as racks want it."""
    sound: BoolArray = np.add.reduce(choice >= 0, axis=1) == placement.count
    for at, broker in enumerate(choice.T):
        candidate = placement.receives[broker] | has(placement.listed, broker)
        candidate &= (placement.rack_of[broker] >= 0) & ~has(choice[:, :at], broker)
        sound &= (broker == NOBODY) | candidate
    if not sound.all():
        return sound
    in_racks = placement.in_racks(choice)
    between = (placement.low <= in_racks) & (in_racks <= placement.high)
    sound &= between.all(axis=1)
    return sound


def loads_fit(placement: Placement, choice: IntArray, prices: Prices) -> bool:
    """Whether each load lies between its two marginal costs."""
    used = placement.rack_of >= 0
    weight = placement.load_weight * placement.weight
    if not _between(weight[used], placement.loads(choice)[used], prices.of_broker[used]):
        return False
    own = (prices.of_topic - prices.of_broker)[:, used]
    each = np.full_like(own, placement.topic_weight)
    return _between(each, placement.topic_loads(choice)[:, used], own)


def _between(weight: IntArray, load: IntArray, price: IntArray) -> bool:
    fits = (weight * (2 * load - 1) <= price) & (price <= weight * (2 * load + 1))
    return bool(fits.all())


def with_cheaper(placement: Placement, choice: IntArray, prices: Prices) -> BoolArray:
    """Which partitions would rather have another choice at these prices.

    Choices of a partition are the bases of a matroid (brokers within racks within it), so a
    cheaper choice is there if and only if one exchange makes it cheaper.
    """
    dearest = np.full((placement.partitions, placement.racks), -FAR)
    cheapest = np.full_like(dearest, FAR)
    rows = np.arange(placement.partitions)
    costs = placement.costs_of(choice)
    for column in range(choice.shape[1]):
        at = np.flatnonzero(choice[:, column] >= 0)
        broker = choice[at, column]
        rack = placement.rack_of[broker]
        value = costs[at, column] + prices.of_topic[placement.topic[at], broker]
        dearest[at, rack] = np.maximum(dearest[at, rack], value)
    for listed, cost in zip(placement.listed.T, placement.listed_cost.T, strict=True):
        rack = np.where(listed >= 0, placement.rack_of[listed], -1)
        at = np.flatnonzero((rack >= 0) & ~has(choice, listed))
        value = cost[at] + prices.of_topic[placement.topic[at], listed[at]]
        cheapest[at, rack[at]] = np.minimum(cheapest[at, rack[at]], value)
    for rack in range(placement.racks):
        new = _cheapest_new(placement, choice, prices, rack)
        cheapest[rows, rack] = np.minimum(cheapest[rows, rack], new)
    in_racks = placement.in_racks(choice)
    better = (cheapest < dearest).any(axis=1)
    giving = np.where(in_racks > placement.low, dearest, -FAR)
    taking = np.where(in_racks < placement.high, cheapest, FAR)
    # one rack both gives and takes at its own peril: that is the exchange within it, seen above
    is_found: BoolArray = better | (taking.min(axis=1) < giving.max(axis=1))
    return is_found


def _cheapest_new(placement: Placement, choice: IntArray, prices: Prices, rack: int) -> IntArray:
    """What the cheapest broker of a rack costs each partition that hasn't it nor lists it."""
    best = np.full(placement.partitions, FAR)
    receivers = placement.receivers[rack]
    if not len(receivers):
        return best
    order = receivers[np.argsort(prices.of_topic[:, receivers], axis=1, kind="stable")]
    left = np.arange(placement.partitions)
    for rank in range(len(receivers)):
        broker = order[placement.topic[left], rank]
        free = ~has(choice[left], broker) & ~has(placement.listed[left], broker)
        here = left[free]
        price = prices.of_topic[placement.topic[here], broker[free]]
        best[here] = placement.new_cost[here] + price
        left = left[~free]
        if not len(left):
            break
    return best


def proves(placement: Placement, choice: IntArray, prices: Prices) -> bool:
    """Whether prices show that no choice is better; where levels can outweigh others they don't."""
    return (
        placement.is_exact
        and bool(sound_rows(placement, choice).all())
        and loads_fit(placement, choice, prices)
        and not with_cheaper(placement, choice, prices).any()
    )


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
