"""Plans by weight of many homogeneous groups, and the bounds that they have."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    BY_ALL,
    BY_NUMBERS,
    BY_ONE,
    NOBODY,
    Flags,
    Goals,
    IntArray,
    WeighedGroups,
)
from optimizer.solver.weighted.batched.even_out import evened_out
from optimizer.solver.weighted.batched.relief import relieved
from optimizer.solver.weighted.batched.tables import BEYOND, Assignments, Tables
from optimizer.solver.weighted.moves.undo_moves import undo_moves
from optimizer.solver.weighted.search import EFFORTS, Effort

MOST_PARTITIONS, MOST_MEMBERS = 256, 64
"""Larger groups are searched one by one, which takes them no longer."""

FEWEST = 8
"""So are fewer groups of about one size."""

WIDEST = 2_000_000
"""Pairs of partitions of groups that are searched together."""


class BatchResult(NamedTuple):
    """A member for each partition, and for each group whether it was solved, and its bound.

    Partitions of a group that wasn't solved are its first member's. No plan is below `level`;
    `shown` tells what shows it, as `optimizer.model.BY_ALL`.
    """

    target: IntArray
    solved: Flags
    level: IntArray
    shown: IntArray


def solve_many_by_weight(weighed: WeighedGroups, goals: Goals) -> BatchResult:
    """What `solve_by_weight` finds in each group, where what finds the plans of most does.

    Limits, budgets and a least gain of the goals aren't examined.
    """
    groups = weighed.groups
    count = len(groups)
    target = groups.member_offsets[groups.of_partition]
    solved, level = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    shown = np.zeros(count, np.int64)
    for selection in _alike(weighed):
        tables, place = _tables(weighed, selection)
        result, is_found, level[selection], shown[selection] = _solved(
            tables, goals.tolerance, EFFORTS[goals.effort]
        )
        solved[selection] = is_found
        is_there = is_found[:, None] & (tables.owner != BEYOND)
        first = groups.member_offsets[selection]
        target[place[is_there]] = (result + first[:, None])[is_there]
    return BatchResult(target, solved, level, shown)


def _alike(weighed: WeighedGroups) -> Iterator[IntArray]:
    """Groups of about one size, as many as are searched together."""
    groups = weighed.groups
    partitions, members = np.diff(groups.partition_offsets), np.diff(groups.member_offsets)
    first = groups.partition_offsets[:-1]
    may = (partitions <= MOST_PARTITIONS) & (members <= MOST_MEMBERS)
    may &= np.maximum.reduceat(groups.owner, first) >= 0
    sizes = np.frexp(partitions)[1] * 64 + np.frexp(members)[1]
    for size in np.unique(sizes[may]).tolist():
        alike = np.flatnonzero(may & (sizes == size))
        most = max(FEWEST, WIDEST // int(partitions[alike].max()) ** 2)
        for start in range(0, len(alike), most):
            if len(alike) - start >= FEWEST:
                yield alike[start : start + most]


def _tables(weighed: WeighedGroups, indices: IntArray) -> tuple[Tables, IntArray]:
    """Some groups as tables, and which partition each entry is."""
    groups = weighed.groups
    partitions = np.diff(groups.partition_offsets)[indices]
    members = np.diff(groups.member_offsets)[indices]
    column = np.arange(int(partitions.max()))
    is_there = column < partitions[:, None]
    place = np.where(is_there, groups.partition_offsets[indices][:, None] + column, 0)
    of_group = groups.owner[place] - groups.member_offsets[indices][:, None]
    owner = np.where(groups.owner[place] == NOBODY, NOBODY, of_group)
    weight = np.where(is_there, weighed.weight[place], 0)
    return Tables.of(weight, np.where(is_there, owner, BEYOND), partitions, members), place


def _solved(
    tables: Tables, tolerance: float, effort: Effort
) -> tuple[IntArray, Flags, IntArray, IntArray]:
    bound, shown = _simple_bound(tables)
    level = _raised(bound, tolerance)
    target, is_found = relieved(tables, level)
    target = _undone(tables, target, level)
    reached = Assignments(tables, target).highest
    is_found &= reached <= level
    poor = reached > _raised(bound, effort.enough)
    counted = np.where(poor, np.minimum(reached, _counted_bound(tables)), 0)
    bound, shown = np.maximum(bound, counted), np.where(counted > bound, BY_NUMBERS, shown)
    level = np.maximum(reached, _raised(bound, tolerance))
    may = is_found[:, None] & ((tables.owner == NOBODY) | (target != tables.owner))
    target = evened_out(tables, target, level, may, effort.enough)
    return target, is_found, bound, shown


def _undone(tables: Tables, target: IntArray, level: IntArray) -> IntArray:
    """What `undo_moves` makes of each plan that moves anything."""
    for row in np.flatnonzero(tables.moves_of(target)).tolist():
        problem = tables.weighted_problem_of(row)
        of_row = target[row, : int(tables.partitions[row])]
        of_row[:] = undo_moves(problem, of_row, int(level[row]))
    return target


def _simple_bound(tables: Tables) -> tuple[IntArray, IntArray]:
    """The load of the heaviest partition, or a fair share of all; and which of them it is."""
    heaviest = tables.weight.max(axis=1)
    fair = -(-tables.weight.sum(axis=1) // tables.members)
    return np.maximum(heaviest, fair), np.where(fair > heaviest, BY_ALL, BY_ONE)


def _counted_bound(tables: Tables) -> IntArray:
    """The least weight of some member: of the lightest partitions, as many as one has to have."""
    most = -(-tables.partitions // tables.members)
    beyond = tables.weight.shape[1] - tables.partitions
    ascending = np.take_along_axis(tables.weight, tables.heaviest, 1)[:, ::-1]
    result: IntArray = ascending.cumsum(axis=1)[np.arange(len(tables)), beyond + most - 1]
    return result


def _raised(level: IntArray, share: float) -> IntArray:
    """Levels raised by a share of themselves."""
    result: IntArray = level + np.floor(level * share).astype(np.int64)
    return result
