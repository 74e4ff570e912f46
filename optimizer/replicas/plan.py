"""A plan of a cluster's replicas and leaders, and how it is made."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import NOBODY, BoolArray, IntArray
from optimizer.replicas.cluster import Cluster
from optimizer.replicas.goals import BYTES, ReplicaGoals
from optimizer.replicas.limited import balance_of, new_in, solve_within
from optimizer.replicas.numbering import LeftOut, NumberedCluster, in_scope, leadable, numbered
from optimizer.replicas.placement import Placement
from optimizer.replicas.prices import Prices, proves
from optimizer.replicas.problems import leader_placement, replica_placement
from optimizer.replicas.solve import solve
from optimizer.replicas.start import fill

OPTIMAL = "optimal"
OPTIMAL_FOR_SETS = "optimal for these replica sets"
BOUNDED = "close to optimal"
"""With few copies allowed: `Limit.bound` tells how close."""

NOT_PROVEN = "not proven"


class Change(NamedTuple):
    """A partition whose list of replicas changes: brokers' ids, the preferred leader first."""

    topic: str
    partition: int
    before: list[int]
    after: list[int]


@dataclass(frozen=True)
class Proof:
    """Prices of brokers for replicas and for leaders, which show that nothing is better."""

    replicas: Prices | None
    leaders: Prices


class Limit(NamedTuple):
    """What at most that many copies leave of the balance.

    `balance` is the plan's Σ replicas² of brokers (by capacity weighted), `best` what it would be
    with as many copies as it takes, and no plan with so few is below `bound`.
    """

    copies: int
    balance: int
    best: int
    bound: int | None

    @property
    def is_reached(self) -> bool:
        return self.bound == self.balance


@dataclass(frozen=True)
class ReplicaPlan:
    """Where replicas and leaders go.

    `after` (P, F) are indexes of `cluster.brokers` in the order that Kafka is given, for partitions
    in the order of `cluster.partitions`; so is `cluster.replicas` of before. `optimal` says what is
    proven: OPTIMAL, OPTIMAL_FOR_SETS (replicas are, and leaders among these), BOUNDED or
    NOT_PROVEN. `limit` is there where a limit of copies kept balance from being at its best.
    """

    cluster: NumberedCluster
    goals: ReplicaGoals
    after: IntArray
    planned: IntArray
    left_out: list[LeftOut]
    notes: list[str]
    optimal: str
    proof: Proof
    limit: Limit | None = None

    @cached_property
    def replicas(self) -> dict[tuple[str, int], list[int]]:
        """Ids of brokers of every partition, the preferred leader first."""
        rows = self._ids(self.after)
        return {
            (partition.topic, partition.partition): row
            for partition, row in zip(self.cluster.partitions, rows, strict=True)
        }

    @cached_property
    def changes(self) -> list[Change]:
        """Partitions whose list changes, in order or in what is in it."""
        return list(self._changes())

    def _changes(self) -> Iterator[Change]:
        before, after = _same_width(self.cluster.replicas, self.after)
        rows = np.flatnonzero((before != after).any(axis=1))
        partitions = self.cluster.partitions
        for at, old, new in zip(
            rows.tolist(), self._ids(before[rows]), self._ids(after[rows]), strict=True
        ):
            yield Change(partitions[at].topic, partitions[at].partition, old, new)

    def _ids(self, rows: IntArray) -> list[list[int]]:
        ids = np.append(self.cluster.ids, NOBODY)[rows].tolist()
        return [[item for item in row if item != NOBODY] for row in ids]

    @cached_property
    def copied(self) -> BoolArray:
        """Which entries of `after` are new replicas, to be copied (P, F)."""
        new = self.after >= 0
        for column in self.cluster.replicas.T:
            new &= self.after != column[:, None]
        return new

    @property
    def copies(self) -> int:
        return int(self.copied.sum())

    @property
    def bytes_copied(self) -> int:
        """Where sizes aren't known, the mean of the others' is taken."""
        sizes = self.cluster.sizes()[0].astype(object)  # their sum may need more than 64 bits
        return int((self.copied.sum(axis=1) * sizes).sum())

    @property
    def leader_changes(self) -> int:
        """Partitions whose preferred leader changes."""
        return int((self.after[:, 0] != self.cluster.replicas[:, 0]).sum())


