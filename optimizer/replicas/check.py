"""Judges any plan of a cluster, whoever made it: whether it is sound, and can't be better."""

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.figures import plural
from optimizer.replicas.cluster import Cluster, ReplicaGoals, ReplicaGoalsError
from optimizer.replicas.cycles import EXCHANGES, search
from optimizer.replicas.levels import (
    LEVELS,
    Aim,
    leader_levels,
    leader_placement,
    replica_placement,
)
from optimizer.replicas.numbering import NOBODY, IntArray, NumberedCluster, in_scope, number_cluster
from optimizer.replicas.placement import Placement, proves, sound_rows


def check_replicas(
    cluster: Cluster,
    replicas: Mapping[tuple[str, int], Sequence[int]],
    goals: ReplicaGoals | None = None,
) -> list[str]:
    """Faults of such lists of replicas; nothing if none is better for these goals.

    Each partition's first replica is its leader; leaders are judged for these sets. Nothing of
    the solver is asked: a cycle of exchanges that saves something refutes a plan, and prices prove
    it where there is none. ReplicaGoalsError for goals with a limit of copies.
    """
    goals = goals or ReplicaGoals()
    if goals.most_copies is not None:
        raise ReplicaGoalsError("a plan with a limit of copies is proven by its own bound")
    cluster.check()
    arrays = number_cluster(cluster)
    rows, _ = in_scope(arrays, goals.leaders_only)
    after, faults = _read(arrays, replicas)
    if faults:
        return faults
    planned, choice = {*rows.tolist()}, after[rows]
    pairs = [*zip(arrays.partitions, [list(replicas[name]) for name in arrays.names], strict=True)]
    for at, (partition, brokers) in enumerate(pairs):
        if at not in planned and brokers != list(partition.replicas):
            faults.append(f"{partition.name} can't be planned, but has changed")
        elif goals.leaders_only and sorted(brokers) != sorted(partition.replicas):
            faults.append(f"{partition.name} has other replicas than before")
    sets, judged = arrays.kept[rows], list[str]()
    if not goals.leaders_only:
        sets, problem = choice, replica_placement(arrays, rows, goals)
        faults += [
            f"{partition.name}: {brokers} aren't as many brokers that can be used, as even over "
            "racks, as it can have"
            for partition, brokers in (pairs[at] for at in rows[~sound_rows(problem, choice)])
        ]
        if not faults:
            judged = _faults("replicas", problem, choice, [LEVELS[name] for name in goals.levels])
    if faults:
        return faults
    leading, leaders = leader_placement(arrays, rows, sets, goals), choice[:, :1]
    if not sound_rows(leading, leaders).all():
        return [*judged, "a partition is led by a broker that can't be used"]
    return [*judged, *_faults("leaders", leading, leaders, leader_levels(goals))]


def _read(
    arrays: NumberedCluster, replicas: Mapping[tuple[str, int], Sequence[int]]
) -> tuple[IntArray, list[str]]:
    names = arrays.names
    absent, strange = set(names) - replicas.keys(), replicas.keys() - set(names)
    faults = [f"{topic}-{number} is missing" for topic, number in sorted(absent)]
    faults += [f"{topic}-{number} isn't in the cluster" for topic, number in sorted(strange)]
    index = {broker: at for at, broker in enumerate(arrays.ids.tolist())}
    width = max(arrays.replicas.shape[1], *(len(row) for row in replicas.values()), 0)
    after = np.full((len(names), width), NOBODY)
    for at, (topic, number) in enumerate(names):
        for column, broker in enumerate(replicas.get((topic, number), ())):
            after[at, column] = index.get(broker, NOBODY)
            if broker not in index:
                faults.append(f"{topic}-{number} is on broker {broker}, which doesn't exist")
    return after, faults


def _faults(what: str, problem: Placement, choice: IntArray, levels: list[Aim]) -> list[str]:
    """Whether prices prove the choice, or else a cycle of exchanges, and the level that gains."""
    searched = search(problem, choice)
    if not searched.cycles:
        is_proven = proves(problem, choice, searched.prices)
        return [] if is_proven else [f"the {what} aren't proven to be the best"]
    cycle = searched.cycles[0]
    cost, partition = searched.arcs.cost[cycle], searched.arcs.partition[cycle]
    of_kind = np.minimum(partition, EXCHANGES)
    level = next(level for level in levels if cost[of_kind == level.arcs].sum() < 0)
    count = plural(int((partition >= 0).sum()), "exchange")
    return [f"the {what} could be {level.better}: by {count}"]
