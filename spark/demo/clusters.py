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
    CONNECT_GROUP,
    ENTITIES,
    EVENTS,
    FIREHOSE_DOMAINS,
    LEGACY_CLUSTER,
    kafka_uuids,
    topic_name,
)
from spark.fleet import OFFSETS_TOPIC, connector_topic, table_of

DOUBLED = np.unique(np.outer(2 ** np.arange(8), [1, 3, 5, 15, 25]))
SIZES = DOUBLED[DOUBLED <= 512]
"""Partition counts that people choose: round numbers, doubled and doubled again."""

HABITUAL_SIZES = (6, 12, 12, 12, 16, 24, 30)
"""What a team gives each new topic; topics of one team are often of one size."""

FIREHOSE_SIZES = (1000, 1024, 1024, 1200, 1536, 2000, 2048, 3000)

LEADS_TOO_MUCH = (1, 1)
"""Index of the cluster, and number of the broker in it, that leads all that it has replicas of."""

TASKS = 8
"""Tasks of each of Connect's connectors."""


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

    Partition p of topic t has the row `offsets[t] + p` of the table of partitions. `rates` are
    records a second and partition. `popularity` is how often a group reads the topic, 0 for those
    that only some kinds of groups (or nobody) read. A connector of Connect's is a topic, too.
    """

    cluster: IntArray
    names: NDArray[np.object_]
    domains: NDArray[np.object_]
    sizes: IntArray
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

    @cached_property
    def is_connector(self) -> Flags:
        return np.array(["/" in name for name in self.names])

    def of_cluster(self, cluster: int) -> IntArray:
        """The indexes of a cluster's topics."""
        return np.arange(*np.searchsorted(self.cluster, [cluster, cluster + 1]))

    def rows(self, topics: IntArray) -> IntArray:
        """The rows of the partitions of `topics`, one topic after the other."""
        sizes = self.sizes[topics]
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
    rng: np.random.Generator, clusters: Sequence[DemoCluster], kinds: Sequence[Sequence[str]]
) -> Topics:
    """Topics for clusters with groups of these kinds."""
    rows = [
        (c, *topic)
        for c, cluster in enumerate(clusters)
        for topic in sorted(_topics_of(rng, cluster.name, kinds[c]))
    ]
    cluster, names, domains, size_list, popularity = zip(*rows, strict=True)
    sizes = np.array(size_list)
    busy = rng.lognormal(np.log(20), 2, len(sizes)) * sizes**-0.3
    # a partition is a little busier than its topic's others, or has a hot key
    partitions = int(sizes.sum())
    skew = rng.lognormal(0, 0.3, partitions) * np.where(rng.random(partitions) < 0.01, 8, 1)
    return Topics(
        cluster=np.array(cluster),
        names=np.array(names, object),
        domains=np.array(domains, object),
        sizes=sizes,
        popularity=np.array(popularity),
        rates=np.repeat(busy, sizes) * skew,
    )


