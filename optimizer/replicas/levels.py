"""The goals' levels, and the placements that they make of a cluster: replicas, then leaders."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.replicas.cluster import BALANCE, BYTES, COPIES, TOPICS, ReplicaGoals
from optimizer.replicas.cycles import EXCHANGES, OF_BROKERS, OF_TOPICS
from optimizer.replicas.numbering import NOBODY, IntArray, NumberedCluster, rack_needs
from optimizer.replicas.placement import Placement


class Extent(NamedTuple):
    """How large numbers get: of nodes, of weights and loads, and of what one copy costs."""

    brokers: int
    racks: int
    topics: int
    heaviest: int
    load: int
    topic_load: int
    dearest: int


class Aim(NamedTuple):
    """A level of the goals: how a sentence calls what is better at it, and what it costs.

    `arcs` are those that cost at it. `along_a_cycle` is what these come to along a cycle of
    exchanges at most, the least difference being 1.
    """

    better: str
    arcs: int
    along_a_cycle: Callable[[Extent], int]


def _of_balance(extent: Extent) -> int:
    """Σ replicas² of brokers (÷ capacity): along a cycle one falls, and one grows."""
    return 2 * extent.heaviest * (2 * extent.load + 2)


def _of_spread(extent: Extent) -> int:
    """Σ replicas² of each broker's share of each topic, at each broker of a cycle."""
    return 2 * (extent.brokers + 2) * (2 * extent.topic_load + 2)


def _of_copies(extent: Extent) -> int:
    """Replicas or bytes copied: a cycle passes brokers and pools of a rack once each.

    Between two brokers it may pass each slot and pool of one topic.
    """
    nodes = (extent.brokers + extent.racks) * min(extent.topics, extent.brokers + 1)
    return 2 * (nodes + 2) * extent.dearest


LEVELS = {
    BALANCE: Aim("more even over brokers", OF_BROKERS, _of_balance),
    TOPICS: Aim("more even over brokers, topic by topic", OF_TOPICS, _of_spread),
    COPIES: Aim("reached with fewer copies", EXCHANGES, _of_copies),
    BYTES: Aim("reached with fewer bytes copied", EXCHANGES, _of_copies),
}
CHANGES = Aim("nearer to readers, or reached with fewer changes", EXCHANGES, _of_copies)
"""The last two levels of leaders: in the rack of their readers, then fewest changes."""


def leader_levels(goals: ReplicaGoals) -> list[Aim]:
    """The levels of leaders, the first one first."""
    even = (TOPICS, BALANCE) if goals.spreads_topics_first else (BALANCE,)
    return [*(LEVELS[name] for name in even), CHANGES, CHANGES]


ROOM = 2**60
"""No sum along a path or cycle may be larger: prices, and differences of them, fit into 64 bits."""


def level_weights(most: Sequence[int]) -> tuple[list[int], bool]:
    """Weights by which all that comes after a level can't outweigh the least of its differences.

    `most` is what each level comes to along a cycle. A choice is best if no simple cycle of the
    network's residual graph is negative, so what all lower levels can come to along one is enough;
    sums over all partitions aren't needed. Also tells whether 64 bits hold all of it.
    """
    weights: list[int] = []
    below = 0
    for each in reversed(most):
        weights.append(below + 1)
        below += each * (below + 1)
    return weights[::-1], below <= ROOM


