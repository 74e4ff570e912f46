"""Partitions that are alike, taken together: what the flow goes through.

A cell is some partitions of one class in one rack. Where the racks leave no choice (a shape whose
least and most are the same) racks have nothing to do with each other, and a cell is all partitions
that list the same brokers of that rack.
"""

from dataclasses import dataclass

import numpy as np

from optimizer.replicas.arrays import NOBODY, IntArray, row_numbers
from optimizer.replicas.placement import Placement


@dataclass(frozen=True)
class Cells:
    """Cells in the order of their numbers; `of` has each partition's, one a rack (-1: none).

    `listed` and `listed_cost` (cells, K) are the brokers of the rack that the partitions list. A
    cell takes `low` to `high` brokers for each of its `size` partitions; those of `class_of` -1
    have no choice in that, the others take `spare` for each partition in all racks together
    beyond `low`, which is each class's.
    """

    of: IntArray  # (P, R)
    size: IntArray
    rack: IntArray
    topic: IntArray
    listed: IntArray
    listed_cost: IntArray
    new_cost: IntArray
    low: IntArray
    high: IntArray
    class_of: IntArray
    spare: IntArray  # by class
    partition_class: IntArray  # (P,)


def cells_of(placement: Placement) -> Cells:
    """The cells of all partitions."""
    fixed = (placement.shape_low == placement.shape_high).all(axis=1)[placement.shape]
    partition_class, spare = _classes(placement, fixed)
    parts: list[tuple[IntArray, ...]] = []
    of = np.full((placement.partitions, placement.racks), -1)
    first = 0
    for rack in range(placement.racks):
        rows = np.flatnonzero(placement.high[:, rack] > 0)
        if not len(rows):
            continue
        listed, cost = _in_rack(placement, rack, rows)
        columns = [*listed.T, *cost.T, placement.topic[rows], placement.new_cost[rows]]
        shape = placement.shape[rows]
        number, count = row_numbers([partition_class[rows], shape, *columns])
        example = np.empty(count, np.int64)
        example[number] = np.arange(len(rows))
        of[rows, rack] = first + number
        item = rows[example]
        parts.append(
            (
                np.bincount(number, minlength=count),
                np.full(count, rack),
                placement.topic[item],
                listed[example],
                cost[example],
                placement.new_cost[item],
                placement.low[item, rack],
                placement.high[item, rack],
                partition_class[item],
            )
        )
        first += count
    size, racks, topic, listed, cost, new_cost, low, high, class_of = map(
        np.concatenate, zip(*parts, strict=True)
    )
    return Cells(
        *(of, size, racks, topic, listed, cost, new_cost, low, high, class_of),
        spare=spare,
        partition_class=partition_class,
    )


def _classes(placement: Placement, fixed: IntArray) -> tuple[IntArray, IntArray]:
    """The class of each partition with a choice of racks, and what a class takes beyond low."""
    of = np.full(placement.partitions, -1)
    free = np.flatnonzero(~fixed)
    if not len(free):
        return of, np.empty(0, np.int64)
    order = np.argsort(placement.listed[free], axis=1, kind="stable")
    listed = np.take_along_axis(placement.listed[free], order, 1)
    cost = np.take_along_axis(placement.listed_cost[free], order, 1)
    number, count = row_numbers(
        [
            placement.shape[free],
            *listed.T,
            *np.where(listed >= 0, cost, 0).T,
            placement.topic[free],
            placement.new_cost[free],
        ]
    )
    of[free] = number
    beyond = (placement.shape_count - placement.shape_low.sum(axis=1))[placement.shape[free]]
    spare = np.bincount(number, weights=beyond, minlength=count).astype(np.int64)
    return of, spare


def _in_rack(placement: Placement, rack: int, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The brokers of a rack that each partition lists, first of all columns, and their costs."""
    here = placement.listed_rack[rows] == rack
    listed = np.where(here, placement.listed[rows], placement.brokers)
    order = np.argsort(listed, axis=1, kind="stable")
    listed = np.take_along_axis(listed, order, 1)
    is_broker = listed < placement.brokers
    cost = np.take_along_axis(placement.listed_cost[rows], order, 1)
    return np.where(is_broker, listed, NOBODY), np.where(is_broker, cost, 0)
