"""Undo moves that plans don't need, in many groups at once."""

from __future__ import annotations

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted import undo_moves as of_one
from optimizer.solver.weighted.batched.tables import Assignments, Flags, Tables, packed


def undo_moves(tables: Tables, target: IntArray, level: IntArray) -> IntArray:
    """What `optimizer.solver.weighted.undo_moves` makes of each plan: exchanges are left to it."""
    assignments = Assignments(tables, target)
    rows = np.arange(len(tables))
    while len(rows):
        rows = rows[_any_back(assignments, rows, level)]
    for row in np.flatnonzero(_can_exchange(assignments, level)).tolist():
        partitions = int(tables.partitions[row])
        of_row = assignments.target[row, :partitions]
        assignments.target[row, :partitions] = of_one.undo_moves(
            tables.weighted_problem_of(row), of_row, int(level[row])
        )
    return assignments.target


def _any_back(assignments: Assignments, rows: IntArray, level: IntArray) -> Flags:
    """Give back what fits in with its owner, the lightest first; the rows in which anything did."""
    tables, target = assignments.tables, assignments.target[rows]
    owner = tables.owner[rows]
    moved, count = packed((owner != NOBODY) & (target != owner), tables.lightest[rows])
    any_back = np.zeros(len(rows), np.bool_)
    for at in range(moved.shape[1]):
        items = (count > at).nonzero()[0]
        row, partition = rows[items], moved[items, at]
        owner = tables.owner[row, partition]
        fits = assignments.loads[row, owner] + tables.weight[row, partition] <= level[row]
        row, partition, owner = row[fits], partition[fits], owner[fits]
        assignments.take(row, partition)
        assignments.give(row, partition, owner)
        any_back[items[fits]] = True
    return any_back


def _can_exchange(assignments: Assignments, level: IntArray) -> Flags:
    """Where a moved partition can be exchanged for one that its owner has of others."""
    tables, target = assignments.tables, assignments.target
    is_moved = (tables.owner != NOBODY) & (target != tables.owner)
    moved, count = packed(is_moved)
    foreign, others = packed((target >= 0) & (target != tables.owner))
    row = np.arange(len(tables))[:, None]
    owner, holder = tables.owner[row, moved], target[row, moved]
    there = (np.arange(moved.shape[1]) < count[:, None])[:, :, None]
    there = there & (np.arange(foreign.shape[1]) < others[:, None])[:, None, :]
    difference = tables.weight[row, moved][:, :, None] - tables.weight[row, foreign][:, None, :]
    room = level[:, None] - assignments.loads
    fits = there & (owner[:, :, None] == target[row, foreign][:, None, :])
    fits &= difference <= room[row, owner][:, :, None]
    fits &= -difference <= room[row, holder][:, :, None]
    found_any: Flags = fits.any(axis=(1, 2))
    return found_any
