"""Effects of a plan of replicas and leaders on consumers: racks, and coordinators of groups."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pyspark.sql import functions as F

from optimizer.figures import plural
from spark.fleet import FleetFiles, FleetSnapshot, plain_rows
from spark.groups import OFFSETS_TOPIC, OffsetsTopic, location_of
from spark.reassign.facts import Name
from spark.reassign.reassignment import Reassignment
from spark.text import list_of


class Consumers(NamedTuple):
    """How often partitions are read from each known rack, and the groups, by name."""

    reads: Counter[tuple[str, int, str]]
    groups: list[str]


class Effects(NamedTuple):
    """Changes for groups; reads are by members whose rack is known, from leaders in one.

    A partition that two groups read counts twice. `other_coordinator` are groups, sorted.
    """

    reads: int
    reads_across: int
    planned_reads_across: int
    groups: int
    other_coordinator: list[str]

    def sentences(self) -> Iterator[str]:
        """Sentences on what the plan changes for consumers."""
        if self.reads:
            yield (
                f"{self.planned_reads_across:,} of {plural(self.reads, 'read')} from leaders will "
                f"cross racks (now {self.reads_across:,}; of members whose rack is known)."
            )
        if self.other_coordinator:
            yield (
                f"{list_of('group', self.other_coordinator)} of {self.groups} "
                f"{'gets' if len(self.other_coordinator) == 1 else 'get'} another coordinator."
            )


def consumers_of(fleet: FleetSnapshot | FleetFiles, cluster: str) -> Consumers:
    """The reads of a cluster's groups, by a snapshot."""
    members = plain_rows(fleet, "members", ("group", "member_id", "rack"), cluster)
    if isinstance(fleet, FleetFiles):
        racks = {(group, member): rack for group, member, rack in members}
        claims = plain_rows(
            fleet, "assignments", ("group", "member_id", "topic", "partition"), cluster
        )
        reads = Counter(
            (topic, number, rack)
            for group, member, topic, number in claims
            if (rack := racks.get((group, member)))
        )
        return Consumers(reads, sorted({group for group, _ in racks}))
    of_cluster = F.col("cluster") == cluster
    owners = fleet.tables["members"].where(of_cluster).where("rack != ''")
    read_counts = (
        fleet.tables["assignments"]
        .where(of_cluster)
        .join(owners.select("group", "member_id", "rack"), ["group", "member_id"])
        .groupBy("topic", "partition", "rack")
        .count()
    )
    reads_of = Counter(
        {(t, number, rack): count for t, number, rack, count in read_counts.collect()}
    )
    groups = fleet.tables["members"].where(of_cluster).select("group").distinct().collect()
    return Consumers(reads_of, sorted(row[0] for row in groups))


def effects(of: Reassignment, consumers: Consumers) -> Effects:
    """Changes that a plan makes for groups once its preferred leaders are elected."""
    before = {
        p.name: p.replicas[0] if p.leader is None else p.leader
        for p in of.current.partitions
        if p.replicas
    }
    after = before | {(change.topic, change.partition): change.after[0] for change in of.changes}
    seats = [_offsets(leaders) for leaders in (before, after)]
    other = [
        group
        for group in consumers.groups
        if location_of(group, None, seats[0]).coordinator
        != location_of(group, None, seats[1]).coordinator
    ]
    reads, across = _reads(of, consumers, before)
    _, planned = _reads(of, consumers, after)
    return Effects(reads, across, planned, len(consumers.groups), other)


def _reads(of: Reassignment, consumers: Consumers, leaders: dict[Name, int]) -> tuple[int, int]:
    """Reads whose both ends have a known rack, and those of them across racks."""
    reads = across = 0
    for (topic, number, rack), count in consumers.reads.items():
        of_leader = of.current.racks.get(leaders.get((topic, number), -1))
        if of_leader is not None:
            reads += count
            across += count * (of_leader != rack)
    return reads, across


def _offsets(leaders: dict[Name, int]) -> OffsetsTopic | None:
    led = {number: leader for (topic, number), leader in leaders.items() if topic == OFFSETS_TOPIC}
    return OffsetsTopic(len(led), led) if led else None