def plan_replicas(cluster: Cluster, goals: ReplicaGoals | None = None) -> ReplicaPlan:
    """The best plan there is for the goals, with its proof.

    Raises `InvalidClusterError` for a cluster that can't be, and `ReplicaGoalsError` where more
    copies are needed than the goals allow. Partitions for which nothing can be
    done stay as they are and are named in `left_out`.
    """
    goals = goals or ReplicaGoals()
    numbered_cluster = numbered(cluster)
    rows, left_out = (
        leadable(numbered_cluster) if goals.leaders_only else in_scope(numbered_cluster)
    )
    notes = list(numbered_cluster.notes)
    if BYTES in goals.levels and (unknown := numbered_cluster.sizes()[1]):
        notes.append(f"{unknown} partitions without a size are taken to be as large as the mean")
    limit = None
    if goals.leaders_only:
        sets, prices = None, None
        listed = numbered_cluster.kept[rows]
    else:
        problem = replica_placement(numbered_cluster, rows, goals)
        sets, prices = solve(problem)
        if problem.size_step > 1:
            notes.append(
                f"sizes count as multiples of {problem.size_step:,} bytes: 64 bits hold no finer "
                "ones beside the other goals"
            )
        if goals.most_copies is not None and new_in(problem, sets) > goals.most_copies:
            limited = solve_within(problem, goals.most_copies)
            best = balance_of(problem, sets)
            limit = Limit(goals.most_copies, limited.balance, best, limited.bound)
            sets, prices = limited.brokers, None
        listed = sets
    leading = leader_placement(numbered_cluster, rows, listed, goals)
    leaders, leader_prices = solve(leading)
    proven = proves(leading, leaders, leader_prices)
    if limit is not None:
        proven = proven and limit.bound is not None
    elif sets is not None and prices is not None:
        proven = proven and proves(problem, sets, prices)
    after = numbered_cluster.replicas
    if len(rows):
        selection = numbered_cluster.replicas[rows] if sets is None else sets
        after = _with_rows(
            after, rows, _ordered(numbered_cluster.replicas[rows], selection, leaders[:, 0])
        )
    claim, proof = _claim(proven, limit, leading, leaders), Proof(prices, leader_prices)
    return ReplicaPlan(numbered_cluster, goals, after, rows, left_out, notes, claim, proof, limit)


def _claim(proven: bool, limit: Limit | None, leading: Placement, leaders: IntArray) -> str:
    """What is proven of a plan. `OPTIMAL`: no replica sets would spread leaders better."""
    if not proven:
        return NOT_PROVEN
    if limit and not limit.is_reached:
        return BOUNDED
    used = leading.rack_of >= 0
    base = leading.base[used]
    even = base + fill(base, np.ones_like(base), len(leaders)) if used.any() else base
    reached = (leading.loads(leaders)[used] ** 2).sum() == (even**2).sum()
    return OPTIMAL if reached else OPTIMAL_FOR_SETS


def _ordered(before: IntArray, indices: IntArray, leaders: IntArray) -> IntArray:
    """Each row in the order that Kafka is given: leader, kept ones as before, new ones by id."""
    place = np.full(indices.shape, before.shape[1], np.int64)
    for at in range(before.shape[1] - 1, -1, -1):
        place[(indices == before[:, at : at + 1]) & (indices >= 0)] = at
    place[indices == leaders[:, None]] = -1
    place[indices < 0] = np.iinfo(np.int64).max
    order = np.lexsort((indices, place), axis=1)
    return np.take_along_axis(indices, order, 1)


def _same_width(number: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
    width = max(number.shape[1], other.shape[1])
    return _widened(number, width), _widened(other, width)


def _widened(rows: IntArray, width: int) -> IntArray:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=NOBODY)


def _with_rows(rows: IntArray, at: IntArray, replaced: IntArray) -> IntArray:
    rows, replaced = _same_width(rows, replaced)
    rows = rows.copy()
    rows[at] = replaced
    return rows
