"""A plan of a cluster's replicas and leaders, and how it is made."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.replicas.cluster import BYTES, Cluster, ReplicaGoals, ReplicaGoalsError
from optimizer.replicas.cycles import cheapest_exchanges, exchange
from optimizer.replicas.levels import leader_placement, replica_placement
from optimizer.replicas.numbering import (
    NOBODY,
    BoolArray,
    IntArray,
    LeftOut,
    NumberedCluster,
    in_scope,
    number_cluster,
)
from optimizer.replicas.placement import Placement, without
from optimizer.replicas.solve import solve

FINE = 24
"""Parts of a unit to which prices differ: halves, thirds and quarters lie between them."""


class CopyLimit(NamedTuple):
    """The balance that a limit of copies leaves.

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


def solve_within(problem: Placement, copies: int, best: int) -> tuple[IntArray, CopyLimit]:
    """The best choice with at most that many copies; ReplicaGoalsError where more are needed."""
    search = _CopySearch(problem, copies)
    choice = search.best()
    return choice, CopyLimit(copies, problem.balance(choice), best, search.bound)


class _CopySearch:
    def __init__(self, problem: Placement, copies: int) -> None:
        self.problem, self.copies = problem, copies
        self.cheapest: IntArray | None = None
        self.last: IntArray | None = None
        self.bound: int | None = None
        self.rank = np.random.default_rng(problem.partitions).permutation(problem.partitions)

    def best(self) -> IntArray:
        problem = self.problem
        load = int(problem.loads(problem.listed).sum() + problem.count.sum())
        most = 2 * int(problem.weight.max(initial=1)) * (2 * load + 2) + 1
        least = self._copies_at(most * problem.brokers, 1)
        if least > self.copies:
            raise ReplicaGoalsError(
                f"at least {least} copies are needed, and at most "
                f"{self.copies} are allowed: allow more, or choose fewer topics"
            )
        dear = 1
        while self._copies_at(dear, 2 * FINE) > self.copies:
            dear *= 2
        price = _first(
            dear // 2 - 1,
            dear,
            # halfway between two prices that may be ties
            lambda price: self._copies_at(price | 1, 2 * FINE) <= self.copies,
        )
        self._distribute((price | 1) - 1)
        assert self.cheapest is not None
        return self._spend_rest(self.cheapest)

    def _spend_rest(self, choice: IntArray) -> IntArray:
        """The choice after exchanges by which balance gains, for the copies that are left."""
        problem = self.problem
        counted = replace(
            problem,
            listed_cost=np.zeros_like(problem.listed_cost),
            new_cost=np.ones_like(problem.new_cost),
        )
        choice, left = choice.copy(), self.copies - problem.new_in(choice)
        loads, weight = problem.loads(choice), problem.weight
        while True:
            swaps = cheapest_exchanges(counted, choice)
            giver, taker = swaps.giver % problem.brokers, swaps.taker % problem.brokers
            gain = weight[giver] * (2 * loads[giver] - 1) - weight[taker] * (2 * loads[taker] + 1)
            gain = np.where(swaps.cost <= left, gain, 0)
            if gain.max(initial=0) <= 0:
                return choice
            at = int(gain.argmax())
            exchange(choice, swaps.partition[[at]], giver[[at]], taker[[at]])
            loads[giver[at]] -= 1
            loads[taker[at]] += 1
            left -= int(swaps.cost[at])

    def _distribute(self, price: int) -> None:
        """Let a copy of more and more partitions be dearer than that, of the others cheaper."""
        scale = 2 * self.copies + 1

        def few_enough(count: int) -> bool:
            costs = np.where(self.rank < count, price * scale + 1, price * scale - 1)
            return self._solve_at(np.maximum(costs, 0), 2 * FINE * scale) <= self.copies

        _first(0, self.problem.partitions, few_enough)

    def _copies_at(self, price: int, load_weight: int) -> int:
        return self._solve_at(np.full(self.problem.partitions, price), load_weight)

    def _solve_at(self, costs: IntArray, load_weight: int) -> int:
        """The copies of the best choice at these prices, which is kept if it is better."""
        priced = replace(self.problem, new_cost=costs, load_weight=load_weight)
        self.last, proven = solve(priced, self.last)
        copies, balance = priced.new_in(self.last), priced.balance(self.last)
        if proven:
            above = int(priced.costs_of(self.last).sum()) - int(costs.max(initial=0)) * self.copies
            bound = balance - (-above // load_weight)  # rounded up: balances are whole numbers
            self.bound = bound if self.bound is None else max(self.bound, bound)
        if copies <= self.copies and (
            self.cheapest is None or balance < priced.balance(self.cheapest)
        ):
            self.cheapest = self.last
        return copies


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number above `low` of which it holds; it does of `high`."""
    return low + 1 + bisect_left(range(low + 1, high), True, key=holds)


OPTIMAL = "optimal"
OPTIMAL_FOR_SETS = "optimal for these replica sets"
BOUNDED = "close to optimal"
"""With few copies allowed: `Limit.bound` tells how close."""

NOT_PROVEN = "not proven"


class ReplicaChange(NamedTuple):
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
    limit: CopyLimit | None = None

    @cached_property
    def replicas(self) -> dict[tuple[str, int], list[int]]:
        """Ids of brokers of every partition, the preferred leader first."""
        return dict(zip(self.cluster.names, self._ids(self.after), strict=True))

    @cached_property
    def changes(self) -> list[ReplicaChange]:
        """Partitions whose list changes, in order or in what is in it."""
        before, after = self.cluster.replicas, self.after
        rows = np.flatnonzero((before != after).any(axis=1))
        return [
            ReplicaChange(*self.cluster.names[at], old, new)
            for at, old, new in zip(
                rows.tolist(), self._ids(before[rows]), self._ids(after[rows]), strict=True
            )
        ]

    def _ids(self, rows: IntArray) -> list[list[int]]:
        ids = np.append(self.cluster.ids, NOBODY)[rows].tolist()
        return [[broker for broker in row if broker != NOBODY] for row in ids]

    @cached_property
    def copied(self) -> BoolArray:
        """Entries of `after` that are new replicas, to be copied (P, F)."""
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
    cluster.check()
    arrays = number_cluster(cluster)
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
    after[rows, : lists.shape[1]] = _in_order_of_kafka(arrays.replicas[rows], lists, leaders)
    return ReplicaPlan(arrays, goals, after, rows, left_out, notes, claim, limit)


def _claim(proven: bool, limit: CopyLimit | None, leading: Placement, leaders: IntArray) -> str:
    """The proof that a plan has. `OPTIMAL`: no replica sets would spread leaders better."""
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


def _in_order_of_kafka(before: IntArray, sets: IntArray, leaders: IntArray) -> IntArray:
    """Each row in the order that Kafka is given: leader, kept ones as before, new ones by id."""
    rank = np.full(sets.shape, before.shape[1], np.int64)
    for at, broker in reversed([*enumerate(before.T)]):
        rank[(sets == broker[:, None]) & (sets >= 0)] = at
    rank[sets == leaders] = -1
    rank[sets < 0] = np.iinfo(np.int64).max
    return np.take_along_axis(sets, np.lexsort((sets, rank), axis=1), 1)
