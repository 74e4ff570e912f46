"""All single exchanges of a choice: a partition gives up one broker and takes another.

Only the cheapest one between two brokers matters (of a topic, where topics count), and finding
these takes no table of partitions and brokers.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import NOBODY, BoolArray, IntArray, has
from optimizer.replicas.placement import Placement


class Exchanges(NamedTuple):
    """The cheapest exchange from one place to another, and a partition in which it is possible.

    A place is topic · brokers + broker.
    """

    giver: IntArray
    taker: IntArray
    cost: IntArray
    partition: IntArray


def exchanges_of(placement: Placement, indices: IntArray) -> Exchanges:
    """The cheapest exchange between any two places between which there is one."""
    costs = placement.costs_of(indices)
    result = [*_to_listed(placement, indices, costs), _to_new(placement, indices, costs)]
    giver, taker, cost, partition = map(np.concatenate, zip(*result, strict=True))
    return _cheapest(placement, giver, taker, cost, partition)


def allowed(
    placement: Placement, in_racks: IntArray, giving: IntArray, taking: IntArray
) -> BoolArray:
    """Whether each partition may give up one of a rack for one of another; -1 is no rack."""
    rows = np.arange(len(in_racks))
    may: BoolArray = (giving == taking) | (
        (in_racks[rows, giving] > placement.low[rows, giving])
        & (in_racks[rows, taking] < placement.high[rows, taking])
    )
    return may & (giving >= 0) & (taking >= 0)


def _to_listed(
    placement: Placement, indices: IntArray, costs: IntArray
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
    """Exchanges for a listed broker that the partition hasn't."""
    in_racks = placement.in_racks(indices)
    place = placement.topic * placement.brokers
    for taker, rack, price in zip(
        placement.listed.T, placement.listed_rack.T, placement.listed_cost.T, strict=True
    ):
        absent = (rack >= 0) & ~has(indices, taker)
        if not absent.any():
            continue
        for column in range(indices.shape[1]):
            giver = indices[:, column]
            giving = np.where(giver >= 0, placement.rack_of[giver], -1)
            may = np.flatnonzero(absent & allowed(placement, in_racks, giving, rack))
            yield (
                (place + giver)[may],
                (place + taker)[may],
                (price - costs[:, column])[may],
                may,
            )


def _to_new(
    placement: Placement, indices: IntArray, costs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Exchanges for a broker that isn't listed.

    For each place and rack the partitions that could give that place up for one of that rack are
    examined in the order of their costs, until each broker of the rack has found one.
    """
    giver, rack, cost, partition = _givers(placement, indices, costs)
    key = giver * placement.racks + rack
    order = np.lexsort((cost, key)) if np.any(cost != cost[:1]) else np.argsort(key, kind="stable")
    key, cost, partition = key[order], cost[order], partition[order]
    start = np.flatnonzero(np.diff(key, prepend=-1))
    end = np.append(start[1:], len(key))
    keys = key[start] if len(key) else key
    # every broker of the rack, for each place and rack
    receivers = [placement.receivers_of(r) for r in range(placement.racks)]
    sizes = np.array([len(receiver) for receiver in receivers], np.int64)
    wanted = sizes[keys % placement.racks]
    run = np.repeat(np.arange(len(keys)), wanted)
    offset = np.arange(len(run)) - np.repeat(wanted.cumsum() - wanted, wanted)
    first = (sizes.cumsum() - sizes)[keys % placement.racks]
    taker = np.concatenate(receivers)[np.repeat(first, wanted) + offset]
    result: list[tuple[IntArray, IntArray, IntArray, IntArray]] = []
    rank = 0
    while len(run):
        at = start[run] + rank
        in_run = at < end[run]
        run, taker, at = run[in_run], taker[in_run], at[in_run]
        p = partition[at]
        fits = ~has(indices[p], taker) & ~has(placement.listed[p], taker)
        here = at[fits]
        topic = keys[run[fits]] // placement.racks // placement.brokers * placement.brokers
        result.append(
            (keys[run[fits]] // placement.racks, topic + taker[fits], cost[here], p[fits])
        )
        run, taker = run[~fits], taker[~fits]
        rank += 1
    if not result:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing, nothing
    giver, taker, cost, partition = map(np.concatenate, zip(*result, strict=True))
    return giver, taker, cost, partition


def _givers(
    placement: Placement, indices: IntArray, costs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Place, rack to which it may be given up, cost and partition, for each such triple."""
    in_racks = placement.in_racks(indices)
    items = [np.empty(0, np.int64)]
    parts = [(items[0], items[0], items[0], items[0])]
    place = placement.topic * placement.brokers
    has_receivers = [len(placement.receivers_of(r)) > 0 for r in range(placement.racks)]
    for column in range(indices.shape[1]):
        giver = indices[:, column]
        giving = np.where(giver >= 0, placement.rack_of[giver], -1)
        for rack in np.flatnonzero(has_receivers).tolist():
            may = np.flatnonzero(allowed(placement, in_racks, giving, np.full(len(giving), rack)))
            parts.append(
                (
                    (place + giver)[may],
                    np.full(len(may), rack),
                    (placement.new_cost - costs[:, column])[may],
                    may,
                )
            )
    giver, rack_to, cost, partition = map(np.concatenate, zip(*parts, strict=True))
    return giver, rack_to, cost, partition


def _cheapest(
    placement: Placement, giver: IntArray, taker: IntArray, cost: IntArray, partition: IntArray
) -> Exchanges:
    key = giver * placement.brokers + taker % placement.brokers
    order = np.lexsort((partition, cost, key))
    first = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    return Exchanges(giver[first], taker[first], cost[first], partition[first])


def exchange(indices: IntArray, partition: int, giver: int, taker: int) -> None:
    """Carry one out."""
    row = indices[partition]
    row[row == giver] = taker


def can_exchange(
    placement: Placement, indices: IntArray, partition: int, giver: int, taker: int
) -> bool:
    """Whether the partition may give up one broker and take the other."""
    row = indices[partition]
    if giver not in row or taker in row or placement.rack_of[taker] < 0:
        return False
    if not placement.receives[taker] and taker not in placement.listed[partition]:
        return False
    giving, taking = placement.rack_of[giver], placement.rack_of[taker]
    if giving == taking:
        return True
    in_racks = np.bincount(placement.rack_of[row[row != NOBODY]], minlength=placement.racks)
    low, high = placement.low[partition], placement.high[partition]
    return bool(in_racks[giving] > low[giving] and in_racks[taking] < high[taking])