def replica_placement(cluster: NumberedCluster, rows: IntArray, goals: ReplicaGoals) -> Placement:
    """Where the replicas of those partitions may go; all others stand still and count."""
    low, high = rack_needs(cluster, rows)
    cost = (cluster.sizes()[0] if BYTES in goals.levels else np.ones_like(cluster.wanted))[rows]
    topic, topics = _topics(cluster, TOPICS in goals.levels)
    standing, brokers, listed = cluster.kept, len(cluster.ids), cluster.kept[rows]
    standing[rows] = NOBODY
    extent = Extent(
        brokers,
        len(cluster.racks),
        topics,
        heaviest=int(cluster.weight.max(initial=1)),
        load=int((standing >= 0).sum() + cluster.wanted[rows].sum()),
        topic_load=int(np.bincount(topic).max(initial=0)),
        dearest=int(cost.max(initial=1)),
    )
    weights, step, is_exact = _weights(goals, extent)
    return Placement(
        rack_of=cluster.rack_of,
        receives=cluster.receives,
        weight=cluster.weight,
        base=_counts(standing, brokers),
        listed=listed,
        listed_cost=np.zeros_like(listed),
        new_cost=-(-cost // step) * (weights.get(COPIES) or weights[BYTES]),
        count=cluster.wanted[rows],
        low=low,
        high=high,
        topic=topic[rows],
        topic_base=_of_topics(standing, topic, topics, brokers),
        load_weight=weights[BALANCE],
        topic_weight=weights.get(TOPICS, 0),
        is_exact=is_exact,
        size_step=step,
    )


def _weights(goals: ReplicaGoals, extent: Extent) -> tuple[dict[str, int], int, bool]:
    """The weight of each level, the step in which sizes count, and whether 64 bits hold all.

    The step is the least power of two by whose multiples sizes can be told apart.
    """

    def most(dearest: int) -> list[int]:
        of = extent._replace(dearest=dearest)
        return [LEVELS[name].along_a_cycle(of) for name in goals.levels]

    step = 1
    while True:
        weights, fit = level_weights(most(-(-extent.dearest // step)))
        if fit or step >= extent.dearest:
            break
        step *= 2
    cut, is_exact = most(1), fit
    while not fit:  # no proof follows from weights that are cut to what 64 bits hold
        cut = [cut[0], *(max(each // 2, 1) for each in cut[1:])]
        weights, fit = level_weights(cut)
    return dict(zip(goals.levels, weights, strict=True)), step, is_exact


def _topics(cluster: NumberedCluster, count: bool) -> tuple[IntArray, int]:
    """The topic of each partition, and how many there are; one of all if they don't count."""
    if not count:
        return np.zeros_like(cluster.topic), 1
    return cluster.topic, max(len(cluster.topics), 1)


def _counts(brokers_of: IntArray, brokers: int) -> IntArray:
    return np.bincount(brokers_of[brokers_of >= 0], minlength=brokers)


def _of_topics(standing: IntArray, topic: IntArray, topics: int, brokers: int) -> IntArray:
    slots = np.where(standing >= 0, standing + topic[:, None] * brokers, NOBODY)
    return _counts(slots, topics * brokers).reshape(topics, brokers)


def leader_placement(
    cluster: NumberedCluster, rows: IntArray, sets: IntArray, goals: ReplicaGoals
) -> Placement:
    """Replicas that may lead each of those partitions; others are led as they are."""
    brokers, topical = len(cluster.ids), goals.spreads_topics_first
    topic, topics = _topics(cluster, topical)
    kept = cluster.kept
    standing = kept[np.arange(len(kept)), (kept >= 0).argmax(axis=1)]
    standing[rows] = NOBODY
    change = (sets != cluster.replicas[rows, 0][:, None]).astype(np.int64)
    extent = Extent(
        *(brokers, 1, topics, 1, len(kept)),
        topic_load=int(np.bincount(topic).max(initial=0)),
        dearest=1,
    )
    weights, is_exact = level_weights([each.along_a_cycle(extent) for each in leader_levels(goals)])
    single = np.ones((len(rows), 1), np.int64)
    paid = change + _misses(cluster, rows, sets, goals) * weights[-2]
    return Placement(
        rack_of=np.where(cluster.used, 0, -1),
        receives=np.zeros(brokers, np.bool_),
        weight=np.ones(brokers, np.int64),
        base=_counts(standing, brokers),
        listed=sets,
        listed_cost=np.where(sets >= 0, paid, 0),
        new_cost=single[:, 0],
        count=single[:, 0],
        low=single,
        high=single,
        topic=topic[rows],
        topic_base=_of_topics(standing[:, None], topic, topics, brokers),
        load_weight=weights[-3],
        topic_weight=weights[0] if topical else 0,
        is_exact=is_exact,
    )


def _misses(
    cluster: NumberedCluster, rows: IntArray, sets: IntArray, goals: ReplicaGoals
) -> IntArray:
    """Whether a leader would stand in another rack than its readers (P, F)."""
    if not goals.leader_racks:
        return np.zeros_like(sets)
    number = {rack: at for at, rack in enumerate(cluster.racks)}
    racks = [goals.leader_racks.get(cluster.names[at]) for at in rows.tolist()]
    wanted = np.array([number.get(rack, -1) for rack in racks], np.int64)[:, None]
    missed: IntArray = ((wanted >= 0) & (cluster.rack_of[sets] != wanted)).astype(np.int64)
    return missed
