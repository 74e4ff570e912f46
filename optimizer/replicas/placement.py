"""The problem in arrays: partitions that take brokers, each broker dearer the more it has.

Replicas are placed so, and then leaders: a leader is one of its partition's replicas, which are
all listed, and nobody else may be taken. Prices show that a choice is the best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

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
        """Brokers that receive, by rack."""
        return [np.flatnonzero(self.receives & (self.rack_of == r)) for r in range(self.racks)]

    def loads(self, choice: IntArray) -> IntArray:
        """The load of each broker by partitions with these brokers, its base included."""
        return self.base + np.bincount(choice[choice >= 0], minlength=self.brokers)

    def topic_loads(self, choice: IntArray) -> IntArray:
        """The load of each broker by topic: (G, B)."""
        slots = (choice + self.topic[:, None] * self.brokers)[choice >= 0]
        counts = np.bincount(slots, minlength=self.topics * self.brokers)
        return self.topic_base + counts.reshape(self.topics, self.brokers)

    def in_racks(self, choice: IntArray) -> IntArray:
        """Brokers of each partition in each rack: (P, R)."""
        counts = np.zeros((len(choice), self.racks), np.int64)
        rows = np.arange(len(choice))
        for column in choice.T:
            taken = column >= 0
            counts[rows[taken], self.rack_of[column[taken]]] += 1
        return counts

    def costs_of(self, choice: IntArray) -> IntArray:
        """The cost of each partition for each of its brokers; 0 where there is none."""
        costs = np.repeat(self.new_cost[:, None], choice.shape[1], axis=1)
        for listed, cost in zip(self.listed.T, self.listed_cost.T, strict=True):
            same = (choice == listed[:, None]) & (listed >= 0)[:, None]
            costs = np.where(same, cost[:, None], costs)
        return np.where(choice >= 0, costs, 0)

    def cost_of(self, partition: int, broker: int) -> int:
        """The cost of one partition for one broker."""
        (at,) = (self.listed[partition] == broker).nonzero()
        return int(self.listed_cost[partition, at[0]] if len(at) else self.new_cost[partition])

    def total(self, choice: IntArray) -> int:
        """The cost of a choice: Σ of its loads and of its partitions' costs, beyond 64 bits too."""
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
        """Brokers of a choice that are new to their partitions."""
        return int(without(choice, self.listed).sum())

    def rows(self, choice: IntArray, free: IntArray) -> Placement:
        """The placement of those partitions alone; all others stand still as chosen."""
        still = choice.copy()
        still[free] = NOBODY
        names = ("listed", "listed_cost", "new_cost", "count", "low", "high", "topic")
        return replace(
            self,
            base=self.loads(still),
            topic_base=self.topic_loads(still) if self.topic_weight else self.topic_base,
            **{name: getattr(self, name)[free] for name in names},
        )


def has(rows: IntArray, wanted: IntArray) -> BoolArray:
    """Rows that have the value beside them."""
    present: BoolArray = np.logical_or.reduce(rows == wanted[:, None], axis=1)
    return present


def without(rows: IntArray, others: IntArray) -> BoolArray:
    """Entries of each row that are brokers which its row of the others lacks."""
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


FAR = 2**62
"""Dearer than anything."""


@dataclass(frozen=True)
class Duals:
    """The worth of one replica more at each broker, and at each broker for each topic."""

    of_broker: IntArray  # (B,)
    of_topic: IntArray  # (G, B)


def sound_rows(placement: Placement, choice: IntArray) -> BoolArray:
    """Partitions that have as many brokers as they want, none twice, as racks want it."""
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


def loads_fit(placement: Placement, choice: IntArray, prices: Duals) -> bool:
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


def with_cheaper(placement: Placement, choice: IntArray, prices: Duals) -> BoolArray:
    """Partitions that would rather have another choice at these prices.

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


def _cheapest_new(placement: Placement, choice: IntArray, prices: Duals, rack: int) -> IntArray:
    """The least cost of a rack's brokers for each partition that neither has nor lists one."""
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


def proves(placement: Placement, choice: IntArray, prices: Duals) -> bool:
    """Whether prices show that no choice is better; where levels can outweigh others they don't."""
    return (
        placement.is_exact
        and bool(sound_rows(placement, choice).all())
        and loads_fit(placement, choice, prices)
        and not with_cheaper(placement, choice, prices).any()
    )
