"""The made-up fleet's clusters: their brokers, topics and partitions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from optimizer.model import Flags, IntArray, Reals
from spark.demo.names import (
    ENTITIES,
    EVENTS,
    FIREHOSE_DOMAINS,
    LEGACY_CLUSTER,
    kafka_uuids,
    topic_name,
)
from spark.fleet import OFFSETS_TOPIC, table_of

DOUBLED = np.unique(np.outer(2 ** np.arange(8), [1, 3, 5, 15, 25]))
SIZES = DOUBLED[DOUBLED <= 512]
"""Partition counts that people choose: round numbers, doubled and doubled again."""

HABITUAL_SIZES = (6, 12, 12, 12, 16, 24, 30)
"""What a team gives each new topic; topics of one team are often of one size."""

FIREHOSE_SIZES = (1000, 1024, 1024, 1200, 1536, 2000, 2048, 3000)

DOWN_BROKER = 2
"""The broker of the legacy cluster that is down when the snapshot is taken."""

SLOW_BROKER = 1
"""The broker of the first cluster that is out of sync with some partitions."""


@dataclass(frozen=True)
class DemoCluster:
    """A cluster's name and brokers; broker b (from 1) is in rack `racks[b - 1]`."""

    name: str
    racks: Sequence[str | None]

    @property
    def is_legacy(self) -> bool:
        """Whether it knows neither racks nor topic ids, and nobody measures it."""
        return self.name == LEGACY_CLUSTER


@dataclass(frozen=True)
class Topics:
    """All topics of the fleet, cluster after cluster and by name in each.

    Partition p of topic t has the row `offsets[t] + p` of the table of partitions. Consumers know
    of `known_sizes` partitions: a topic that has just grown has more. `rates` are records a second
    and partition. `popularity` is how often a group reads the topic, 0 for those that only giants
    (or nobody) read.
    """

    cluster: IntArray
    names: Sequence[str]
    domains: NDArray[np.str_]
    sizes: IntArray
    known_sizes: IntArray
    popularity: Reals
    rates: Reals

    @cached_property
    def offsets(self) -> IntArray:
        return np.cumsum(np.append(0, self.sizes))

    @cached_property
    def of_partition(self) -> IntArray:
        return np.repeat(np.arange(len(self.names)), self.sizes)

    @cached_property
    def numbers(self) -> IntArray:
        """The number of each partition in its topic."""
        return np.arange(len(self.of_partition)) - self.offsets[self.of_partition]

    def of_cluster(self, cluster: int) -> IntArray:
        """The indexes of a cluster's topics."""
        return np.arange(*np.searchsorted(self.cluster, [cluster, cluster + 1]))

    def known_rows(self, topics: IntArray) -> IntArray:
        """The rows of the partitions of `topics` that consumers know of."""
        sizes = self.known_sizes[topics]
        first = self.offsets[topics] - np.append(0, np.cumsum(sizes)[:-1])
        return np.repeat(first, sizes) + np.arange(sizes.sum())


