"""Groups of about one size as tables, a row a group, and their assignments in the making."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from optimizer.model import GONE, NOBODY, Flags, IntArray, Reals, Weights
from optimizer.solver.weighted.problem import WeightedProblem

BEYOND = GONE
"""The owner where a row is longer than its group has partitions: it is nobody's, and stays so."""


@dataclass(frozen=True)
class Tables:
    """Groups in which everybody reads everything and is as strong as everybody else.

    `weight` and `owner` have a column a partition; partitions beyond a group's weigh 0 and have the
    owner BEYOND. `heaviest` and `lightest` have the partitions of each row by weight, equal ones in
    their order. `is_member` has a column a member. `partitions` and `members` tell how many there
    are of each. `by_number` is what a partition counts among members that are as full
    (`optimizer.solver.weighted.moves.placing.LeastFull`).
    """

    weight: IntArray
    owner: IntArray
    heaviest: IntArray
    lightest: IntArray
    is_member: Flags
    partitions: IntArray
    members: IntArray
    by_number: Reals

    @staticmethod
    def of(weight: IntArray, owner: IntArray, partitions: IntArray, members: IntArray) -> Tables:
        """The tables of groups whose rows are filled up as told above."""
        total = weight.sum(axis=1).astype(np.float64)
        return Tables(
            weight,
            owner,
            np.argsort(-weight, axis=1, kind="stable"),
            np.argsort(weight, axis=1, kind="stable"),
            np.arange(int(members.max())) < members[:, None],
            partitions,
            members,
            1e-9 * total / np.maximum(partitions, 1),
        )

    def __len__(self) -> int:
        return len(self.weight)

    def of_rows(self, rows: IntArray) -> Tables:
        """Some of the groups."""
        if len(rows) == len(self):
            return self
        return Tables(*(getattr(self, field.name)[rows] for field in fields(self)))

    def moves_of(self, target: IntArray) -> IntArray:
        """How many partitions an assignment of each group takes from their owners."""
        result: IntArray = np.count_nonzero((self.owner != NOBODY) & (target != self.owner), axis=1)
        return result

    def weighted_problem_of(self, row: int) -> WeightedProblem:
        """One group as the search for one sees it."""
        partitions, members = int(self.partitions[row]), int(self.members[row])
        weights = Weights(
            of_partition=self.weight[row, :partitions],
            capacity=np.ones(members, np.int64),
            parts=1,
            weight_unit=1.0,
            capacity_unit=1.0,
            raw_capacity=np.ones(members),
            known_share=1.0,
        )
        return WeightedProblem(
            np.zeros(partitions, np.int64),
            np.ones((1, members), np.bool_),
            weights,
            self.owner[row, :partitions],
        )


class Assignments:
    """An assignment of each group in the making, with the loads and numbers of its members."""

    def __init__(self, tables: Tables, target: IntArray) -> None:
        self.tables, self.target = tables, target.copy()
        rows, width = tables.is_member.shape
        held = target >= 0
        cells = (np.arange(rows)[:, None] * width + target)[held]
        # The sums have fewer than 53 bits, so reals are exact.
        sums = np.bincount(cells, tables.weight[held], rows * width)
        self.loads = sums.astype(np.int64).reshape(rows, width)
        self.counts = np.bincount(cells, minlength=rows * width).reshape(rows, width)

    @property
    def highest(self) -> IntArray:
        """The highest load of each group."""
        result: IntArray = self.loads.max(axis=1)
        return result

    def least_full(self, rows: IntArray, weight: IntArray) -> tuple[Reals, IntArray]:
        """What load the least full member of each row has with so much more, and the member."""
        tables = self.tables
        levels = (self.loads[rows] + weight[:, None]) * 1.0
        order = levels + self.counts[rows] * tables.by_number[rows, None]
        order[~tables.is_member[rows]] = np.inf
        at = order.argmin(axis=1)
        return levels[np.arange(len(rows)), at], at

    def give(self, rows: IntArray, partition: IntArray, member: IntArray) -> None:
        """Let a member of each row have a partition that nobody has."""
        self.loads[rows, member] += self.tables.weight[rows, partition]
        self.counts[rows, member] += 1
        self.target[rows, partition] = member

    def take(self, rows: IntArray, partition: IntArray) -> None:
        """Let a partition of each row be nobody's."""
        member = self.target[rows, partition]
        self.loads[rows, member] -= self.tables.weight[rows, partition]
        self.counts[rows, member] -= 1
        self.target[rows, partition] = NOBODY

    def place(self, rows: IntArray, partition: IntArray, level: IntArray) -> Flags:
        """Give a partition of each row to its least full member, if it fits there; where it did."""
        load, member = self.least_full(rows, self.tables.weight[rows, partition])
        fits: Flags = load <= level
        self.give(rows[fits], partition[fits], member[fits])
        return fits


def packed(selected: Flags, order: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """The columns that are chosen in each row, in some order, from the left; and how many.

    `order` has the columns of each row in that order; without it they stay in theirs.
    """
    count = np.count_nonzero(selected, axis=1)
    width = int(count.max(initial=0))
    if order is None:
        return np.argsort(~selected, axis=1, kind="stable")[:, :width], count
    first = np.argsort(~np.take_along_axis(selected, order, 1), axis=1, kind="stable")[:, :width]
    return np.take_along_axis(order, first, 1), count
