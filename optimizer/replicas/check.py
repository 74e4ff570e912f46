"""Judges any plan of a cluster, whoever made it: whether it is sound, and can't be better."""

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.figures import counted
from optimizer.replicas.arrays import NOBODY, IntArray
from optimizer.replicas.cluster import Cluster
from optimizer.replicas.goals import ReplicaGoals, ReplicaGoalsError
from optimizer.replicas.numbering import NumberedCluster, in_scope, leadable, numbered
from optimizer.replicas.placement import Placement
from optimizer.replicas.prices import is_sound, proves
from optimizer.replicas.problems import leader_placement, replica_placement
from optimizer.replicas.residual import prices_of, search


def check_replicas(
    cluster: Cluster,
    replicas: Mapping[tuple[str, int], Sequence[int]],
    goals: ReplicaGoals | None = None,
) -> list[str]:
    """What is wrong with such lists of replicas; nothing if none is better for these goals.

    Each partition's first replica is its leader; leaders are judged for these sets. Nothing of
    the solver is asked: a cycle of exchanges that saves something refutes a plan, and prices prove
    it where there is none. ReplicaGoalsError for goals with a limit of copies.
    """
    goals = goals or ReplicaGoals()
    if goals.most_copies is not None:
        raise ReplicaGoalsError("a plan with a limit of copies is proven by its own bound")
    numbered_cluster = numbered(cluster)
    rows, _ = leadable(numbered_cluster) if goals.leaders_only else in_scope(numbered_cluster)
    after, faults = _read(numbered_cluster, replicas)
    if faults:
        return faults
    still = np.setdiff1d(np.arange(len(numbered_cluster.partitions)), rows)
    for at in still.tolist():
        item = numbered_cluster.partitions[at]
        if list(replicas[item.topic, item.partition]) != list(item.replicas):
            faults.append(f"{item.topic}-{item.partition} can't be planned, but has changed")
    selection = after[rows]
    if goals.leaders_only:
        return _moved(numbered_cluster, rows, selection) or _judged_leaders(
            numbered_cluster, rows, selection, goals
        )
    problem = replica_placement(numbered_cluster, rows, goals)
    width = max(problem.width, selection.shape[1])
    selection = np.pad(selection, ((0, 0), (0, width - selection.shape[1])), constant_values=NOBODY)
    for at in np.flatnonzero(~is_sound(problem, selection)).tolist():
        item = numbered_cluster.partitions[rows[at]]
        faults.append(
            f"{item.topic}-{item.partition}: {list(replicas[item.topic, item.partition])} aren't "
            "as many brokers that can be used, as even over racks, as it can have"
        )
    if faults:
        return faults
    faults += _judged("replicas", problem, selection)
    return faults + _judged_leaders(numbered_cluster, rows, selection, goals)


def _moved(numbered_cluster: NumberedCluster, rows: IntArray, indices: IntArray) -> list[str]:
    """A sentence for each partition whose replicas aren't those that it had."""
    before = numbered_cluster.replicas[rows]
    width = max(before.shape[1], indices.shape[1])
    had, has = (
        np.sort(np.pad(item, ((0, 0), (0, width - item.shape[1])), constant_values=NOBODY))
        for item in (before, indices)
    )
    names = (numbered_cluster.partitions[at] for at in rows[(had != has).any(axis=1)].tolist())
    return [f"{name.topic}-{name.partition} has other replicas than before" for name in names]


def _judged_leaders(
    numbered_cluster: NumberedCluster, rows: IntArray, indices: IntArray, goals: ReplicaGoals
) -> list[str]:
    listed = numbered_cluster.kept[rows] if goals.leaders_only else indices
    leading = leader_placement(numbered_cluster, rows, listed, goals)
    leaders = indices[:, :1]
    if not is_sound(leading, leaders).all():
        return ["a partition is led by a broker that can't be used"]
    return _judged("leaders", leading, leaders)


def _read(
    numbered_cluster: NumberedCluster, replicas: Mapping[tuple[str, int], Sequence[int]]
) -> tuple[IntArray, list[str]]:
    names = [(partition.topic, partition.partition) for partition in numbered_cluster.partitions]
    absent, strange = set(names) - replicas.keys(), replicas.keys() - set(names)
    faults = [f"{topic}-{number} is missing" for topic, number in sorted(absent)]
    faults += [f"{topic}-{number} isn't in the cluster" for topic, number in sorted(strange)]
    index = {broker: at for at, broker in enumerate(numbered_cluster.ids.tolist())}
    width = max((len(row) for row in replicas.values()), default=1)
    after = np.full((len(names), max(width, 1)), NOBODY)
    for at, name in enumerate(names):
        for column, broker in enumerate(replicas.get(name, ())):
            if broker in index:
                after[at, column] = index[broker]
            else:
                faults.append(f"{name[0]}-{name[1]} is on broker {broker}, which doesn't exist")
    return after, faults


def _judged(what: str, problem: Placement, indices: IntArray) -> list[str]:
    searched = search(problem, indices)
    if searched.cycles:
        arcs, cycle = searched.arcs, searched.cycles[0]
        count = int((arcs.partition[cycle] >= 0).sum())
        return [f"the {what} could be better: by {counted(count, 'exchange')}"]
    if not proves(problem, indices, prices_of(problem, searched)):
        return [f"the {what} aren't proven to be the best"]
    return []