def _topics_of(
    rng: np.random.Generator, cluster: str, kinds: Sequence[str]
) -> list[tuple[str, str, int, float]]:
    """One cluster's topics: name, domain, size and popularity."""
    used: Counter[str] = Counter()
    topics = [(OFFSETS_TOPIC, "platform", 50, 0.0)]
    for n in range(-(-kinds.count("giant") // 2)):
        domain = FIREHOSE_DOMAINS[n % len(FIREHOSE_DOMAINS)]
        name = topic_name(cluster, domain, ENTITIES[domain][0], "raw", used)
        topics.append((name, domain, int(rng.choice(FIREHOSE_SIZES)), 0.0))
    if "connect" in kinds:
        names = (connector_topic(CONNECT_GROUP, entity) for entity in ENTITIES["devices"])
        topics += [(name, "devices", TASKS, 0.0) for name in names]
    count = max(12, round(0.9 * len(kinds)))
    habits = {domain: int(rng.choice(HABITUAL_SIZES)) for domain in ENTITIES}
    popularity = rng.permutation((1.0 + np.arange(count)) ** -0.8)
    share = (1.0 + np.arange(len(ENTITIES))) ** -0.7
    domains = rng.choice(len(ENTITIES), count, p=share / share.sum())
    for n, domain in enumerate([*ENTITIES][at] for at in domains):
        entities = ENTITIES[domain]
        entity = entities[int(len(entities) * rng.random() ** 1.5)]
        event = EVENTS[int(len(EVENTS) * rng.random() ** 1.5)]
        name = topic_name(cluster, domain, entity, event, used)
        is_small = name.lower().endswith("dlq")
        size = int(rng.integers(1, 4)) if is_small else _size(rng, habits[domain])
        topics.append((name, domain, size, float(popularity[n])))
    return topics


def _size(rng: np.random.Generator, habit: int) -> int:
    """A topic's partitions: its team's habit, one for the sake of order, or a heavy tail."""
    luck = rng.random()
    if luck < 0.45:
        return habit
    if luck < 0.57:
        return 1
    size = 4 * (1 + rng.pareto(1.1))
    return int(SIZES[min(int(np.searchsorted(SIZES, size)), len(SIZES) - 1)])


def partitions_table(
    rng: np.random.Generator, clusters: Sequence[DemoCluster], topics: Topics
) -> pa.Table:
    """Every partition, its replicas on consecutive brokers, so in different racks.

    No broker keeps a connector's tasks.
    """
    of = topics.of_partition
    cluster, is_task = topics.cluster[of], topics.is_connector[of]
    is_legacy = np.array([c.is_legacy for c in clusters])[cluster]
    # three nearly everywhere, two on the legacy cluster, one where somebody didn't care
    is_single = (rng.random(len(topics.names)) < 0.03) & (topics.names != OFFSETS_TOPIC)
    factors = np.where(is_task, 0, np.where(is_single[of], 1, np.where(is_legacy, 2, 3)))
    start = rng.integers(0, 1_000_000, len(topics.names))[of] + topics.numbers
    counts = np.array([len(c.racks) for c in clusters])[cluster]
    brokers = (start[:, None] + np.arange(3)) % counts[:, None] + 1
    is_replica = np.arange(3) < factors[:, None]
    index, broker = LEADS_TOO_MUCH
    rows, column = np.nonzero(is_replica & (brokers == broker) & (cluster == index)[:, None])
    brokers[rows, column], brokers[rows, 0] = brokers[rows, 0], broker
    # racks of brokers, cluster after cluster
    racks = pa.array([rack for c in clusters for rack in c.racks], pa.string())
    rack_at = (np.cumsum([0, *(len(c.racks) for c in clusters)])[cluster] - 1)[:, None] + brokers
    has_racks = is_replica & ~is_legacy[:, None]
    replicas = _lists(pa.array(brokers[is_replica], pa.int32()), is_replica, is_task)
    record_bytes = rng.lognormal(np.log(600), 0.7, len(topics.names))[of]
    ids = np.array(list(kafka_uuids(rng, len(topics.names))), object)[of]
    return table_of(
        "partitions",
        {
            "cluster": pa.array([c.name for c in clusters]).take(pa.array(cluster)),
            "topic": pa.array(topics.names[of]),
            "partition": pa.array(topics.numbers, pa.int32()),
            "topic_id": pa.array(ids, pa.string(), mask=is_legacy | is_task),
            "leader": pa.array(brokers[:, 0], pa.int32(), mask=is_task),
            "replicas": replicas,
            "isr": replicas,
            "leader_rack": racks.take(pa.array(rack_at[:, 0], mask=is_task)),
            "replica_racks": _lists(
                racks.take(pa.array(rack_at[has_racks])), has_racks, is_legacy | is_task
            ),
            "weight": pa.array((topics.rates * record_bytes).round(1), mask=is_legacy | is_task),
        },
    )


def _lists(values: pa.Array, is_taken: Flags, is_absent: Flags) -> pa.ListArray:
    """One list a row of `is_taken`, of as many values as the row has marks; null where absent."""
    offsets = pa.array(np.append(0, np.cumsum(is_taken.sum(axis=1))), pa.int32())
    return pa.ListArray.from_arrays(offsets, values, mask=pa.array(is_absent))
