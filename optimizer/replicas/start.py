"""A quick first choice: keep what can be kept, and fill up who has least."""

import numpy as np

from optimizer.replicas.arrays import NOBODY, BoolArray, IntArray
from optimizer.replicas.distribute import ReplicaRows, give
from optimizer.replicas.placement import Placement

CHUNKS = 64
"""Parts of all partitions after which loads are examined again: one in this many."""


def first_choice(placement: Placement) -> IntArray:
    """A sound choice whose loads are roughly even: where the exact search starts from."""
    target = _even_loads(placement)
    selection = ReplicaRows(placement)
    in_racks, loads = _keep(placement, selection, target)
    quota = placement.low - np.minimum(in_racks, placement.low)
    beyond = placement.count - selection.filled - quota.sum(axis=1)
    room = np.bincount(
        np.maximum(placement.rack_of, 0),
        np.maximum(target - loads, 0) * (placement.rack_of >= 0),
        placement.racks,
    )
    draw = np.random.default_rng(placement.partitions)
    while (beyond > 0).any():
        rows = np.flatnonzero(beyond > 0)
        open_racks = (in_racks + quota < placement.high)[rows]
        luck = draw.random(open_racks.shape) ** (1 / (room + 1e-3))
        rack = np.where(open_racks, luck, -1).argmax(axis=1)
        quota[rows, rack] += 1
        beyond[rows] -= 1
    cells = np.nonzero(quota)
    partition = np.repeat(cells[0], quota[cells])
    rack = np.repeat(cells[1], quota[cells])
    slots = _slots(placement, placement.topic[partition], rack, loads)
    give(selection, partition, rack, slots)
    return selection.rows


def _even_loads(placement: Placement) -> IntArray:
    """What each broker would have if racks got replicas by their brokers, within bounds."""
    used = placement.rack_of >= 0
    rack = np.maximum(placement.rack_of, 0)
    strength = used / placement.weight
    of_rack = np.bincount(rack, strength, placement.racks)
    base = np.bincount(rack, placement.base * used, placement.racks)
    least, most = placement.low.sum(axis=0), placement.high.sum(axis=0)
    total = placement.count.sum()
    share = (total + base.sum()) * of_rack / max(of_rack.sum(), 1e-9) - base
    share = np.clip(share, least, most) + base
    even: IntArray = share[rack] * strength / np.maximum(of_rack[rack], 1e-9)
    return even


def _keep(
    placement: Placement, selection: ReplicaRows, target: IntArray
) -> tuple[IntArray, IntArray]:
    """Keep listed brokers, the cheapest first, then those with least too much; in parts."""
    loads = placement.loads(placement.listed)
    in_racks = np.zeros((placement.partitions, placement.racks), np.int64)
    if not placement.listed.shape[1]:
        return in_racks, loads
    order = np.random.default_rng(placement.partitions).permutation(placement.partitions)
    for rows in np.array_split(order, min(CHUNKS, max(placement.partitions // 8, 1))):
        listed, cost = placement.listed[rows], placement.listed_cost[rows]
        over = (loads - target)[listed]
        dear = np.lexsort((over, np.where(listed >= 0, cost, np.iinfo(np.int64).max)), axis=1)
        ordered = np.take_along_axis(listed, dear, 1)
        kept = np.zeros(len(rows), np.int64)
        counts = in_racks[rows]
        low, high, count = placement.low[rows], placement.high[rows], placement.count[rows]
        for broker in ordered.T:
            may = _may_keep(placement, broker, kept, counts, low, high, count)
            counts[may, placement.rack_of[broker[may]]] += 1
            kept[may] += 1
            selection.add(rows[may], broker[may])
            gone = broker[~may & (broker != NOBODY)]
            loads = loads - np.bincount(gone, minlength=placement.brokers)
        in_racks[rows] = counts
    return in_racks, loads


def _may_keep(
    placement: Placement,
    broker: IntArray,
    kept: IntArray,
    counts: IntArray,
    low: IntArray,
    high: IntArray,
    count: IntArray,
) -> BoolArray:
    """Whether each partition may keep a broker, its racks being met by others afterwards."""
    rows = np.arange(len(broker))
    rack = np.where(broker >= 0, placement.rack_of[broker], 0)
    wanting = np.maximum(low - counts, 0).sum(axis=1)
    needed = wanting - (counts[rows, rack] < low[rows, rack])
    may: BoolArray = (broker >= 0) & (counts[rows, rack] < high[rows, rack])
    may &= kept + 1 + needed <= count
    return may


def _slots(placement: Placement, topic: IntArray, rack: IntArray, loads: IntArray) -> IntArray:
    """A slot (topic, rack, broker) for each place of a partition: the least loaded brokers take."""
    loads = loads.copy()
    parts = [np.empty((3, 0), np.int64)]
    kind, sizes = np.unique(topic * placement.racks + rack, return_counts=True)
    for item, slots in zip(kind.tolist(), sizes.tolist(), strict=True):
        brokers = placement.receivers_of(item % placement.racks)
        if not len(brokers):
            continue
        amount = fill(loads[brokers], placement.weight[brokers], slots)
        loads[brokers] += amount
        taker = np.repeat(brokers, amount)
        cells = np.full((2, slots), [[item // placement.racks], [item % placement.racks]])
        parts.append(np.concatenate([cells, taker[None]]))
    return np.concatenate(parts, axis=1)


def fill(loads: IntArray, weight: IntArray, slots: int) -> IntArray:
    """How many of some places each broker takes, so that loads become as even as they can."""
    low, high = 0, int((weight * (2 * (loads + slots) + 1)).max())
    while low < high:  # the least price at which all places are taken
        price = (low + high) // 2
        if _taken(loads, weight, price).sum() >= slots:
            high = price
        else:
            low = price + 1
    amount = _taken(loads, weight, low - 1)
    more = np.flatnonzero(_taken(loads, weight, low) > amount)
    amount[more[: slots - int(amount.sum())]] += 1
    return amount


def _taken(loads: IntArray, weight: IntArray, price: int) -> IntArray:
    """How many each takes while one more costs no more than the price."""
    taken: IntArray = np.maximum((price // weight + 1) // 2 - loads, 0)
    return taken
