"""Live clusters as a PySpark data source: `spark.read.format("kafka_groups")`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import types as t
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from spark.errors import InputError
from spark.fleet import TABLES
from spark.sources.live.cluster import Cluster, ClusterSelection

if TYPE_CHECKING:
    import pyarrow as pa

OPTIONS = ("table", "bootstrap", "cluster", "clusters", "groups", "topics")


class KafkaGroups(DataSource):
    """One table of the live clusters, one partition a cluster.

        spark.dataSource.register(KafkaGroups)
        spark.read.format("kafka_groups").option("bootstrap", "broker:9092") \
            .option("cluster", "prod").option("table", "members").load()

    Options: `table`, one of a store's (default: assignments); `bootstrap` and `cluster`, or
    `clusters`, the path of a file like conf/clusters.toml, with `cluster` to choose one of it;
    `groups` and `topics`, patterns separated by commas. Secrets are read where the cluster is read,
    which is a worker. Each load asks the clusters again: for tables of one instant use
    `evenfleet collect`. A cluster that can't be read whole fails the job.
    """

    @classmethod
    def name(cls) -> str:
        return "kafka_groups"

    def schema(self) -> t.StructType:
        return t.StructType(
            [
                t.StructField(column.name, column.type, nullable=not column.required)
                for column in TABLES[self._table()].columns
            ]
        )

    def reader(self, schema: t.StructType) -> DataSourceReader:
        return _Reader(self._table(), self._clusters())

    def _table(self) -> str:
        table = self.options.get("table", "assignments")
        if unknown := sorted(set(self.options) - set(OPTIONS)):
            raise InputError(f"unknown option {unknown[0]!r}: choose one of {', '.join(OPTIONS)}")
        if table not in TABLES:
            raise InputError(f"unknown table {table!r}: choose one of {', '.join(TABLES)}")
        return table

    def _clusters(self) -> list[Cluster]:
        options = self.options
        name, bootstrap = options.get("cluster"), options.get("bootstrap")
        groups, topics = self._only("groups"), self._only("topics")
        if bootstrap is not None and name is not None and "clusters" not in options:
            return [
                Cluster(
                    name,
                    (bootstrap,),
                    groups=groups or ClusterSelection(),
                    topics=topics or ClusterSelection(),
                )
            ]
        if "clusters" not in options or bootstrap is not None:
            raise InputError("give the options bootstrap and cluster, or clusters")
        from spark.sources.live.clusters_file import read_clusters  # noqa: PLC0415 - pydantic

        file = options["clusters"]
        clusters = read_clusters(Path(file))
        wanted = [
            replace(cluster, groups=groups or cluster.groups, topics=topics or cluster.topics)
            for cluster in clusters
            if name in (None, cluster.name)
        ]
        if not wanted:
            raise InputError(f"{file} has no cluster {name!r}")
        return wanted

    def _only(self, key: str) -> ClusterSelection | None:
        return (
            ClusterSelection(tuple(self.options[key].split(","))) if key in self.options else None
        )


class _Reader(DataSourceReader):
    """Reads on workers, which need the extra `live` as well."""

    def __init__(self, table: str, clusters: Sequence[Cluster]) -> None:
        self._table = table
        self._clusters = clusters

    def partitions(self) -> Sequence[InputPartition]:
        return [*map(InputPartition, self._clusters)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        from spark.sources.live.collect import collect_cluster  # noqa: PLC0415

        collected = collect_cluster(partition.value)
        if not collected.tables or collected.left_out:
            raise RuntimeError("; ".join(collected.left_out))
        yield from collected.tables[self._table].to_batches()
