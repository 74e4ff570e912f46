"""The made-up fleet's clusters, topics and partitions, and the words of which names are made."""

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from optimizer.model import IntArray, Reals
from spark.fleet import OFFSETS_TOPIC, SCHEMAS, connector_topic

CLUSTERS = ("prod-eu-west", "prod-us-east", "analytics-eu-west", "legacy-dc1")

LEGACY_CLUSTER = "legacy-dc1"
"""The cluster that nobody migrates: an old broker, no racks, no topic ids, no metrics."""

ENTITIES: dict[str, tuple[str, ...]] = {
    "orders": ("order", "order-line", "basket", "return-request"),
    "payments": ("payment", "refund", "chargeback", "settlement"),
    "clickstream": ("page-view", "click", "impression", "session"),
    "inventory": ("stock-level", "reservation", "replenishment"),
    "shipping": ("shipment", "parcel", "delivery-slot", "tracking"),
    "customers": ("profile", "address", "consent", "segment"),
    "catalogue": ("product", "variant", "category", "image"),
    "pricing": ("price", "discount", "price-list"),
    "billing": ("invoice", "invoice-line", "dunning", "ledger-entry"),
    "fraud": ("score", "case", "device-fingerprint"),
    "notifications": ("email", "push", "text-message"),
    "warehouse": ("pick-list", "bin-move", "goods-receipt", "stock-count"),
    "search": ("query", "index-document", "synonym"),
    "devices": ("telemetry", "heartbeat", "firmware"),
    "identity": ("login", "token", "role-change"),
    "marketing": ("campaign", "audience", "attribution"),
    "support": ("ticket", "chat-message", "survey"),
    "loyalty": ("points", "voucher", "tier"),
    "recommendations": ("feature", "ranking", "feedback"),
    "platform": ("audit-log", "access-log", "metric", "trace"),
}

EVENTS = ("created", "updated", "events", "changelog", "commands", "deleted", "snapshots")

ROLES = (
    *("projector", "writer", "enricher", "indexer", "notifier", "aggregator", "exporter"),
    *("reconciler", "router", "validator", "archiver", "cache-loader", "audit", "sync", "alerts"),
    "deduplicator",
)

FIREHOSE_DOMAINS = ("clickstream", "devices", "platform")
FIREHOSE_ROLES = ("lake-sink", "sessioniser", "feature-builder", "stream-loader")

CONNECT_GROUP = "connect-devices-exporter"

FIRST_NAMES = {
    "idle": ("clickstream-session-archiver", "payments-payment-alerts"),
    "uneven": ("notifications-audit",),
    "giant": ("clickstream-sessioniser",),
    "stalled": ("devices-heartbeat-reconciler",),
    "restarting": ("devices-projector",),
    "connect": (CONNECT_GROUP,),
    "share": ("orders-basket-aggregator",),
}
"""Names of the first groups of a kind; each begins with the domain of its topics."""


def topic_name(cluster: str, domain: str, entity: str, event: str, used: Counter[str]) -> str:
    """A topic's name in the cluster's habit; names that are taken go on as retry, dlq and versions.

    `used` counts the names that were given before, and is kept up.
    """
    if cluster == LEGACY_CLUSTER:
        name = f"{domain}_{entity}_{event}".replace("-", "_").upper()
        return free_name(name, used, ("", "_RETRY", "_DLQ"), "_V")
    if cluster.startswith("analytics"):
        name = f"cdc.{domain}.{entity.replace('-', '_')}_{event}"
        return free_name(name, used, ("", "_backfill"), "_v")
    return free_name(f"{domain}.{entity}.{event}", used, ("", "-retry", "-dlq"), ".v")


def free_name(
    name: str, used: Counter[str], endings: tuple[str, ...] = ("",), version: str = "-v"
) -> str:
    """The name, with the next of the endings, then with a version: -v2, -v3. `used` is kept up."""
    used[name] += 1
    over = used[name] - len(endings)
    return name + (f"{version}{over + 1}" if over > 0 else endings[over - 1])


def uuids(rng: np.random.Generator, count: int) -> Iterator[str]:
    """Random ids in the form of java.util.UUID, the tail of a classic member id."""
    digits = rng.bytes(16 * count).hex()
    for at in range(0, len(digits), 32):
        d = digits[at : at + 32]
        yield f"{d[:8]}-{d[8:12]}-4{d[13:16]}-a{d[17:20]}-{d[20:]}"


def kafka_uuids(rng: np.random.Generator, count: int) -> Iterator[str]:
    """Random ids in the 22 characters of Kafka's Uuid, as topics and KIP-848's members have.

    None begins with a dash, which a command would take for an option (Kafka's Uuid.randomUuid).
    """
    for _ in range(count):
        text = base64.urlsafe_b64encode(rng.bytes(16)).decode()[:22]
        yield "A" + text[1:] if text.startswith("-") else text


CLIENTS = {
    "consumer-{group}-{number}": 0.55,  # the Java client's default
    "{group}": 0.20,
    "rdkafka": 0.15,
    "{group}-worker-{number}": 0.10,
}
"""Client ids of consumers, and the share of groups that do so."""

SIZES = np.unique(np.outer(2 ** np.arange(8), [1, 3, 5, 15, 25]))
"""Partition counts that people choose: round numbers, doubled and doubled again."""

HABITUAL_SIZES = (6, 12, 12, 12, 16, 24, 30)
"""Sizes that a team gives each new topic; topics of one team are often of one size."""

FIREHOSE_SIZES = (1000, 1024, 1024, 1200, 1536, 2000, 2048, 3000)

