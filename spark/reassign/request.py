"""What a change of a cluster is about: which brokers, topics and replication factor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from optimizer.figures import did_you_mean
from optimizer.replicas import Broker, Cluster, Partition, ReplicaGoals
from spark.errors import InputError
from spark.patterns import matches
from spark.reassign.facts import ClusterFacts
from spark.text import named


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

    def cluster(self, current: ClusterFacts) -> tuple[Cluster, list[str]]:
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
            sentences.append(
                f"{named('partition', leaderless)} left out: without a leader nothing can be copied"
            )
        return Cluster(brokers, partitions), sentences

    def is_chosen(self, topic: str) -> bool:
        """Whether a topic's partitions are to be planned."""
        return not self.topics or any(matches(pattern, topic) for pattern in self.topics)

    def is_to_leave(self, broker: int) -> bool:
        """Whether a broker is to end up empty."""
        return broker in self.drain or bool(self.brokers and broker not in self.brokers)

    def _at_minimum(self, current: ClusterFacts) -> list[str]:
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
            f"{named('topic', short)} would have {factor} replicas, with min.insync.replicas "
            f"{held[short[0]]}: producers with acks=all are refused once a broker is down"
        )
        if not self.force:
            raise InputError(f"{what}. Lower min.insync.replicas first, or force it")
        return [what]

    def _check(self, current: ClusterFacts) -> None:
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
                f"cluster {current.cluster} still reassigns {named('partition', moving)}: plan "
                "again when that is done, or cancelled"
            )
        if self.topics and not any(self.is_chosen(p.topic) for p in current.partitions):
            raise InputError(
                f"no topic of cluster {current.cluster} fits {', '.join(self.topics)}: nothing is "
                f"planned{did_you_mean(self.topics[0], {p.topic for p in current.partitions})}"
            )
