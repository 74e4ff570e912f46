"""Proof without the solver: prices of brokers at which nothing better is to be had.

At these prices each partition has a cheapest choice that its racks allow, and the load of each
broker lies between its two marginal costs. Then no other choice costs less (linear programming's
duality). This file shares nothing with how choices and prices are found.
"""

from dataclasses import dataclass

import numpy as np

from optimizer.replicas.numbering import NOBODY, BoolArray, IntArray
from optimizer.replicas.placement import Placement, has

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
