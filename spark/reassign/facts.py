"""One cluster's brokers and replicas in a snapshot, and a request to change them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from optimizer.figures import did_you_mean
from optimizer.replicas import Broker, Cluster, Partition, ReplicaGoals
from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, plain_rows
from spark.patterns import matches
from spark.text import list_of

Name = tuple[str, int]
"""Topic and number of a partition."""

COLUMNS = (
    *("topic", "partition", "leader", "replicas", "isr", "leader_rack", "replica_racks"),
    *("adding_replicas", "removing_replicas", "min_insync_replicas"),
)


class PartitionFacts(NamedTuple):
    """One partition; `replicas` are without those that are being added, [] if they aren't known."""

    topic: str
    partition: int
    leader: int | None
    replicas: list[int]
    isr: list[int] | None
    adding: list[int]
    removing: list[int]
    min_insync: int | None = None

    @property
    def name(self) -> tuple[str, int]:
        return self.topic, self.partition

    @property
    def is_moving(self) -> bool:
        return bool(self.adding or self.removing)

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True)
class ReplicaFacts:
    """Racks of the brokers that are alive, by id, and all partitions."""

    cluster: str
    snapshot: str
    racks: dict[int, str | None]
    partitions: list[PartitionFacts]

    @property
    def tells_leaders(self) -> bool:
        return any(partition.leader is not None for partition in self.partitions)

    @property
    def leaders(self) -> list[int | None]:
        """The leader of each partition now; the preferred one where no leader is known."""
        if self.tells_leaders:
            return [partition.leader for partition in self.partitions]
        return [next(iter(partition.replicas), None) for partition in self.partitions]


class BrokerLoads(NamedTuple):
    """Replicas, preferred leaders, bytes, and bytes of what it leads, of each broker."""

    replicas: Counter[int]
    leaders: Counter[int]
    bytes: Counter[int]
    led_bytes: Counter[int]


def loads_of(
    replicas: Mapping[Name, Sequence[int]], sizes: Mapping[Name, int] | None = None
) -> BrokerLoads:
    """The loads of brokers by the replicas of each partition, the preferred leader first."""
    loads = BrokerLoads(Counter(), Counter(), Counter(), Counter())
    for name, row in replicas.items():
        size = (sizes or {}).get(name, 0)
        for count, bytes_, brokers in (
            (loads.replicas, loads.bytes, row),
            (loads.leaders, loads.led_bytes, row[:1]),
        ):
            count.update(brokers)
            bytes_.update(dict.fromkeys(brokers, size))
    return loads


def cluster_facts(fleet: FleetSnapshot | FleetFiles, cluster: str | None = None) -> ReplicaFacts:
    """The brokers and replicas of a cluster, or of the only one.

    Connectors, which stand among topics, aren't partitions. Without the table `brokers` those are
    alive that lead or are in sync. InputError if there is no such cluster or nothing of replicas.
    """
    clusters = list(fleet.clusters())
    if cluster is None and len(clusters) > 1:
        raise InputError(f"snapshot {fleet.id} has {list_of('cluster', clusters)}: choose one")
    if cluster is None and clusters:
        cluster = clusters[0]
    if cluster is None or cluster not in clusters:
        raise InputError(
            f"snapshot {fleet.id} has no cluster {cluster!r}: it has {list_of('cluster', clusters)}"
            f"{did_you_mean(cluster or '', clusters)}"
        )
    rows = plain_rows(fleet, "partitions", COLUMNS, cluster)
    listed = dict(plain_rows(fleet, "brokers", ("broker", "rack"), cluster))
    return facts_in(cluster, fleet.clusters()[cluster], rows, listed)


def facts_in(
    cluster: str, snapshot: str, rows: Iterable[Sequence[Any]], listed: dict[int, str | None]
) -> ReplicaFacts:
    """The cluster in rows of `partitions` (`COLUMNS`) and racks of `brokers`, if there are any.

    InputError if nothing is known of replicas.
    """
    partitions: list[PartitionFacts] = []
    alive: set[int] = set()
    racks: dict[int, str | None] = {}
    for topic, number, leader, replicas, isr, leader_rack, replica_racks, *rest in rows:
        adding, removing, min_insync = rest
        if "/" in topic:
            continue
        led = leader if leader is not None and leader >= 0 else None
        partitions.append(
            PartitionFacts(
                *(topic, number, led, list(replicas or ()), isr),
                *(list(adding or ()), list(removing or ()), min_insync),
            )
        )
        alive.update([] if led is None else [led], isr or ())
        if led is not None and leader_rack:
            racks[led] = leader_rack
        if replicas and replica_racks and len(replicas) == len(replica_racks):
            racks |= dict(zip(replicas, replica_racks, strict=True))
    if not any(partition.replicas for partition in partitions):
        raise InputError(
            f"snapshot {snapshot} doesn't tell where the replicas of cluster {cluster} are (column "
            "partitions.replicas): nothing can be planned"
        )
    brokers = listed or {broker: racks.get(broker) for broker in sorted(alive)}
    return ReplicaFacts(cluster, snapshot, brokers, sorted(partitions))


