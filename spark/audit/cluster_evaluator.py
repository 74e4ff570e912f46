"""Count what each cluster has, in tasks of its rows, and say what is wrong with it, in one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice

import pyarrow as pa
from pyspark.sql import DataFrame, types as t

from spark.audit.cluster_facts import FAILURES, ClusterFacts
from spark.audit.finding import ClusterFinding
from spark.audit.known import AvailableFacts
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.fleet import escaped
from spark.frames import called
from spark.groups import Cells, batch_of, rows_of, struct_of

Batches = Iterator[pa.RecordBatch]


TEXT, INT, LONG, REAL = t.StringType(), t.IntegerType(), t.LongType(), t.DoubleType()

BEARS = tuple(f"{what}_{parts}" for parts in ("brokers", "racks") for what in FAILURES)
"""The most brokers, or racks, that may fail, whichever they are: until producers with acks=all lack
in-sync replicas (min.insync.replicas), until readers lack one that can lead, and until no replica
is left. -1: they do even now. Those of racks are null where racks of replicas aren't known."""

COUNTED = struct_of(cluster=TEXT, counts=t.BinaryType())

SCHEMA = struct_of(
    cluster=TEXT,
    finding=struct_of(
        **dict.fromkeys(("subject", "finding", "severity"), TEXT),
        **dict.fromkeys(("measure", "threshold"), REAL),
        **dict.fromkeys(("sentence", "advice"), TEXT),
    ),
    coordinator=struct_of(
        broker=INT,
        **dict.fromkeys(("groups", "members", "partitions", "load"), LONG),
        load_to_mean=REAL,
        inferred=t.BooleanType(),
    ),
    failures=struct_of(topic=TEXT, partitions=LONG, **dict.fromkeys(BEARS, INT)),
)
"""A row a finding, a coordinator, or a topic that failures hit: the others are null."""

COORDINATORS = (
    *("cluster", "broker", "groups", "members", "partitions"),
    *("load", "load_to_mean", "inferred"),
)
"""Of the table of coordinators, a row a broker; a group's load is members × partitions.

The numbers are sums over its groups, `inferred` whether a group's coordinator was inferred, and
`load_to_mean` its load ÷ the mean of the cluster's brokers."""

OF_PARTITIONS = {
    **{name: escaped(name) for name in ("cluster", "topic")},
    "replica_racks": f"transform(replica_racks, one -> {escaped('one')})",
    **{
        name: name
        for name in (
            *("partition", "leader", "replicas", "isr", "min_insync_replicas"),
            *("adding_replicas", "removing_replicas"),
        )
    },
}
"""What is read of the table of partitions."""

OF_GROUPS = ("cluster", "group", "members", "partitions", "coordinator", "inferred", "seat")

OF_CONFIGS = ("cluster", "scope", "name", "key", "value")

BATCHES = 200
"""Batches of Spark's that are counted at once: one has few rows."""


def evaluate_clusters(
    partitions: DataFrame,
    judged: DataFrame | None,
    configs: DataFrame | None,
    evaluator: ClusterEvaluator,
) -> DataFrame:
    """Rows of `SCHEMA` of all clusters; those of `judged` groups, if their coordinators count."""
    columns = [f"{text} as {name}" for name, text in OF_PARTITIONS.items()]
    counted = [_counted(partitions.selectExpr(*columns), _count_partitions)]
    if judged is not None:
        groups = judged.where("coordinator is not null").select(*OF_GROUPS)
        counted.append(_counted(groups, _count_groups))
    if configs is not None:
        settings = [f"{escaped(name)} as {name}" for name in OF_CONFIGS]
        counted.append(_counted(configs.selectExpr(*settings), _count_configs))
    by_cluster = reduce(DataFrame.unionAll, counted).repartition("cluster")
    return by_cluster.mapInArrow(evaluator.evaluated, SCHEMA)


@dataclass(frozen=True)
class ClusterEvaluator:
    """Says of each cluster what the findings of these names find, and what its brokers coordinate.

    All rows of a cluster have to be in one task.
    """

    findings: Sequence[str]
    settings: AuditSettings
    available: AvailableFacts

    def evaluated(self, batches: Batches) -> Batches:
        """Counts of clusters to rows of `SCHEMA`."""
        clusters: dict[str, ClusterFacts] = {}
        for row in chain.from_iterable(map(rows_of, batches)):
            counted = pickle.loads(row.counts)
            clusters.setdefault(row.cluster, self._empty(row.cluster)).add(counted)
        for cluster in clusters.values():
            rows = [*self._findings(cluster), *_coordinators(cluster), *failures_of(cluster)]
            if rows:
                yield batch_of(rows, SCHEMA)

    def _empty(self, cluster: str) -> ClusterFacts:
        kept = self.available.offsets.get(cluster)
        return ClusterFacts(
            cluster,
            listed=self.available.listed.get(cluster, frozenset()),
            keeping=frozenset(kept.leaders.values()) if kept else frozenset(),
        )

    def _findings(self, cluster: ClusterFacts) -> Iterator[Cells]:
        for name in self.findings:
            finding, settings = FINDINGS[name], self.settings.values[name]
            assert isinstance(finding, ClusterFinding)
            for result in finding.find(cluster, settings):
                if cells := finding.cells(result, settings, finding.advice):
                    yield cluster.name, cells, None, None


def _coordinators(cluster: ClusterFacts) -> Iterator[Cells]:
    mean = cluster.mean_load
    for broker in cluster.coordinators:
        load = cluster.load[broker]
        cells = {
            "broker": broker,
            "groups": cluster.coordinated[broker],
            "members": cluster.members[broker],
            "partitions": cluster.read[broker],
            "load": load,
            "load_to_mean": load / mean if mean else None,
            "inferred": cluster.inferred[broker] > 0,
        }
        yield cluster.name, None, cells, None


def failures_of(cluster: ClusterFacts) -> Iterator[Cells]:
    """A row a topic of which replicas are counts: `BEARS` are those of its weakest partition."""
    for topic in sorted({topic for topic, _ in cluster.bears}):
        numbers = [
            bears.get((topic, what))
            for bears in (cluster.bears, cluster.bears_racks)
            for what in range(len(FAILURES))
        ]
        counts = {"topic": topic, "partitions": cluster.with_replicas[topic]}
        yield cluster.name, None, None, counts | dict(zip(BEARS, numbers, strict=True))


class _Clusters(dict[str, ClusterFacts]):
    def __missing__(self, name: str) -> ClusterFacts:
        return self.setdefault(name, ClusterFacts(name))


def _counted(rows: DataFrame, count: Callable[[Batches, _Clusters], None]) -> DataFrame:
    """What each task counts of its rows, a row a cluster."""

    def counted(batches: Batches) -> Batches:
        clusters = _Clusters()
        count(batches, clusters)
        for name, cluster in clusters.items():
            yield batch_of([(name, pickle.dumps(cluster))], COUNTED)

    return rows.mapInArrow(counted, COUNTED)


def _count_partitions(batches: Batches, clusters: _Clusters) -> None:
    while portion := [*islice(batches, BATCHES)]:
        rows = pa.Table.from_batches(portion)
        called("spark.audit.partition_counts:count_partitions", rows, clusters)


def _count_groups(batches: Batches, clusters: _Clusters) -> None:
    for row in chain.from_iterable(map(rows_of, batches)):
        clusters[row.cluster].add_group(row)


def _count_configs(batches: Batches, clusters: _Clusters) -> None:
    for row in chain.from_iterable(map(rows_of, batches)):
        if row.value is not None:
            clusters[row.cluster].configs[row.scope, row.name, row.key] = row.value
