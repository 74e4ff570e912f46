"""Exchanges that change a choice, and cycles of them that make it better, or prices if none does.

A partition gives up one broker and takes another.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from optimizer.replicas.numbering import BoolArray, IntArray
from optimizer.replicas.placement import Duals, Placement, has, run_starts


class Exchanges(NamedTuple):
    """Exchanges in the order of the slot that gives, who takes, and what it costs.

    Who takes is a slot, or a pool (slots + topic · racks + rack): any broker of that rack that
    receives, that the partition doesn't list, and hasn't.
    """

    giver: IntArray
    taker: IntArray
    cost: IntArray
    partition: IntArray


def exchanges_of(placement: Placement, choice: IntArray) -> Exchanges:
    """Every exchange that racks allow; equally dear ones stand in no particular order."""
    rows = np.arange(placement.partitions)
    costs, in_racks = placement.costs_of(choice), placement.in_racks(choice)
    spare, room = in_racks > placement.low, in_racks < placement.high
    slot = placement.topic * placement.brokers
    pool = placement.topics * placement.brokers + placement.topic * placement.racks
    takers = [  # who takes, its rack, its cost, and whether it can
        (slot + listed, rack, cost, (rack >= 0) & ~has(choice, listed))
        for listed, cost in zip(placement.listed.T, placement.listed_cost.T, strict=True)
        for rack in [np.where(listed >= 0, placement.rack_of[listed], -1)]
    ]
    takers += [
        (pool + rack, np.full_like(rows, rack), placement.new_cost, np.ones(len(rows), np.bool_))
        for rack, receivers in enumerate(placement.receivers)
        if len(receivers)
    ]
    parts = [np.empty((4, 0), np.int64)]
    for giver, paid in zip(choice.T, costs.T, strict=True):
        giving = np.where(giver >= 0, placement.rack_of[giver], -1)
        spares = spare[rows, giving]
        for taker, rack, cost, can in takers:
            may = can & ((rack == giving) | (spares & room[rows, rack])) & (giver >= 0)
            at = may.nonzero()[0]
            parts.append(np.stack([(slot + giver)[at], taker[at], (cost - paid)[at], at]))
    columns = np.concatenate(parts, axis=1)
    count = columns.shape[1]
    columns = columns[:, np.random.default_rng(count).permutation(count)]
    nodes = placement.topics * (placement.brokers + placement.racks)
    return Exchanges(*columns[:, np.lexsort((columns[2], columns[0] * nodes + columns[1]))])


def cheapest_exchanges(placement: Placement, choice: IntArray) -> Exchanges:
    """The cheapest exchange between any two slots between which there is one.

    Exchanges for a broker of a pool are looked through in the order of their costs, until each
    broker of the pool has found one.
    """
    exchanges, slots = exchanges_of(placement, choice), placement.topics * placement.brokers
    start = run_starts(exchanges.giver, exchanges.taker)
    end = np.append(start[1:], len(exchanges.giver))
    direct = exchanges.taker[start] < slots
    parts = [np.stack(exchanges)[:, start[direct]]]
    start, end = start[~direct], end[~direct]
    topic, rack = np.divmod(exchanges.taker[start] - slots, placement.racks)
    receivers = [placement.receivers[r] for r in rack.tolist()]
    run = np.repeat(np.arange(len(start)), [len(each) for each in receivers])
    broker = np.concatenate([np.empty(0, np.int64), *receivers])
    rank = 0
    while len(run):
        inside = start[run] + rank < end[run]
        run, broker = run[inside], broker[inside]
        at = start[run] + rank
        partition = exchanges.partition[at]
        fits = ~has(choice[partition], broker) & ~has(placement.listed[partition], broker)
        here, taker = at[fits], topic[run[fits]] * placement.brokers + broker[fits]
        parts.append(
            np.stack([exchanges.giver[here], taker, exchanges.cost[here], partition[fits]])
        )
        run, broker = run[~fits], broker[~fits]
        rank += 1
    giver, taker, cost, partition = np.concatenate(parts, axis=1)
    order = np.lexsort((partition, cost, taker, giver))
    first = order[run_starts(giver[order], taker[order])]
    return Exchanges(giver[first], taker[first], cost[first], partition[first])


def can_exchange(
    placement: Placement, choice: IntArray, partition: IntArray, giver: IntArray, taker: IntArray
) -> BoolArray:
    """Whether each partition may give up one broker and take the other."""
    rows = choice[partition]
    racks = placement.rack_of[rows]
    giving, taking = placement.rack_of[giver], placement.rack_of[taker]
    given, taken = (((racks == r[:, None]) & (rows >= 0)).sum(axis=1) for r in (giving, taking))
    spare = given > placement.low[partition, giving]
    room = taken < placement.high[partition, taking]
    can: BoolArray = has(rows, giver) & ~has(rows, taker) & (taking >= 0)
    can &= placement.receives[taker] | has(placement.listed[partition], taker)
    can &= (giving == taking) | (spare & room)
    return can


def exchange(choice: IntArray, partition: IntArray, giver: IntArray, taker: IntArray) -> None:
    """Carry exchanges out, each of another partition."""
    column = (choice[partition] == giver[:, None]).argmax(axis=1)
    choice[partition, column] = taker


EXCHANGES, OF_TOPICS, OF_BROKERS = 0, -1, -2
"""Kinds of arcs. One by which a slot or a broker gains or loses a replica stands as an exchange
does, from who gives to who takes, with its kind for a partition.
"""


class Searched(NamedTuple):
    """Cycles that make the choice better, as indexes of arcs, or if there are none, prices."""

    arcs: Exchanges
    cycles: list[list[int]]
    prices: Duals


def _residual_arcs(placement: Placement, choice: IntArray) -> Exchanges:
    """Exchanges, and what it costs when a slot, and then its broker, gains or loses a replica.

    Nodes are slots, then brokers, then the sink.
    """
    slots, used = placement.topics * placement.brokers, np.flatnonzero(placement.rack_of >= 0)
    slot = (np.arange(placement.topics)[:, None] * placement.brokers + used).ravel()
    broker = slots + used
    sink = np.full(len(used), slots + placement.brokers)
    of_topic, of_broker = placement.topic_loads(choice)[:, used], placement.loads(choice)[used]
    weight = placement.load_weight * placement.weight[used]
    parts = [
        cheapest_exchanges(placement, choice),
        *_up_and_down(
            *(OF_TOPICS, slot, np.tile(broker, placement.topics)),
            *(placement.topic_weight, of_topic.ravel()),
        ),
        *_up_and_down(OF_BROKERS, broker, sink, weight, of_broker),
    ]
    return Exchanges(*map(np.concatenate, zip(*parts, strict=True)))


def _up_and_down(
    kind: int, tail: IntArray, head: IntArray, weight: IntArray | int, load: IntArray
) -> list[Exchanges]:
    kinds = np.full(len(tail), kind)
    return [
        Exchanges(tail, head, weight * (2 * load + 1), kinds),
        Exchanges(head, tail, -weight * (2 * load - 1), kinds),
    ]


def search(placement: Placement, choice: IntArray) -> Searched:
    """Bellman and Ford's search from everywhere at once.

    Where it finds no cycle, distances say what a replica more is worth at each node.
    """
    arcs = _residual_arcs(placement, choice)
    shape = placement.topics + 1, placement.brokers
    nodes = shape[0] * shape[1] + 1
    order = np.argsort(arcs.taker, kind="stable")
    arcs = Exchanges(*(column[order] for column in arcs))
    start = run_starts(arcs.taker)
    heads = arcs.taker[start]
    sizes = np.diff(np.append(start, len(arcs.taker)))
    distance = np.zeros(nodes, np.int64)
    arc_to = np.full(nodes, -1)
    cycles: list[list[int]] = []
    while len(heads) and not cycles:
        reached = distance[arcs.giver] + arcs.cost
        least = np.minimum.reduceat(reached, start)
        nearer = least < distance[heads]
        if not nearer.any():
            break
        at = np.flatnonzero(np.repeat(nearer, sizes) & (reached == np.repeat(least, sizes)))
        arc_to[arcs.taker[at]] = at
        distance[heads[nearer]] = least[nearer]
        cycles = _cycles(arcs, arc_to)
    price = (distance[-1] - distance[:-1]).reshape(shape)
    return Searched(arcs, cycles, Duals(price[-1], price[:-1]))


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


class CycleStep(NamedTuple):
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
        steps = [CycleStep(*step) for step in every[:, cycle].T.tolist()]
        partitions = {step.partition for step in steps if step.partition >= 0}
        if touched & partitions:
            continue
        touched |= partitions
        for step in _untangle(placement, choice, steps):
            if step.partition >= 0:
                exchange(choice, *np.array([step[1:]]).T)


def _untangle(placement: Placement, choice: IntArray, steps: list[CycleStep]) -> list[CycleStep]:
    """The cycle, or a part of it that makes the choice better and can be carried out.

    Two exchanges a → b and c → d of one partition are in each other's way if they would use the
    same room of a rack. Then a → d and c → b are possible too, each closes a cycle of its own, and
    these two cost together what the one did.
    """
    swaps = [at for at, step in enumerate(steps) if step.partition >= 0]
    for earlier, following in combinations(swaps, 2):
        first, second = steps[earlier], steps[following]
        if first.partition != second.partition:
            continue
        across = _step(placement, first.partition, first.giver, second.taker)
        back = _step(placement, first.partition, second.giver, first.taker)
        if can_exchange(placement, choice, *np.array([across[1:], back[1:]]).T).all():
            outer = [*steps[:earlier], across, *steps[following + 1 :]]
            inner = [*steps[earlier + 1 : following], back]
            better = outer if sum(step.cost for step in outer) < 0 else inner
            return _untangle(placement, choice, better)
    return steps


def _step(placement: Placement, partition: int, giver: int, taker: int) -> CycleStep:
    cost = placement.cost_of(partition, taker) - placement.cost_of(partition, giver)
    return CycleStep(cost, partition, giver, taker)