LEADS_TOO_MUCH = (1, 1)
"""Index of the cluster, and number of the broker in it, that leads all that it has replicas of."""


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
class TopicSet:
    """All topics of the fleet, cluster after cluster and by name in each.

    Partition p of topic t has the row `offsets[t] + p` of the table of partitions. `rates` are
    records a second and partition. `popularity` is how often a group reads the topic, hardly more
    than 0 for those that giants read. A connector of Connect's is a topic, too.
    """

    clusters: Sequence[DemoCluster]
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
    rows = [
        {"cluster": c.name, "broker": b, "rack": rack, "host": f"kafka-{b}.{c.name}", "port": 9092}
        for c in clusters
        for b, rack in enumerate(c.racks, start=1)
    ]
    return pa.Table.from_pylist(rows, SCHEMAS["brokers"])


def make_topics(
    rng: np.random.Generator, cluster_names: Sequence[str], kinds: Sequence[Sequence[str]]
) -> TopicSet:
    """Clusters of these names with topics for groups of these kinds."""
    clusters = [make_cluster(name, len(of)) for name, of in zip(cluster_names, kinds, strict=True)]
    rows = [
        (c, *topic)
        for c, cluster in enumerate(clusters)
        for topic in sorted(_topics_of(rng, cluster.name, kinds[c]))
    ]
    cluster, sizes, popularity = (np.array([row[at] for row in rows]) for at in (0, 3, 4))
    topics, domains = (np.array([row[at] for row in rows], object) for at in (1, 2))
    busy = rng.lognormal(np.log(20), 2, len(sizes)) * sizes**-0.3
    # a partition is a little busier than its topic's others, or has a hot key
    hot = np.where(rng.random(sizes.sum()) < 0.01, 8, 1)
    rates = np.repeat(busy, sizes) * hot * rng.lognormal(0, 0.3, sizes.sum())
    return TopicSet(clusters, cluster, topics, domains, sizes, popularity, rates)


def _topics_of(
    rng: np.random.Generator, cluster: str, kinds: Sequence[str]
) -> Iterator[tuple[str, str, int, float]]:
    """One cluster's topics: name, domain, size and popularity."""
    used: Counter[str] = Counter()
    yield OFFSETS_TOPIC, "platform", 50, 0.0
    for n in range(-(-kinds.count("giant") // 2)):
        domain = FIREHOSE_DOMAINS[n % len(FIREHOSE_DOMAINS)]
        name = topic_name(cluster, domain, ENTITIES[domain][0], "raw", used)
        yield name, domain, int(rng.choice(FIREHOSE_SIZES)), 1e-9
    if "connect" in kinds:
        for entity in ENTITIES["devices"]:
            yield connector_topic(CONNECT_GROUP, entity), "devices", 8, 0.0
    count = max(12, round(0.9 * len(kinds)))
    habits = {domain: int(rng.choice(HABITUAL_SIZES)) for domain in ENTITIES}
    popularity = rng.permutation((1.0 + np.arange(count)) ** -0.8)
    share = (1.0 + np.arange(len(ENTITIES))) ** -0.7
    domains = rng.choice([*ENTITIES], count, p=share / share.sum()).tolist()
    for domain, popular in zip(domains, popularity.tolist(), strict=True):
        entities = ENTITIES[domain]
        entity = entities[int(len(entities) * rng.random() ** 1.5)]
        event = EVENTS[int(len(EVENTS) * rng.random() ** 1.5)]
        name = topic_name(cluster, domain, entity, event, used)
        is_small = name.lower().endswith("dlq")
        size = int(rng.integers(1, 4)) if is_small else _size(rng, habits[domain])
        yield name, domain, size, popular


def _size(rng: np.random.Generator, habit: int) -> int:
    """A topic's partitions: its team's habit, one for the sake of order, or a heavy tail."""
    luck = rng.random()
    if luck < 0.57:
        return habit if luck < 0.45 else 1
    return int(SIZES[np.searchsorted(SIZES, min(4 * (1 + rng.pareto(1.1)), 480))])


def partitions_table(rng: np.random.Generator, topics: TopicSet) -> pa.Table:
    """Every partition, its replicas on consecutive brokers, so in different racks.

    Three nearly everywhere, two on the legacy cluster, one where somebody didn't care. No broker
    keeps a connector's tasks.
    """
    rows = []
    index, broker = LEADS_TOO_MUCH
    for at, rates in enumerate(np.split(topics.rates, topics.offsets[1:-1])):
        cluster, name = topics.clusters[topics.cluster[at]], topics.names[at]
        is_single = rng.random() < 0.03 and name != OFFSETS_TOPIC
        factor = 1 if is_single else 2 if cluster.is_legacy else 3
        start, record_bytes = int(rng.integers(len(cluster.racks))), rng.lognormal(6.4, 0.7)
        (topic_id,) = kafka_uuids(rng, 1)
        for partition, weight in enumerate((rates * record_bytes).round(1).tolist()):
            rows.append(row := {"cluster": cluster.name, "topic": name, "partition": partition})
            if "/" in name:
                continue
            slots = [(start + partition + n) % len(cluster.racks) for n in range(factor)]
            if topics.cluster[at] == index:
                slots.sort(key=lambda slot: slot != broker - 1)
            brokers, racks = [[p + 1 for p in slots], [cluster.racks[p] for p in slots]]
            row |= {"leader": brokers[0], "replicas": brokers, "isr": brokers}
            if not cluster.is_legacy:
                row |= {"topic_id": topic_id, "weight": weight}
                row |= {"leader_rack": racks[0], "replica_racks": racks}
    return pa.Table.from_pylist(rows, SCHEMAS["partitions"])
