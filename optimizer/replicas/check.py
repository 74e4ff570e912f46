"""Judges any plan of a cluster, whoever made it: whether it is sound, and can't be better."""

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.figures import counted
from optimizer.replicas.cluster import Cluster, ReplicaGoals, ReplicaGoalsError
from optimizer.replicas.cycles import prices_of, search
from optimizer.replicas.levels import leader_placement, replica_placement
from optimizer.replicas.numbering import NOBODY, IntArray, NumberedCluster, in_scope, numbered
from optimizer.replicas.placement import Placement, proves, sound_rows


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
    arrays = numbered(cluster)
    rows, _ = in_scope(arrays, goals.leaders_only)
    after, faults = _read(arrays, replicas)
    if faults:
        return faults
    planned, choice = {*rows.tolist()}, after[rows]
    pairs = [*zip(arrays.partitions, [list(replicas[name]) for name in arrays.names], strict=True)]
    faults = [
        f"{partition.name} can't be planned, but has changed"
        for at, (partition, brokers) in enumerate(pairs)
        if at not in planned and brokers != list(partition.replicas)
    ]
    if goals.leaders_only:
        moved = [
            f"{partition.name} has other replicas than before"
            for at, (partition, brokers) in enumerate(pairs)
            if at in planned and sorted(brokers) != sorted(partition.replicas)
        ]
        return moved or _judged_leaders(arrays, rows, arrays.kept[rows], choice, goals)
    problem = replica_placement(arrays, rows, goals)
    for partition, brokers in (pairs[at] for at in rows[~sound_rows(problem, choice)].tolist()):
        faults.append(
            f"{partition.name}: {brokers} aren't as many brokers that can be used, as even over "
            "racks, as it can have"
        )
    if faults:
        return faults
    return [
        *_judged("replicas", problem, choice),
        *_judged_leaders(arrays, rows, choice, choice, goals),
    ]


def _judged_leaders(
    arrays: NumberedCluster, rows: IntArray, sets: IntArray, choice: IntArray, goals: ReplicaGoals
) -> list[str]:
    leading, leaders = leader_placement(arrays, rows, sets, goals), choice[:, :1]
    if not sound_rows(leading, leaders).all():
        return ["a partition is led by a broker that can't be used"]
    return _judged("leaders", leading, leaders)


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


def _judged(what: str, problem: Placement, indices: IntArray) -> list[str]:
    searched = search(problem, indices)
    if searched.cycles:
        arcs, cycle = searched.arcs, searched.cycles[0]
        count = int((arcs.partition[cycle] >= 0).sum())
        return [f"the {what} could be better: by {counted(count, 'exchange')}"]
    if not proves(problem, indices, prices_of(problem, searched)):
        return [f"the {what} aren't proven to be the best"]
    return []