@dataclass(frozen=True)
class ReassignRequest:
    """`drain`: these end up empty. `add`: only these receive. `brokers`: only these are used.

    `topics`: only topics that fit any of the patterns are planned, all others stand still.
    `force`: a replication factor may be as low as a topic's min.insync.replicas. `batch_copies`
    limits the copies of a batch, `per_broker` those of a broker at once.
    """

    drain: Sequence[int] = ()
    add: Sequence[int] = ()
    brokers: Sequence[int] = ()
    topics: Sequence[str] = ()
    replication_factor: int | None = None
    sizes: Mapping[tuple[str, int], int] = field(default_factory=dict)
    force: bool = False
    goals: ReplicaGoals = field(default_factory=ReplicaGoals)
    batch_copies: int | None = None
    per_broker: int | None = None

    def __post_init__(self) -> None:
        """InputError for batches in which nothing could be copied."""
        for name, limit in (("batch", self.batch_copies), ("broker", self.per_broker)):
            if limit is not None and limit < 1:
                raise InputError(
                    f"the copies of a {name} are limited to {limit}: nothing could be copied"
                )

    def cluster(self, current: ReplicaFacts) -> tuple[Cluster, list[str]]:
        """The cluster to be planned, and sentences on what is left out for what it does now.

        InputError for brokers that aren't there, and while partitions are being reassigned.
        """
        self._check(current)
        sentences = self._at_minimum(current)
        led = current.tells_leaders
        scope = [p for p in current.partitions if self.is_chosen(p.topic)]
        leaderless = {str(p) for p in scope if led and p.leader is None}
        planned = {p.name for p in scope if str(p) not in leaderless}
        factor, sizes = self.replication_factor, self.sizes
        partitions = [
            Partition(*p.name, p.replicas, factor, size=sizes.get(p.name), scope=p.name in planned)
            for p in current.partitions
        ]
        brokers = [
            Broker(b, rack, not self.is_to_leave(b), receives=not self.add or b in self.add)
            for b, rack in current.racks.items()
        ]
        if leaderless:
            left_out = list_of("partition", leaderless)
            sentences.append(f"{left_out} left out: without a leader nothing can be copied")
        return Cluster(brokers, partitions), sentences

    def is_chosen(self, topic: str) -> bool:
        """Whether a topic's partitions are to be planned."""
        return not self.topics or any(matches(pattern, topic) for pattern in self.topics)

    def is_to_leave(self, broker: int) -> bool:
        """Whether a broker is to end up empty."""
        return broker in self.drain or bool(self.brokers and broker not in self.brokers)

    def _at_minimum(self, current: ReplicaFacts) -> list[str]:
        """A sentence if topics would have no replica to spare; InputError without `force`."""
        factor = self.replication_factor
        held = {
            p.topic: p.min_insync
            for p in current.partitions
            if self.is_chosen(p.topic) and (p.min_insync or 0) > 1
        }
        short = sorted(topic for topic, least in held.items() if factor and factor <= (least or 0))
        if not short:
            return []
        what = (
            f"{list_of('topic', short)} would have {factor} replicas, with min.insync.replicas "
            f"{held[short[0]]}: producers with acks=all are refused once a broker is down"
        )
        if not self.force:
            raise InputError(f"{what}. Lower min.insync.replicas first, or force it")
        return [what]

    def _check(self, current: ReplicaFacts) -> None:
        for what, ids in (("drained", self.drain), ("added", self.add), ("used", self.brokers)):
            racks = set(current.racks)
            if what == "drained":
                racks |= {broker for p in current.partitions for broker in p.replicas}
            if absent := sorted(set(ids) - racks):
                raise InputError(
                    f"broker {absent[0]} is to be {what}, and cluster {current.cluster} doesn't "
                    f"have it: it has {', '.join(map(str, sorted(racks)))}. Take another snapshot "
                    "once it runs"
                )
        if both := sorted(set(self.drain) & {*self.add, *self.brokers}):
            raise InputError(f"broker {both[0]} is to be drained, and to be used as well")
        if self.replication_factor is not None and self.replication_factor < 1:
            raise InputError(f"a replication factor of {self.replication_factor} isn't above 0")
        if moving := [str(partition) for partition in current.partitions if partition.is_moving]:
            raise InputError(
                f"cluster {current.cluster} still reassigns {list_of('partition', moving)}: plan "
                "again when that is done, or cancelled"
            )
        if self.topics and not any(self.is_chosen(p.topic) for p in current.partitions):
            raise InputError(
                f"no topic of cluster {current.cluster} fits {', '.join(self.topics)}: nothing is "
                f"planned{did_you_mean(self.topics[0], {p.topic for p in current.partitions})}"
            )
