"""The problem in arrays: partitions that take brokers, each broker dearer the more it has.

Replicas are placed so, and then leaders: a leader is one of its partition's replicas, which are
all listed, and nobody else may be taken. What changes a choice are exchanges: a partition gives up
one broker and takes another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.replicas.numbering import NOBODY, BoolArray, IntArray


@dataclass(frozen=True)
class Placement:
    """P partitions, B brokers, R racks, G topics.

    Partition p takes `low[p, r]` to `high[p, r]` brokers of each rack, together `count[p]`; no
    broker twice. Candidates are the brokers `listed[p]` at `listed_cost[p]` each, and all who
    `receive` at `new_cost[p]`. `rack_of` is -1 for brokers who aren't to be used. A broker with
    load x costs `load_weight · weight · x²`, x being what it takes and its `base`; what it takes of
    a topic, with `topic_base`, costs `topic_weight` times its square. `topic_weight` 0: topics
    don't count, and `topic` is 0 everywhere. A slot is topic · brokers + broker.
    """

    rack_of: IntArray  # (B,)
    receives: BoolArray  # (B,)
    weight: IntArray  # (B,)
    base: IntArray  # (B,)
    listed: IntArray  # (P, K), filled up with NOBODY
    listed_cost: IntArray  # (P, K)
    new_cost: IntArray  # (P,)
    count: IntArray  # (P,)
    low: IntArray  # (P, R)
    high: IntArray  # (P, R)
    topic: IntArray  # (P,)
    topic_base: IntArray  # (G, B)
    load_weight: int
    topic_weight: int = 0
    is_exact: bool = True  # whether no lower level can outweigh a higher one
    size_step: int = 1  # bytes: sizes count as multiples of it

    @property
    def partitions(self) -> int:
        return len(self.count)

    @property
    def brokers(self) -> int:
        return len(self.rack_of)

    @property
    def racks(self) -> int:
        return int(self.low.shape[1])

    @property
    def topics(self) -> int:
        return len(self.topic_base)

    @cached_property
    def width(self) -> int:
        """Columns of a choice."""
        return int(self.count.max(initial=1))

    @cached_property
    def receivers(self) -> list[IntArray]:
        """Who receives, by rack."""
        return [np.flatnonzero(self.receives & (self.rack_of == r)) for r in range(self.racks)]

    def loads(self, choice: IntArray) -> IntArray:
        """What each broker has of partitions with these brokers, its base included."""
        return self.base + np.bincount(choice[choice >= 0], minlength=self.brokers)

    def topic_loads(self, choice: IntArray) -> IntArray:
        """What each broker has of each topic: (G, B)."""
        slots = (choice + self.topic[:, None] * self.brokers)[choice >= 0]
        counts = np.bincount(slots, minlength=self.topics * self.brokers)
        return self.topic_base + counts.reshape(self.topics, self.brokers)

    def in_racks(self, choice: IntArray) -> IntArray:
        """How many brokers each partition has in each rack: (P, R)."""
        counts = np.zeros((len(choice), self.racks), np.int64)
        rows = np.arange(len(choice))
        for column in choice.T:
            taken = column >= 0
            counts[rows[taken], self.rack_of[column[taken]]] += 1
        return counts

    def costs_of(self, choice: IntArray) -> IntArray:
        """What each partition pays for each of its brokers; 0 where there is none."""
        costs = np.repeat(self.new_cost[:, None], choice.shape[1], axis=1)
        for listed, cost in zip(self.listed.T, self.listed_cost.T, strict=True):
            same = (choice == listed[:, None]) & (listed >= 0)[:, None]
            costs = np.where(same, cost[:, None], costs)
        return np.where(choice >= 0, costs, 0)

    def cost_of(self, partition: int, broker: int) -> int:
        """What one partition pays for one broker."""
        (at,) = (self.listed[partition] == broker).nonzero()
        return int(self.listed_cost[partition, at[0]] if len(at) else self.new_cost[partition])

    def total(self, choice: IntArray) -> int:
        """What a choice costs: Σ of its loads and of what partitions pay, beyond 64 bits too."""
        paid = int(self.costs_of(choice).astype(object).sum())
        of_topics = 0
        if self.topic_weight:
            of_topics = self.topic_weight * int((self.topic_loads(choice) ** 2).sum())
        return self.load_weight * self.balance(choice) + of_topics + paid

    def balance(self, choice: IntArray) -> int:
        """Σ weight · replicas² of the brokers that are used."""
        squares = self.weight.astype(object) * self.loads(choice) ** 2
        return int(squares[self.rack_of >= 0].sum())

    def new_in(self, choice: IntArray) -> int:
        """How many brokers of a choice are new to their partitions."""
        return int(without(choice, self.listed).sum())

    def rows(self, choice: IntArray, free: IntArray) -> Placement:
        """The same for those partitions alone; all others stand still as chosen."""
        still = choice.copy()
        still[free] = NOBODY
        names = ("listed", "listed_cost", "new_cost", "count", "low", "high", "topic")
        return replace(
            self,
            base=self.loads(still),
            topic_base=self.topic_loads(still) if self.topic_weight else self.topic_base,
            **{name: getattr(self, name)[free] for name in names},
        )


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


def has(rows: IntArray, values: IntArray) -> BoolArray:
    """Which rows have the value beside them."""
    result: BoolArray = np.logical_or.reduce(rows == values[:, None], axis=1)
    return result


def without(rows: IntArray, others: IntArray) -> BoolArray:
    """Which entries of each row are brokers that its row of the others lacks."""
    new = rows >= 0
    for column in others.T:
        new &= rows != column[:, None]
    return new


def run_starts(*keys: IntArray) -> IntArray:
    """Where each run of equal keys begins."""
    begins = np.zeros(len(keys[0]), np.bool_)
    begins[:1] = True
    for key in keys:
        begins[1:] |= key[1:] != key[:-1]
    return begins.nonzero()[0]


def ranks_in_runs(*keys: IntArray) -> IntArray:
    """The rank of each entry in its run of equal keys."""
    starts = run_starts(*keys)
    sizes = np.diff(np.append(starts, len(keys[0])))
    return np.arange(len(keys[0])) - np.repeat(starts, sizes)
