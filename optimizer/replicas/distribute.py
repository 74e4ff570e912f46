"""From what flows through cells to brokers of single partitions."""

import numpy as np

from optimizer.replicas.arrays import NOBODY, BoolArray, IntArray, has, ranks_in_runs
from optimizer.replicas.cells import Cells
from optimizer.replicas.network import CellFlow
from optimizer.replicas.placement import Placement

ROUNDS = 100
"""So often those that don't fit are swapped with others; a few more are left to single changes."""


def distribute(placement: Placement, cells: Cells, flow: CellFlow) -> IntArray:
    """Brokers of each partition (P, width), as they flow; sound, and nearly always of that cost."""
    selection = ReplicaRows(placement)
    quota = placement.low + _beyond(placement, cells, flow)
    for rack in range(placement.racks):
        _keep(selection, cells, flow, rack, quota)
    quota_cells = np.nonzero(quota)
    partition = np.repeat(quota_cells[0], quota[quota_cells])
    rack_of_cell = np.repeat(quota_cells[1], quota[quota_cells])
    topic, rack, broker, amount = flow.pool.T
    give(selection, partition, rack_of_cell, np.repeat(np.stack([topic, rack, broker]), amount, 1))
    return selection.rows


class ReplicaRows:
    """Rows of brokers that are filled up from the left."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.rows = np.full((placement.partitions, placement.width), NOBODY)
        self.filled = np.zeros(placement.partitions, np.int64)

    def add(self, partition: IntArray, broker: IntArray) -> None:
        """Give each of some different partitions a broker."""
        self.rows[partition, self.filled[partition]] = broker
        self.filled[partition] += 1


def _beyond(placement: Placement, cells: Cells, flow: CellFlow) -> IntArray:
    """Which partitions get one more than the least in which rack: dealt to each class in turn."""
    beyond = np.zeros((placement.partitions, placement.racks), np.int64)
    rows = np.flatnonzero(cells.partition_class >= 0)
    if not len(rows):
        return beyond
    classes = cells.partition_class[rows]
    order = np.argsort(classes, kind="stable")
    rows, classes = rows[order], classes[order]
    position = ranks_in_runs(classes)
    size = np.bincount(classes)[classes]
    start = np.zeros(len(rows), np.int64)
    for rack in range(placement.racks):
        cell = cells.of[rows, rack]
        amount = np.where(cell >= 0, flow.beyond[cell], 0)
        beyond[rows, rack] = (position - start) % size < amount
        start = start + amount
    return beyond


def _keep(selection: ReplicaRows, cells: Cells, flow: CellFlow, rack: int, quota: IntArray) -> None:
    """Give each listed broker's places in a cell to the partitions with most places left."""
    rows = np.flatnonzero(cells.of[:, rack] >= 0)
    cell = cells.of[rows, rack]
    for column in range(cells.listed.shape[1]):
        amount = flow.kept[:, column]
        mask = amount[cell] > 0
        if not mask.any():
            continue
        here, of = rows[mask], cell[mask]
        whole = amount[of] == cells.size[of]
        taking = [here[whole]]
        part, of_part = here[~whole], of[~whole]
        order = np.lexsort((part, -quota[part, rack], of_part))
        first = ranks_in_runs(of_part[order]) < amount[of_part[order]]
        taking.append(part[order[first]])
        partition = np.concatenate(taking)
        selection.add(partition, cells.listed[cells.of[partition, rack], column])
        quota[partition, rack] -= 1


