"""What a snapshot tells of one cluster's brokers and replicas."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from optimizer.figures import did_you_mean
from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, plain_rows
from spark.text import named

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
class ClusterFacts:
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
        """Who leads each partition now; the preferred one where no leader is known."""
        if self.tells_leaders:
            return [partition.leader for partition in self.partitions]
        return [next(iter(partition.replicas), None) for partition in self.partitions]


def cluster_facts(fleet: FleetSnapshot | FleetFiles, cluster: str | None = None) -> ClusterFacts:
    """What is known of a cluster, or of the only one.

    Connectors, which stand among topics, aren't partitions. Without the table `brokers` those are
    alive that lead or are in sync. InputError if there is no such cluster or nothing of replicas.
    """
    clusters = list(fleet.clusters())
    if cluster is None and len(clusters) > 1:
        raise InputError(f"snapshot {fleet.id} has {named('cluster', clusters)}: choose one")
    if cluster is None and clusters:
        cluster = clusters[0]
    if cluster is None or cluster not in clusters:
        raise InputError(
            f"snapshot {fleet.id} has no cluster {cluster!r}: it has {named('cluster', clusters)}"
            f"{did_you_mean(cluster or '', clusters)}"
        )
    rows = plain_rows(fleet, "partitions", COLUMNS, cluster)
    values = dict(plain_rows(fleet, "brokers", ("broker", "rack"), cluster))
    return facts_in(cluster, fleet.clusters()[cluster], rows, values)


def facts_in(
    cluster: str, snapshot: str, rows: Iterable[Sequence[Any]], listed: dict[int, str | None]
) -> ClusterFacts:
    """What rows of `partitions` (`COLUMNS`) and racks of `brokers` tell, none where there are none.

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
    entries = listed or {broker: racks.get(broker) for broker in sorted(alive)}
    return ClusterFacts(cluster, snapshot, entries, sorted(partitions))
