"""Placements of a cluster: its replicas, and then its leaders."""

from collections.abc import Callable, Sequence

import numpy as np

from optimizer.replicas.arrays import NOBODY, IntArray
from optimizer.replicas.goals import BALANCE, BYTES, COPIES, TOPICS, ReplicaGoals
from optimizer.replicas.numbering import NumberedCluster, shapes_of
from optimizer.replicas.placement import (
    Level,
    Placement,
    level_weights,
    most_of_costs,
    most_of_loads,
    most_of_topics,
    weights_that_fit,
)


def replica_placement(cluster: NumberedCluster, rows: IntArray, goals: ReplicaGoals) -> Placement:
    """Where the replicas of those partitions may go; all others stand still and count."""
    shapes = shapes_of(cluster, rows)
    topical = TOPICS in goals.levels
    topics = len(cluster.topics) if topical else 1
    topic = cluster.topic if topical else np.zeros_like(cluster.topic)
    standing = cluster.kept
    standing[rows] = NOBODY
    brokers, racks = len(cluster.ids), len(cluster.racks)
    load = int((standing >= 0).sum() + shapes.wanted[shapes.of].sum())
    heaviest = int(cluster.weight.max(initial=1))
    largest = int(np.bincount(topic).max(initial=0))
    cost = cluster.sizes()[0][rows] if BYTES in goals.levels else np.ones(len(rows), np.int64)

    def levels(dearest: int) -> list[Level]:
        most = {
            BALANCE: most_of_loads(heaviest, load),
            TOPICS: most_of_topics(brokers, largest),
            COPIES: most_of_costs(brokers, racks, topics, dearest),
            BYTES: most_of_costs(brokers, racks, topics, dearest),
        }
        return [Level(name, most[name]) for name in goals.levels]

    dearest = int(cost.max(initial=1))
    step = size_step(levels, dearest)
    exact = level_weights(levels(-(-dearest // step)))
    weights = (exact if exact.fits else weights_that_fit(levels(1))).of
    listed = cluster.kept[rows]
    return Placement(
        rack_of=cluster.rack_of,
        receives=cluster.receives,
        weight=cluster.weight,
        base=_counts(standing, brokers),
        listed=listed,
        listed_cost=np.zeros_like(listed),
        new_cost=-(-cost // step) * (weights.get(COPIES) or weights[BYTES]),
        shape=shapes.of,
        shape_count=shapes.wanted,
        shape_low=shapes.low,
        shape_high=shapes.high,
        topic=topic[rows],
        topic_base=_counts(standing + topic[:, None] * brokers * (standing >= 0), brokers, topics),
        load_weight=weights[BALANCE],
        topic_weight=weights.get(TOPICS, 0),
        is_exact=exact.fits,
        size_step=step,
    )


def size_step(levels: Callable[[int], Sequence[Level]], dearest: int) -> int:
    """The least power of two by whose multiples sizes can be told apart in 64 bits."""
    step = 1
    while step < dearest and not level_weights(levels(-(-dearest // step))).fits:
        step *= 2
    return step


def _counts(brokers_of: IntArray, brokers: int, topics: int | None = None) -> IntArray:
    counts = np.bincount(brokers_of[brokers_of >= 0], minlength=brokers * (topics or 1))
    return counts.reshape(topics, brokers) if topics else counts


def leader_placement(
    cluster: NumberedCluster, rows: IntArray, indices: IntArray, goals: ReplicaGoals
) -> Placement:
    """Who of its replicas may lead each of those partitions; others are led as they are."""
    brokers = len(cluster.ids)
    standing = _first(cluster.kept)
    standing[rows] = NOBODY
    change = (indices != cluster.replicas[rows, 0][:, None]).astype(np.int64)
    missed = _missed(cluster, rows, indices, goals)
    rack_weight = most_of_costs(brokers, 1, 1, 1) + 1
    item = np.ones((1, 1), np.int64)
    used = cluster.used
    return Placement(
        rack_of=np.where(used, 0, -1),
        receives=np.zeros(brokers, np.bool_),
        weight=np.ones(brokers, np.int64),
        base=np.bincount(standing[standing >= 0], minlength=brokers),
        listed=indices,
        listed_cost=np.where(indices >= 0, change + missed * rack_weight, 0),
        new_cost=np.ones(len(rows), np.int64),
        shape=np.zeros(len(rows), np.int64),
        shape_count=item[0],
        shape_low=item,
        shape_high=item,
        topic=np.zeros(len(rows), np.int64),
        topic_base=np.zeros((1, brokers), np.int64),
        load_weight=most_of_costs(brokers, 1, 1, rack_weight + 1) + 1,
    )


def _first(rows: IntArray) -> IntArray:
    """The first broker of each row that there is."""
    at = (rows >= 0).argmax(axis=1)
    first: IntArray = rows[np.arange(len(rows)), at]
    return first


def _missed(
    cluster: NumberedCluster, rows: IntArray, indices: IntArray, goals: ReplicaGoals
) -> IntArray:
    """Whether a leader would stand in another rack than its readers (P, F)."""
    if not goals.leader_racks:
        return np.zeros_like(indices)
    number = {rack: at for at, rack in enumerate(cluster.racks)}
    wanted = np.array(
        [
            number.get(goals.leader_racks.get((item.topic, item.partition)), -1)
            for item in (cluster.partitions[at] for at in rows.tolist())
        ],
        np.int64,
    )
    missed: IntArray = (
        (wanted[:, None] >= 0) & (cluster.rack_of[indices] != wanted[:, None])
    ).astype(np.int64)
    return missed
