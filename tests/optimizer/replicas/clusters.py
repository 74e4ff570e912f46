"""Random clusters, and their optima by trying everything."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random

from optimizer.replicas import (
    BALANCE,
    BYTES,
    COPIES,
    TOPICS,
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    ReplicaPlan,
)

RACKS = ("a", "b", "c")

Name = tuple[str, int]
Sets = dict[Name, Sequence[int]]

ORDERS = [
    (BALANCE, COPIES),
    (BALANCE, TOPICS, COPIES),
    (BALANCE, COPIES, TOPICS),
    (TOPICS, BALANCE, COPIES),
    (TOPICS, COPIES, BALANCE),
    (COPIES, BALANCE),
    (COPIES, TOPICS, BALANCE),
    (COPIES, BALANCE, TOPICS),
    (BALANCE, BYTES),
    (BALANCE, TOPICS, BYTES),
    (BYTES, BALANCE),
]


def random_cluster(draw: Random, brokers: int = 5, partitions: int = 4) -> Cluster:
    """Racks known or not, brokers drained, dead or not receiving, capacities, other factors."""
    count = draw.randint(1, brokers)
    without_racks, with_capacity = draw.random() < 0.25, draw.random() < 0.2
    racks = RACKS[: draw.randint(1, 3)]
    chance = draw.random() * 0.4
    made = [
        Broker(
            id=10 + 3 * at,
            rack=None if without_racks else draw.choice(racks),
            usable=draw.random() > chance,
            alive=draw.random() > chance / 3,
            receives=draw.random() > chance / 2,
            capacity=draw.choice((1, 2, 3, 0.5)) if with_capacity else None,
        )
        for at in range(count)
    ]
    ids = [broker.id for broker in made]
    items = []
    for at in range(draw.randint(1, partitions)):
        replicas = draw.sample(ids, draw.randint(1, min(3, count)))
        factor = draw.choice((None, None, 1, 2, 3))
        size, scope = draw.choice((None, draw.randint(0, 5))), draw.random() < 0.9
        items.append(Partition(f"t{at % 2}", at // 2, replicas, factor, size, scope))
    return Cluster(made, items)


def replicas_of(cluster: Cluster) -> Sets:
    """Replicas of each partition by its name, as they are now."""
    return {(one.topic, one.partition): tuple(one.replicas) for one in cluster.partitions}


def planned_by(plan: ReplicaPlan, cluster: Cluster) -> set[Name]:
    """Partitions that a plan is about, and can be planned."""
    left_out = {(item.topic, item.partition) for item in plan.left_out}
    return {(one.topic, one.partition) for one in cluster.partitions if one.scope} - left_out


def all_sets(cluster: Cluster, planned: set[Name]) -> Iterator[Sets]:
    """Every choice of brokers for the planned partitions that is as even over racks as can be."""
    choices = [
        _even_sets(cluster, one) if (one.topic, one.partition) in planned else [one.replicas]
        for one in cluster.partitions
    ]
    names = [*replicas_of(cluster)]
    return (dict(zip(names, sets, strict=True)) for sets in product(*choices))


def best(cluster: Cluster, goals: ReplicaGoals, planned: set[Name]) -> tuple[float, ...]:
    """The least of all levels over every choice of brokers for the planned partitions."""
    return min(measured(cluster, goals, sets) for sets in all_sets(cluster, planned))


def _even_sets(cluster: Cluster, one: Partition) -> list[tuple[int, ...]]:
    """All sets of as many brokers as are wanted whose Σ replicas² of racks is least."""
    racks = racks_of(cluster)
    receivers = {broker.id for broker in used(cluster) if broker.receives}
    candidates = [b for b in racks if b in receivers or b in one.replicas]
    wanted = one.replication_factor or len(one.replicas)
    sets = list(combinations(candidates, wanted))
    evenness = [_rack_squares(racks, items) for items in sets]
    return [items for items, even in zip(sets, evenness, strict=True) if even == min(evenness)]


def _rack_squares(racks: Mapping[int, str | None], replicas: Sequence[int]) -> int:
    return sum(n**2 for n in Counter(racks.get(broker) for broker in replicas).values())


def rack_squares(cluster: Cluster, sets: Sets) -> int:
    """Σ replicas² of each partition's racks, over all partitions."""
    return sum(_rack_squares(racks_of(cluster), items) for items in sets.values())


def used(cluster: Cluster) -> list[Broker]:
    return [broker for broker in cluster.brokers if broker.usable and broker.alive]


def racks_of(cluster: Cluster) -> dict[int, str | None]:
    """The rack of each broker that is used; all one if any isn't known."""
    racks = {broker.id: broker.rack for broker in used(cluster)}
    return dict.fromkeys(racks) if None in racks.values() else racks


def measured(cluster: Cluster, goals: ReplicaGoals, sets: Sets) -> tuple[float, ...]:
    """Each level of such sets."""
    racks = racks_of(cluster)
    capacity = {broker.id: broker.capacity or 1 for broker in cluster.brokers}
    loads = Counter(b for items in sets.values() for b in items if b in racks)
    of_topic = Counter((name[0], b) for name, items in sets.items() for b in items if b in racks)
    sizes = [partition.size for partition in cluster.partitions if partition.size is not None]
    mean = round(sum(sizes) / len(sizes)) if sizes else 1
    copies = copied = 0
    for partition in cluster.partitions:
        new = len(set(sets[partition.topic, partition.partition]) - set(partition.replicas))
        copies += new
        copied += new * (mean if partition.size is None else partition.size)
    levels = {
        BALANCE: round(sum(n**2 / capacity[b] for b, n in loads.items()), 6),
        TOPICS: sum(n**2 for n in of_topic.values()),
        COPIES: copies,
        BYTES: copied,
    }
    return tuple(levels[name] for name in goals.levels)


def best_leaders(
    cluster: Cluster, sets: Sets, planned: set[Name], racks: dict[Name, str], of_topics: bool
) -> tuple[int, ...]:
    """The least of `leaders_measured` over all leaders."""
    usable = {broker.id for broker in used(cluster)}
    choices = [
        [b for b in items if b in usable] if name in planned else [first_usable(items, usable)]
        for name, items in sets.items()
    ]
    return min(
        leaders_measured(cluster, dict(zip(sets, leaders, strict=True)), racks, of_topics)
        for leaders in product(*choices)
    )


def first_usable(replicas: Sequence[int], usable: Container[int]) -> int:
    return next((b for b in replicas if b in usable), -1)


def leaders_measured(
    cluster: Cluster, leaders: dict[Name, int], racks: dict[Name, str], of_topics: bool = False
) -> tuple[int, ...]:
    """Σ leaders² of brokers, leaders in another rack than wanted, and changes.

    Before all these, if it is asked for, Σ leaders² of each topic's brokers.
    """
    entries = racks_of(cluster)
    counts = Counter(b for b in leaders.values() if b in entries)
    by_topic = Counter((name[0], b) for name, b in leaders.items() if b in entries)
    missed = sum(
        racks.get(name) in entries.values() and entries.get(b) != racks.get(name)
        for name, b in leaders.items()
    )
    old = {name: replicas[0] for name, replicas in replicas_of(cluster).items()}
    changes = sum(old[name] != b for name, b in leaders.items())
    first = [sum(n**2 for n in by_topic.values())] if of_topics else []
    return *first, sum(n**2 for n in counts.values()), missed, changes
