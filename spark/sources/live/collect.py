"""A snapshot of live clusters, several at a time: what they answer, as tables."""

import base64
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from spark.fleet import MIN_INSYNC, SCHEMAS, SourceTables, why_hidden
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, UnreachableError
from spark.sources.live.group import DescribedGroup
from spark.sources.live.partitions import NOT_MOVING
from spark.sources.live.read_cluster import Answers, Report, claims_of, no_report, read_cluster
from spark.store import Folder
from spark.text import list_of

ID = "cluster.id"
"""The key under which the table `configs` has a cluster's own id."""


def mixed_up(ids: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each id with several names, and each name that had another id before.

    `ids` are those of now by name, `before` those of the snapshot before.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for name, own in {**before, **ids}.items():
        names[own].add(name)
    for own in sorted({*ids.values()}):
        if len(names[own]) > 1:
            yield (
                f"{list_of('cluster', names[own])} are one cluster: its id is {own}. Keep one "
                "name, or its groups count twice"
            )
    for name, own in sorted(ids.items()):
        if name in before and before[name] != own:
            yield (
                f"cluster {name} has the id {own} and had {before[name]} before: one name for two "
                "clusters mixes up their history"
            )


def ids_in(configs: Iterable[pa.Table]) -> dict[str, str]:
    """The clusters' own ids by their names."""
    return {
        row["cluster"]: row["value"]
        for table in configs
        for row in table.filter(pc.equal(table["key"], ID)).to_pylist()
    }


def ids_in_store(store: Folder) -> dict[str, str]:
    """Rows of the newest snapshot of a store that has any; none without a store."""
    newest = (store.parts("configs", name) for name in store.ids("configs")[-1:])
    return ids_in(store.open(path).read() for parts in newest if parts for path in parts.paths)


Row = tuple[Any, ...]


def tables_of(cluster: Cluster, reading: Answers) -> dict[str, pa.Table]:
    """All tables, each sorted by its key; topics that aren't wanted are in none of them.

    Connectors, which stand among topics, come with the groups that are wanted.
    """
    tables = defaultdict[str, list[Row]](list)
    for group in reading.groups:
        for name, row in _rows_of(group, cluster, reading):
            tables[name].append(row)
    tables["partitions"] = sorted(
        [*_partitions(reading), *tables["partitions"]], key=lambda row: row[:2]
    )
    tables["configs"] = [*reading.configs]
    tables["brokers"] = [(b.node_id, b.host, b.port, b.rack or None) for b in reading.brokers]
    return {name: _table(cluster, name, tables[name]) for name in SCHEMAS}


def _table(cluster: Cluster, name: str, rows: Iterable[Row]) -> pa.Table:
    """Columns that the rows are too short for stay null."""
    schema = SCHEMAS[name]
    named = [dict(zip(schema.names, (cluster.name, *row), strict=False)) for row in rows]
    return pa.Table.from_pylist(named, schema)


def _rows_of(
    group: DescribedGroup, cluster: Cluster, reading: Answers
) -> Iterator[tuple[str, Row]]:
    """The rows of a group, each with its table; a connector's tasks are partitions."""
    members, tasks = sorted(group.members, key=lambda member: member.member_id), group.tasks
    yield (
        "groups",
        (
            *(group.name, group.state or None, group.strategy, group.generation, group.inferred),
            *(group.type, group.coordinator, [*group.hidden_topics]),
        ),
    )
    for m in members:
        names = m.member_id, m.instance_id, m.client_id or None, m.host or None
        yield "members", (group.name, *names, m.rack, m.generation)
        for topic in sorted(set(m.topics or ())):
            if topic in cluster.topics or topic in tasks:
                yield "subscriptions", (group.name, m.member_id, topic)
    claims = [(*claim, m.member_id, m.generation) for m in members for claim in {*m.owned}]
    for topic, *claim in sorted(claims, key=lambda claim: claim[:3]):
        if topic in cluster.topics or topic in tasks:
            yield "assignments", (group.name, topic, *claim)
    for connector, count in tasks.items():
        yield from (("partitions", (connector, number)) for number in range(count))
    for read in sorted(claims_of(group)):
        committed, end = group.committed.get(read), reading.end_offsets.get(read)
        # below 0 where that is beyond the end, as Kafka's own tools print it
        between = None if committed is None or end is None else end - committed
        lag = group.lags.get(read, between)
        if read[0] in cluster.topics:
            start = reading.start_offsets.get(read)
            yield "offsets", (group.name, *read, committed, end, lag, start)


def _partitions(reading: Answers) -> Iterator[Row]:
    racks = {broker.node_id: broker.rack or None for broker in reading.brokers}
    key = "topic", MIN_INSYNC
    min_insync = {c.name: int(c.value) for c in reading.configs if (c.scope, c.key) == key}
    for topic in reading.topics:
        for p in sorted(topic.partitions, key=lambda partition: partition.partition_index):
            moving = reading.moving.get((topic.name, p.partition_index), NOT_MOVING)
            leader, replicas, isr, adding, removing = moving.placed(p)
            yield (
                *(topic.name, p.partition_index, _topic_id(topic.topic_id), leader, replicas, isr),
                None if leader is None else racks.get(leader),
                [racks[node] for node in replicas if racks.get(node)],
                *(None, adding or None, removing or None),
                min_insync.get(topic.name),
            )


def _topic_id(topic_id: UUID | None) -> str | None:
    """An id as Kafka prints it: 22 characters. Brokers before 2.8 have none."""
    if topic_id is None or not topic_id.int:
        return None
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


AT_A_TIME = 8


@dataclass(frozen=True, kw_only=True)
class Collected(SourceTables):
    """The tables of one cluster, none when it can't be reached, and how it went.

    `statuses` has a row for each group that something is out of order about; `leaderless` is the
    number of topics some of whose partitions have no leader.
    """

    cluster: str
    requests: int
    seconds: float
    statuses: Sequence[dict[str, Any]] = ()
    leaderless: int = 0

    @property
    def state(self) -> str:
        """Whether the cluster was read, and wholly: without a leader nothing of a log is known."""
        if not self.tables:
            return "unreachable"
        return "incomplete" if self.left_out or self.leaderless else "whole"

    def row(self) -> dict[str, Any]:
        """The cluster with the sizes of its tables, and what reading took."""
        tables = ("brokers", "groups", "members", "partitions")
        return {
            "cluster": self.cluster,
            "state": self.state,
            **{name: len(self.tables[name]) if self.tables else None for name in tables},
            "requests": self.requests,
            "seconds": round(self.seconds, 2),
        }


def collect_clusters(clusters: Sequence[Cluster], progress: Report = no_report) -> list[Collected]:
    """Read clusters, at most AT_A_TIME at once. InputError when a secret isn't there.

    `progress` hears how many groups of all of them together are read.
    """
    counts = dict.fromkeys((cluster.name for cluster in clusters), (0, 0))

    def read(cluster: Cluster) -> Collected:
        def count(done: int, of: int) -> None:
            counts[cluster.name] = done, of
            progress(*map(sum, zip(*counts.values(), strict=True)))

        return collect_cluster(cluster, count)

    with ThreadPoolExecutor(AT_A_TIME) as threads:
        return list(threads.map(read, clusters))


def collect_cluster(cluster: Cluster, progress: Report = no_report) -> Collected:
    """Read one cluster; the result says what can't be had."""
    begun = time.monotonic()

    def collected(**columns: Any) -> Collected:
        return Collected(cluster=cluster.name, seconds=time.monotonic() - begun, **columns)

    try:
        with Connection(cluster) as brokers:
            reading = read_cluster(cluster, brokers, progress)
            requests = brokers.requests
    except UnreachableError as error:
        return collected(tables={}, left_out=[str(error)], requests=error.requests)
    statuses = [
        {"cluster": cluster.name, "group": group.name, "status": group.status, "reason": reason}
        for group in reading.groups
        if (reason := group.reason or group.why_unsupported or why_hidden(group.hidden_topics))
    ]
    return collected(
        tables=tables_of(cluster, reading),
        notes=reading.notes,
        left_out=reading.missing,
        requests=requests,
        statuses=statuses,
        leaderless=len(reading.leaderless),
    )
