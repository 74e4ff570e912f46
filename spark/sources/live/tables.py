"""What a cluster answered, as the tables of a snapshot."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

import pyarrow as pa

from spark.fleet import SCHEMAS, table_of
from spark.sources.live.cluster import Cluster
from spark.sources.live.group import DescribedGroup
from spark.sources.live.read_cluster import Reading, claims_of
from spark.sources.live.reassignments import NOT_MOVING

Row = tuple[Any, ...]


def tables_of(cluster: Cluster, reading: Reading) -> dict[str, pa.Table]:
    """All tables, each sorted by its key; topics that aren't wanted are in none of them.

    Connectors, which stand among topics, come with the groups that are wanted.
    """
    rows: Mapping[str, Iterable[Row]] = {
        "groups": _groups(reading.groups),
        "members": _members(reading.groups),
        "subscriptions": _subscriptions(cluster, reading.groups),
        "partitions": sorted(
            [*_partitions(reading), *_tasks(reading.groups)], key=lambda row: row[:2]
        ),
        "assignments": _assignments(cluster, reading.groups),
        "offsets": _offsets(cluster, reading),
        "configs": reading.configs,
        "brokers": ((b.node_id, b.host, b.port, b.rack or None) for b in reading.brokers),
    }
    return {name: _table(cluster, name, of_table) for name, of_table in rows.items()}


def _table(cluster: Cluster, name: str, rows: Iterable[Row]) -> pa.Table:
    """Columns that the rows are too short for stay null."""
    _, *columns = SCHEMAS[name].names
    values = list(zip(*rows, strict=True))
    count = len(values[0]) if values else 0
    of_column = dict(zip(columns, values, strict=False)) if values else {}
    return table_of(name, {"cluster": [cluster.name] * count, **of_column})


def _groups(groups: Iterable[DescribedGroup]) -> Iterator[Row]:
    for group in groups:
        values = (group.name, group.state or None, group.strategy, group.generation, group.inferred)
        yield *values, group.type, group.coordinator, [*group.hidden_topics]


def _members(groups: Iterable[DescribedGroup]) -> Iterator[Row]:
    for group in groups:
        for m in sorted(group.members, key=lambda member: member.member_id):
            yield (
                *(group.name, m.member_id, m.instance_id, m.client_id or None),
                *(m.host or None, m.rack, m.generation),
            )


def _subscriptions(cluster: Cluster, groups: Iterable[DescribedGroup]) -> Iterator[Row]:
    for group in groups:
        for member in sorted(group.members, key=lambda member: member.member_id):
            for topic in sorted(set(member.topics or ())):
                if topic in cluster.topics or topic in group.tasks:
                    yield group.name, member.member_id, topic


def _partitions(reading: Reading) -> Iterator[Row]:
    """Metadata names replicas that are being added as well: these aren't replicas yet."""
    racks = {broker.node_id: broker.rack or None for broker in reading.brokers}
    min_insync = reading.min_insync
    for topic in reading.topics:
        for p in sorted(topic.partitions, key=lambda partition: partition.partition_index):
            led = p.leader_id >= 0
            moving = reading.moving.get((topic.name, p.partition_index), NOT_MOVING)
            replicas = moving.replicas_of(p.replica_nodes)
            yield (
                *(topic.name, p.partition_index, _topic_id(topic.topic_id)),
                *(p.leader_id if led else None, replicas),
                moving.replicas_of(p.isr_nodes),
                racks.get(p.leader_id) if led else None,
                [racks[node] for node in replicas if racks.get(node)],
                *(None, moving.adding or None, moving.removing or None),
                min_insync.get(topic.name),
            )


def _tasks(groups: Iterable[DescribedGroup]) -> Iterator[Row]:
    """A row as long as a partition's for each task, which no broker leads."""
    for group in groups:
        for connector, count in group.tasks.items():
            for number in range(count):
                yield connector, number, *[None] * 10


def _assignments(cluster: Cluster, groups: Iterable[DescribedGroup]) -> Iterator[Row]:
    for group in groups:
        claims = (
            (group.name, topic, partition, member.member_id, member.generation)
            for member in group.members
            for topic, partition in dict.fromkeys(member.owned)
            if topic in cluster.topics or topic in group.tasks
        )
        yield from sorted(claims, key=lambda claim: claim[:4])


def _offsets(cluster: Cluster, reading: Reading) -> Iterator[Row]:
    for group in reading.groups:
        for claim in sorted(claims_of(group)):
            committed, end = group.committed.get(claim), reading.end_offsets.get(claim)
            # below 0 where that is beyond the end, as Kafka's own tools print it
            between = None if committed is None or end is None else end - committed
            lag = group.lags.get(claim, between)
            if claim[0] in cluster.topics:
                yield group.name, *claim, committed, end, lag, reading.start_offsets.get(claim)


def _topic_id(topic_id: UUID | None) -> str | None:
    """As Kafka prints it: 22 characters. Brokers before 2.8 have none."""
    if topic_id is None or not topic_id.int:
        return None
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")
