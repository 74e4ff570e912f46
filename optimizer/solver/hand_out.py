"""From counts to partitions: who keeps which, and who gets which."""

from __future__ import annotations

import numpy as np

from optimizer.model import NOBODY, NOTHING, IntArray, ranges, stable_order
from optimizer.solver.demand import Demand
from optimizer.solver.kinds import Kinds


def hand_out(owner: IntArray, kinds: Kinds, demand: Demand, shares: IntArray) -> IntArray:
    """Turn each pair's share into partitions.

    Owners keep their lowest partitions (by topic name and number); what is left of a kind is
    dealt in that order, one to each member in turn, so that a topic spreads over its new readers.
    """
    target = np.where(kinds.owner_pair >= 0, owner, NOBODY)
    target[_released(kinds.owner_pair, demand, shares)] = NOBODY
    free = ((target < 0) & (kinds.of_partition >= 0)).nonzero()[0]
    if len(free):
        free = free[stable_order(kinds.of_partition[free], len(demand.supply))]
        target[free] = demand.members[_deal(demand, shares)]
    return target


def _released(owner_pair: IntArray, demand: Demand, shares: IntArray) -> IntArray:
    """Partitions that an owner has above its share: only the owners with too many are looked at."""
    # One entry more than there are pairs: a partition without a pair has -1 and looks up that one.
    too_many = np.zeros(len(shares) + 1, np.bool_)
    np.greater(demand.owned, shares, out=too_many[:-1])
    pairs = too_many.nonzero()[0]
    if not len(pairs):
        return NOTHING
    partitions = too_many[owner_pair].nonzero()[0]
    partitions = partitions[stable_order(owner_pair[partitions], len(shares))]
    owned, kept = demand.owned[pairs], shares[pairs]
    first = owned.cumsum() - owned
    return partitions[ranges(first + kept, owned - kept)]


def _deal(demand: Demand, shares: IntArray) -> IntArray:
    """Pairs in the order in which they get their partitions: by kind, round after round."""
    wanted = shares - demand.owned
    pairs = (wanted > 0).nonzero()[0]
    wanted = wanted[pairs]
    pair = pairs.repeat(wanted)
    turn = ranges(np.zeros(len(pairs), np.int64), wanted)
    by_turn = pair[stable_order(turn, int(wanted.max()))]
    return by_turn[stable_order(demand.kind_of_pair[by_turn], len(demand.supply))]
