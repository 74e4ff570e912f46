"""A plan of a cluster's replicas and leaders, and how it is made."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.replicas.cluster import Cluster
from optimizer.replicas.goals import BYTES, ReplicaGoals
from optimizer.replicas.levels import leader_placement, replica_placement
from optimizer.replicas.limited import Limit, solve_within
from optimizer.replicas.numbering import (
    NOBODY,
    BoolArray,
    IntArray,
    LeftOut,
    NumberedCluster,
    in_scope,
    numbered,
)
from optimizer.replicas.placement import Placement, without
from optimizer.replicas.solve import solve

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
    limit: Limit | None = None

    @cached_property
    def replicas(self) -> dict[tuple[str, int], list[int]]:
        """Ids of brokers of every partition, the preferred leader first."""
        return dict(zip(self.cluster.names, self._ids(self.after), strict=True))

    @cached_property
    def changes(self) -> list[Change]:
        """Partitions whose list changes, in order or in what is in it."""
        before, after = self.cluster.replicas, self.after
        rows = np.flatnonzero((before != after).any(axis=1))
        return [
            Change(*self.cluster.names[at], old, new)
            for at, old, new in zip(
                rows.tolist(), self._ids(before[rows]), self._ids(after[rows]), strict=True
            )
        ]

    def _ids(self, rows: IntArray) -> list[list[int]]:
        ids = np.append(self.cluster.ids, NOBODY)[rows].tolist()
        return [[item for item in row if item != NOBODY] for row in ids]

    @cached_property
    def copied(self) -> BoolArray:
        """Which entries of `after` are new replicas, to be copied (P, F)."""
        return without(self.after, self.cluster.replicas)

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
    arrays = numbered(cluster)
    rows, left_out = in_scope(arrays, goals.leaders_only)
    notes = [*arrays.notes]
    if BYTES in goals.levels and (unknown := arrays.sizes()[1]):
        notes.append(f"{unknown} partitions without a size are taken to be as large as the mean")
    sets, proven, limit = arrays.kept[rows], True, None
    if not goals.leaders_only:
        problem = replica_placement(arrays, rows, goals)
        sets, proven = solve(problem)
        if problem.size_step > 1:
            notes.append(
                f"sizes count as multiples of {problem.size_step:,} bytes: 64 bits hold no finer "
                "ones beside the other goals"
            )
        if goals.most_copies is not None and problem.new_in(sets) > goals.most_copies:
            sets, limit = solve_within(problem, goals.most_copies, problem.balance(sets))
            proven = limit.bound is not None
    leading = leader_placement(arrays, rows, sets, goals)
    leaders, is_led_best = solve(leading)
    claim = _claim(proven and is_led_best, limit, leading, leaders)
    lists = arrays.replicas[rows] if goals.leaders_only else sets
    after = arrays.replicas.copy()
    after[rows] = NOBODY
    after[rows, : lists.shape[1]] = _ordered(arrays.replicas[rows], lists, leaders)
    return ReplicaPlan(arrays, goals, after, rows, left_out, notes, claim, limit)


def _claim(proven: bool, limit: Limit | None, leading: Placement, leaders: IntArray) -> str:
    """What is proven of a plan. `OPTIMAL`: no replica sets would spread leaders better."""
    if not proven:
        return NOT_PROVEN
    if limit and not limit.is_reached:
        return BOUNDED
    loads = np.vstack([leading.topic_loads(leaders), leading.loads(leaders)])
    before = np.vstack([leading.topic_base, leading.base])
    used = leading.rack_of >= 0
    highest = np.where(used & (loads > before), loads, 0).max(axis=1, initial=0)
    lowest = np.where(used, loads, highest[:, None]).min(axis=1, initial=len(leaders))
    return OPTIMAL if (highest <= lowest + 1).all() else OPTIMAL_FOR_SETS


def _ordered(before: IntArray, sets: IntArray, leaders: IntArray) -> IntArray:
    """Each row in the order that Kafka is given: leader, kept ones as before, new ones by id."""
    rank = np.full(sets.shape, before.shape[1], np.int64)
    for at, broker in reversed([*enumerate(before.T)]):
        rank[(sets == broker[:, None]) & (sets >= 0)] = at
    rank[sets == leaders] = -1
    rank[sets < 0] = np.iinfo(np.int64).max
    return np.take_along_axis(sets, np.lexsort((sets, rank), axis=1), 1)