def give(selection: ReplicaRows, partition: IntArray, rack: IntArray, slots: IntArray) -> None:
    """Fill places of partitions in racks with slots (topic, rack, broker), as many of each kind.

    Slots are shuffled; a place whose slot it can't take swaps with another one of its kind until
    both can. What is left over takes any broker of the rack that it can.
    """
    if not len(partition):
        return
    placement = selection.placement
    draw = np.random.default_rng(len(partition))
    kind = placement.topic[partition] * placement.racks + rack
    order = np.argsort(kind, kind="stable")
    partition, kind, rack = partition[order], kind[order], rack[order]
    shuffled = draw.permutation(slots.shape[1])
    kind_of_slot = (slots[0] * placement.racks + slots[1])[shuffled]
    broker = slots[2][shuffled][np.argsort(kind_of_slot, kind="stable")]
    first = np.flatnonzero(np.diff(kind, prepend=-1))
    sizes = np.diff(np.append(first, len(kind)))
    run = np.repeat(np.arange(len(first)), sizes)
    matching = _Matching(selection, partition, broker)
    for _ in range(ROUNDS):
        wrong = np.flatnonzero(~matching.fits(np.arange(len(partition)), broker))
        if not len(wrong):
            break
        other = first[run[wrong]] + (draw.random(len(wrong)) * sizes[run[wrong]]).astype(np.int64)
        matching.swap(wrong, other)
    fit = matching.fits(np.arange(len(partition)), broker)
    _add_all(selection, partition[fit], broker[fit])
    for item, its_rack in zip(partition[~fit].tolist(), rack[~fit].tolist(), strict=True):
        _add_any(selection, item, its_rack)


class _Matching:
    """Places of partitions and the broker that each has been dealt."""

    def __init__(self, selection: ReplicaRows, partition: IntArray, broker: IntArray) -> None:
        self.partition, self.broker = partition, broker
        self.taken = selection.rows[partition]
        order = np.argsort(partition, kind="stable")
        self.sisters = self._sisters(order)

    def _sisters(self, order: IntArray) -> IntArray:
        """The other places of each place's partition that come before it; -1 where none is."""
        rank = ranks_in_runs(self.partition[order])
        most = int(rank.max(initial=0))
        sisters = np.full((len(order), max(most, 1)), -1)
        for back in range(1, most + 1):
            at = np.flatnonzero(rank >= back)
            sisters[order[at], back - 1] = order[at - back]
        return sisters

    def fits(self, place: IntArray, broker: IntArray) -> BoolArray:
        """Whether each place can take a broker, sisters that come before it having theirs."""
        taken = has(self.taken[place], broker)
        sisters = self.sisters[place]
        same = (self.broker[sisters] == broker[:, None]) & (sisters >= 0)
        fits: BoolArray = ~taken & ~same.any(axis=1)
        return fits

    def swap(self, left: IntArray, right: IntArray) -> None:
        """Swap brokers of pairs of places; a place is in one pair only, the first of its pairs."""
        both = np.concatenate([left, right])
        first = np.zeros(len(both), np.bool_)
        first[np.unique(both, return_index=True)[1]] = True
        alone = first[: len(left)] & first[len(left) :]
        left, right = left[alone], right[alone]
        good = ~has(self.taken[left], self.broker[right]) & ~has(
            self.taken[right], self.broker[left]
        )
        left, right = left[good], right[good]
        self.broker[left], self.broker[right] = self.broker[right], self.broker[left]


def _add_all(selection: ReplicaRows, partition: IntArray, broker: IntArray) -> None:
    order = np.argsort(partition, kind="stable")
    partition, broker = partition[order], broker[order]
    rank = ranks_in_runs(partition)
    for item in range(int(rank.max(initial=-1)) + 1):
        selection.add(partition[rank == item], broker[rank == item])


def _add_any(selection: ReplicaRows, partition: int, rack: int) -> None:
    """Give a partition the first candidate of a rack that it hasn't."""
    placement = selection.placement
    listed = placement.listed[partition]
    here = listed[(listed >= 0) & (placement.rack_of[listed] == rack)]
    candidates = np.concatenate([here, placement.receivers_of(rack)])
    free = candidates[~np.isin(candidates, selection.rows[partition])]
    selection.add(np.array([partition]), free[:1])
