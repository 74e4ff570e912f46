"""Partitions that go to the same member together: groups in which such a unit is a partition."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optimizer.model.arrays import Flags, IntArray
from optimizer.model.goals import Goals
from optimizer.model.limits import LimitSet, is_about, limits_of
from optimizer.model.problem import NOBODY, Problem, once_a_problem
from optimizer.model.weights import weights_of


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a group whose limits have a `copartition`.

    `of_partition` has the unit of each partition, -1 where nobody subscribes to its topic; `first`
    a partition of each unit. `sizes` is how many partitions each has. `problem` has the units for
    partitions: those of the same topics and limits are a topic of it, which they may read who read
    all of them and whom pins and exclusions allow; `weights` are their sums. A unit's owner is who
    owns most of it and may keep it; `is_owned_whole`: none that has an owner has anything that the
    owner doesn't own.
    """

    of_partition: IntArray
    first: IntArray
    sizes: IntArray
    problem: Problem
    is_owned_whole: bool

    @cached_property
    def size(self) -> int | None:
        """The size of all units, if they have the same."""
        sizes = np.unique(self.sizes)
        return int(sizes[0]) if len(sizes) == 1 else None

    def expand(self, target: IntArray) -> IntArray:
        """An assignment of partitions from one of units."""
        return np.append(target, NOBODY)[self.of_partition]

    def collapse(self, target: IntArray) -> IntArray:
        """An assignment of units, by the first partition of each."""
        return target[self.first]

    def by_count(self) -> Problem:
        """The units as partitions that weigh what they have in number."""
        return replace(self.problem, weights=self.sizes.astype(np.float64), capacities=None)

    def goals(self, goals: Goals) -> Goals:
        """The goals of the group, for units; the largest unit tells how many may move."""
        budget = goals.budget(int(self.sizes.sum()))
        return replace(
            goals,
            rack=None,
            levels=("moves",),
            max_moves=None if budget is None else budget // int(self.sizes.max(initial=1)),
            pin=(),
            exclude=(),
            copartition=(),
            max_partitions=tuple(
                replace(limit, most=int(limit.most or 0) // (self.size or 1))
                for limit in goals.max_partitions
            ),
        )

    def goals_by_count(self, goals: Goals) -> Goals:
        """The goals for `by_count`: how many is how heavy."""
        return replace(
            self.goals(goals),
            balance="weight",
            tolerance=0.0,
            max_weight=goals.max_partitions,
            max_partitions=(),
        )


@dataclass(frozen=True, eq=False)
class UnitProblem(Problem):
    """A group of units; each has its partitions as its name."""

    unit_names: Sequence[str] = ()

    def partition_name(self, partition: int) -> str:
        return self.unit_names[partition]


@once_a_problem
def units_of(problem: Problem, limit_set: LimitSet) -> Units:
    """The units of a group."""
    members = len(problem.member_ids)
    reads = _reads(problem)
    limits = limits_of(problem, limit_set._replace(copartition=()))
    row_of = np.zeros(problem.partition_count, np.int64) if limits is None else limits.row_of
    allowed = np.ones((1, members), np.bool_) if limits is None else limits.allowed
    topic_groups = _topics_together(problem, limit_set)
    number = np.arange(problem.partition_count) - problem.topic_offsets[problem.topic_of]
    read = (reads.sum(axis=1) > 0)[problem.topic_of].nonzero()[0]
    key = topic_groups[problem.topic_of[read]] * (int(number.max(initial=0)) + 1) + number[read]
    _, unit = np.unique(key, return_inverse=True)
    parts: list[list[tuple[int, int]]] = [[] for _ in range(int(unit.max(initial=-1)) + 1)]
    topics, rows = problem.topic_of[read].tolist(), row_of[read].tolist()
    for at, topic, row in zip(unit.tolist(), topics, rows, strict=True):
        parts[at].append((topic, row))
    kinds = {kind: at for at, kind in enumerate(sorted({tuple(part) for part in parts}))}
    kind_of = np.array([kinds[tuple(part)] for part in parts], np.int64)
    order = np.argsort(kind_of, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    of_partition = np.full(problem.partition_count, -1)
    of_partition[read] = place[unit]
    may = np.array(
        [
            np.logical_and.reduce([reads[topic] & allowed[row] for topic, row in kind])
            for kind in kinds
        ],
        np.bool_,
    ).reshape(len(kinds), members)
    return _units(problem, of_partition, kind_of[order], may, _names(problem, list(kinds)))


def _topics_together(problem: Problem, limit_set: LimitSet) -> IntArray:
    """For each topic the first of those that it goes together with."""
    first = np.arange(len(problem.topics))
    for limit in limit_set.copartition:
        about = np.array([is_about(limit.topics, topic) for topic in problem.topics], np.bool_)
        joined = np.isin(first, first[about])
        first[joined] = first[joined].min(initial=len(first))
    return first


def _reads(problem: Problem) -> Flags:
    """Whether a topic (row) is read by a member (column)."""
    held = np.zeros((len(problem.topics), len(problem.subscriptions)), np.bool_)
    for at, topics in enumerate(problem.subscriptions):
        held[topics, at] = True
    return held[:, problem.member_subscription]


def _names(problem: Problem, kinds: Sequence[tuple[tuple[int, int], ...]]) -> list[str]:
    return [" and ".join(problem.topics[topic] for topic, _ in kind) for kind in kinds]


def _units(
    problem: Problem, of_partition: IntArray, kind_of: IntArray, may: Flags, names: list[str]
) -> Units:
    count, members = len(kind_of), len(problem.member_ids)
    read = (of_partition >= 0).nonzero()[0]
    unit = of_partition[read]
    first = read[np.unique(unit, return_index=True)[1]]
    subscribed, subscription = np.unique(may, axis=1, return_inverse=True)
    owner, owned = _owners(problem, of_partition, kind_of, may)
    sizes = np.bincount(unit, minlength=count)
    weights = weights_of(problem)
    weight = np.bincount(unit, weights.of_partition[read].astype(np.float64), count)
    reports: list[list[str]] = [[] for _ in range(count)]
    for p, at in zip(read.tolist(), unit.tolist(), strict=True):
        reports[at].append(problem.partition_name(p))
    units = UnitProblem(
        member_ids=problem.member_ids,
        topics=names,
        topic_offsets=np.append(0, np.bincount(kind_of, minlength=len(names)).cumsum()),
        member_subscription=subscription.reshape(-1)[:members],
        subscriptions=[column.nonzero()[0] for column in subscribed.T],
        owner=owner,
        racks=problem.racks,
        kafka=replace(problem.kafka, claims=None, topic_ids=None, vanished=None, beyond=None),
        hosts=problem.hosts,
        weights=np.asarray(weight * weights.weight_unit, np.float64),
        capacities=problem.capacities,
        unit_names=[" and ".join(partitions) for partitions in reports],
    )
    is_whole = bool((owned[owner != NOBODY] == sizes[owner != NOBODY]).all())
    return Units(of_partition, first, sizes, units, is_whole)


def _owners(
    problem: Problem, of_partition: IntArray, kind_of: IntArray, may: Flags
) -> tuple[IntArray, IntArray]:
    """The owner of most of each unit that may have it, the first of equals, and its share."""
    members, owner = len(problem.member_ids), np.full(len(kind_of), NOBODY)
    owned = ((of_partition >= 0) & (problem.owner >= 0)).nonzero()[0]
    owned = owned[may[kind_of[of_partition[owned]], problem.owner[owned]]]
    keys = of_partition[owned] * members + problem.owner[owned]
    keys, counts = np.unique(keys, return_counts=True)
    unit, member = np.divmod(keys, max(members, 1))
    order = np.lexsort((-member, counts))  # the last that is written counts
    owner[unit[order]] = member[order]
    most = np.zeros(len(kind_of), np.int64)
    most[unit[order]] = counts[order]
    return owner, most
