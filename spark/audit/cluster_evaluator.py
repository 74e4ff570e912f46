"""Count what each cluster has, in one task, and say what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, types as t

from spark.audit.cluster_facts import BEARS, ClusterFacts
from spark.audit.finding import ClusterFinding
from spark.audit.known import AvailableFacts
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.fleet import escape
from spark.frames import call
from spark.groups import Cells, batch_of, struct_of

TEXT, INT, LONG, REAL = t.StringType(), t.IntegerType(), t.LongType(), t.DoubleType()

LOAD = struct_of(
    broker=INT,
    **dict.fromkeys(("groups", "members", "partitions", "load"), LONG),
    load_to_mean=REAL,
    inferred=t.BooleanType(),
)

SCHEMA = struct_of(
    cluster=TEXT,
    finding=struct_of(
        **dict.fromkeys(("subject", "finding", "severity"), TEXT),
        **dict.fromkeys(("measure", "threshold"), REAL),
        **dict.fromkeys(("sentence", "advice"), TEXT),
    ),
    coordinator=LOAD,
    failures=struct_of(topic=TEXT, partitions=LONG, **dict.fromkeys(BEARS, INT)),
)
"""A row a finding, a coordinator, or a topic that failures hit: the others are null."""

COORDINATORS = ("cluster", *LOAD.names)
"""Of the table of coordinators, a row a broker; a group's load is members × partitions.

The numbers are sums over its groups, `inferred` whether a group's coordinator was inferred, and
`load_to_mean` its load ÷ the mean of the cluster's brokers."""

OF_PARTITIONS = (
    *(f"{escape('cluster')} as cluster", f"{escape('topic')} as topic"),
    *("partition", "leader", "replicas", "isr"),
    f"transform(replica_racks, one -> {escape('one')}) as replica_racks",
    *("min_insync_replicas", "adding_replicas", "removing_replicas"),
)
"""SQL text: what is read of the table of partitions."""

OF_GROUPS = ("cluster", "coordinator", "`group`", "members", "partitions", "inferred", "seat")

OF_CONFIGS = tuple(
    f"{escape(name)} as {name}" for name in ("cluster", "scope", "name", "key", "value")
)


def evaluate_clusters(
    partitions: DataFrame,
    judged: DataFrame | None,
    configs: DataFrame | None,
    evaluator: ClusterEvaluator,
) -> DataFrame:
    """Rows of `SCHEMA` of all clusters; those of `judged` groups, if their coordinators count."""
    kinds = [_of_kind("partition", partitions, OF_PARTITIONS)]
    if judged is not None:
        groups = judged.where("coordinator is not null")
        kinds.append(_of_kind("coordinated", groups, OF_GROUPS))
    if configs is not None:
        kinds.append(_of_kind("config", configs, OF_CONFIGS))
    rows = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), kinds)
    return rows.repartition("cluster").mapInArrow(evaluator.evaluate, SCHEMA)


def _of_kind(kind: str, rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    return rows.selectExpr(*columns, f"'{kind}' as kind")


@dataclass(frozen=True)
class ClusterEvaluator:
    """Says of each cluster what the findings of these names find, and what its brokers coordinate.

    All rows of a cluster have to be in one task.
    """

    findings: Sequence[str]
    settings: AuditSettings
    available: AvailableFacts

    def evaluate(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """All rows of some clusters to rows of `SCHEMA`."""
        if filled := [batch for batch in batches if batch.num_rows]:
            rows = pa.Table.from_batches(filled)
            for name, columns in call("spark.audit.cluster_counts:counts_of", rows).items():
                if cells := [*self._cells(name, columns)]:
                    yield batch_of(cells, SCHEMA)

    def _cells(self, name: str, columns: dict[str, Any]) -> Iterator[Cells]:
        kept = self.available.offsets.get(name)
        listed = self.available.listed.get(name, frozenset())
        keeping = frozenset(kept.leaders.values()) if kept else frozenset[int]()
        cluster = ClusterFacts(name=name, listed=listed, keeping=keeping, **columns)
        yield from ((name, finding, None, None) for finding in self._findings(cluster))
        yield from ((name, None, load, None) for load in _coordinators(cluster))
        yield from ((name, None, None, failures) for failures in cluster.failures)

    def _findings(self, cluster: ClusterFacts) -> Iterator[dict[str, Any]]:
        for name in self.findings:
            finding, thresholds = FINDINGS[name], self.settings.values[name]
            assert isinstance(finding, ClusterFinding)
            yield from finding.rows(cluster, thresholds)


def _coordinators(cluster: ClusterFacts) -> Iterator[dict[str, Any]]:
    mean = cluster.mean_load
    for broker, groups in cluster.coordinators.items():
        ratio = groups.load / mean if mean else None
        yield {"broker": broker, **groups._asdict(), "load_to_mean": ratio}