def make_cluster(name: str, groups: int) -> DemoCluster:
    """A cluster that is large enough for `groups` groups."""
    if name == LEGACY_CLUSTER:
        return DemoCluster(name, [None] * 4)
    region = name.split("-", 1)[1]
    brokers = 3 * min(1 + groups // 40, 12)
    return DemoCluster(name, [f"{region}-{'abc'[b % 3]}" for b in range(brokers)])


def brokers_table(clusters: Sequence[DemoCluster]) -> pa.Table:
    rows = [(c.name, b, rack) for c in clusters for b, rack in enumerate(c.racks, start=1)]
    names, brokers, racks = zip(*rows, strict=True)
    hosts = [f"kafka-{broker}.{name}.internal" for name, broker, _ in rows]
    columns = {"cluster": names, "broker": brokers, "host": hosts, "rack": racks}
    return table_of("brokers", columns | {"port": [9092] * len(rows)})


def make_topics(
    rng: np.random.Generator,
    clusters: Sequence[DemoCluster],
    groups: Sequence[int],
    giants: Sequence[int],
    healthy: bool,
) -> Topics:
    """Topics for clusters with these numbers of groups, and of giants among them.

    Unless all is `healthy` a few have grown, and their readers don't know yet.
    """
    rows = [
        (c, *topic)
        for c, cluster in enumerate(clusters)
        for topic in sorted(_topics_of(rng, cluster.name, groups[c], giants[c]))
    ]
    cluster, names, domains, size_list, popularity = zip(*rows, strict=True)
    sizes = np.array(size_list)
    busy = rng.lognormal(np.log(20), 2, len(sizes))
    return Topics(
        cluster=np.array(cluster),
        names=names,
        domains=np.array(domains),
        sizes=sizes,
        known_sizes=sizes if healthy else _before_growth(rng, sizes, np.array(popularity) > 0),
        popularity=np.array(popularity),
        rates=np.repeat(busy * sizes**-0.3, sizes) * _skew(rng, int(sizes.sum())),
    )


def _topics_of(
    rng: np.random.Generator, cluster: str, groups: int, giants: int
) -> list[tuple[str, str, int, float]]:
    """One cluster's topics: name, domain, size and popularity."""
    used: Counter[str] = Counter()
    topics = [(OFFSETS_TOPIC, "platform", 50, 0.0)]
    for n in range(-(-giants // 2)):
        domain = FIREHOSE_DOMAINS[n % len(FIREHOSE_DOMAINS)]
        name = topic_name(cluster, domain, ENTITIES[domain][0], "raw", used)
        topics.append((name, domain, int(rng.choice(FIREHOSE_SIZES)), 0.0))
    count = max(12, round(0.9 * groups))
    habits = {domain: int(rng.choice(HABITUAL_SIZES)) for domain in ENTITIES}
    popularity = rng.permutation((1.0 + np.arange(count)) ** -0.8)
    share = (1.0 + np.arange(len(ENTITIES))) ** -0.7
    domains = rng.choice(len(ENTITIES), count, p=share / share.sum())
    for n, domain in enumerate([*ENTITIES][at] for at in domains):
        entities = ENTITIES[domain]
        entity = entities[int(len(entities) * rng.random() ** 1.5)]
        event = EVENTS[int(len(EVENTS) * rng.random() ** 1.5)]
        name = topic_name(cluster, domain, entity, event, used)
        size = (
            int(rng.integers(1, 4)) if name.lower().endswith("dlq") else _size(rng, habits[domain])
        )
        topics.append((name, domain, size, float(popularity[n])))
    return topics


def _size(rng: np.random.Generator, habit: int) -> int:
    """A topic's partitions: its team's habit, one for the sake of order, or a heavy tail."""
    luck = rng.random()
    if luck < 0.45:
        return habit
    if luck < 0.57:
        return 1
    wanted = 4 * (1 + rng.pareto(1.1))
    return int(SIZES[min(int(np.searchsorted(SIZES, wanted)), len(SIZES) - 1)])


def _before_growth(rng: np.random.Generator, sizes: IntArray, read: Flags) -> IntArray:
    """What consumers know: a few topics were doubled a moment ago."""
    could = np.flatnonzero(read & (sizes % 2 == 0) & (sizes >= 6))
    grown = rng.choice(could, min(len(could), max(1, round(0.004 * len(sizes)))), replace=False)
    numbers = sizes.copy()
    numbers[grown] //= 2
    return numbers


def _skew(rng: np.random.Generator, partitions: int) -> Reals:
    """How much busier a partition is than its topic's others: little, or a hot key's."""
    hot = np.where(rng.random(partitions) < 0.01, 8, 1)
    return rng.lognormal(0, 0.3, partitions) * hot


@dataclass(frozen=True)
class Placement:
    """Where partitions are: `brokers` (partitions × 3) as far as `replicas` marks them.

    `in_sync` marks those in the ISR, `leaders` has a broker each and counts where `led` says so.
    """

    brokers: IntArray
    replicas: Flags
    in_sync: Flags
    leaders: IntArray
    led: Flags


def partitions_table(
    rng: np.random.Generator, clusters: Sequence[DemoCluster], topics: Topics, placed: Placement
) -> pa.Table:
    """Every partition with what its cluster tells about it."""
    of = topics.of_partition
    cluster = topics.cluster[of]
    legacy = np.array([c.is_legacy for c in clusters])[cluster]
    racks = pa.array([rack for c in clusters for rack in c.racks], pa.string())
    rack_of = np.cumsum([0, *(len(c.racks) for c in clusters)])[cluster] - 1
    mask = placed.replicas & ~legacy[:, None]
    ids = pa.array(list(kafka_uuids(rng, len(topics.names))))
    record_bytes = rng.lognormal(np.log(600), 0.7, len(topics.names))[of]
    return table_of(
        "partitions",
        {
            "cluster": pa.array([c.name for c in clusters]).take(pa.array(cluster)),
            "topic": pa.array(topics.names).take(pa.array(of)),
            "partition": pa.array(topics.numbers, pa.int32()),
            "topic_id": ids.take(pa.array(of, mask=legacy)),
            "leader": pa.array(placed.leaders, pa.int32(), mask=~placed.led),
            "replicas": _lists(placed.brokers[placed.replicas], placed.replicas),
            "isr": _lists(placed.brokers[placed.in_sync], placed.in_sync),
            "leader_rack": racks.take(pa.array(rack_of + placed.leaders, mask=~placed.led)),
            "replica_racks": _lists(
                racks.take(pa.array((rack_of[:, None] + placed.brokers)[mask])), mask, legacy
            ),
            "weight": pa.array((topics.rates * record_bytes).round(1), mask=legacy),
        },
    )


def place(
    rng: np.random.Generator, clusters: Sequence[DemoCluster], topics: Topics, healthy: bool
) -> Placement:
    """Replicas on consecutive brokers, so in different racks.

    Unless all is `healthy`, a broker of the legacy cluster is down, and one of the first cluster
    doesn't keep pace.
    """
    of = topics.of_partition
    cluster = topics.cluster[of]
    brokers = np.array([len(c.racks) for c in clusters])[cluster]
    legacy = np.array([c.is_legacy for c in clusters])[cluster]
    # three nearly everywhere, two on the legacy cluster, one where somebody didn't care
    factors = np.where(_careless(rng, clusters, topics)[of], 1, np.where(legacy, 2, 3))
    start = rng.integers(0, 1_000_000, len(topics.names))[of] + topics.numbers
    placed = (start[:, None] + np.arange(3)) % brokers[:, None] + 1
    replicas = np.arange(3) < factors[:, None]
    alive = replicas.copy()
    if not healthy:
        alive &= ~(legacy[:, None] & (placed == DOWN_BROKER))
        late = (
            (cluster == 0)
            & (factors > 1)
            & (placed[np.arange(len(of)), factors - 1] == SLOW_BROKER)
        )
        late[np.flatnonzero(late)[1:]] &= rng.random(late.sum() - 1) < 0.1
        alive[late, factors[late] - 1] = False
    led: Flags = np.asarray(alive.any(axis=1))
    return Placement(
        brokers=placed,
        replicas=replicas,
        # the last replica stays in the ISR when it goes down too, but leads no more
        in_sync=np.where(led[:, None], alive, replicas),
        leaders=placed[np.arange(len(of)), alive.argmax(axis=1)],
        led=led,
    )


def _careless(
    rng: np.random.Generator, clusters: Sequence[DemoCluster], topics: Topics
) -> NDArray[np.bool_]:
    """Topics of one replica: a few, and one of the legacy cluster; never Kafka's own."""
    careless = rng.random(len(topics.names)) < 0.03
    for c, cluster in enumerate(clusters):
        if cluster.is_legacy:
            careless[max(topics.of_cluster(c), key=lambda t: topics.sizes[t])] = True
    kept: NDArray[np.bool_] = careless & (np.array(topics.names) != OFFSETS_TOPIC)
    return kept


def _lists(values: pa.Array | IntArray, taken: Flags, absent: Flags | None = None) -> pa.ListArray:
    """One list a row of `taken`, of as many values as the row has marks; null where `absent`."""
    offsets = pa.array(np.append(0, np.cumsum(taken.sum(axis=1))), pa.int32())
    mask = None if absent is None else pa.array(absent)
    return pa.ListArray.from_arrays(offsets, values, mask=mask)
