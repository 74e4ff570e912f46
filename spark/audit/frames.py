"""What findings about a whole fleet read, once each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import DataFrame, functions as F

from spark.groups import coordinating_brokers


@dataclass(frozen=True)
class Frames:
    """The frames by name, each a DataFrame that is computed when it is used.

    `tables` are those of the snapshot, `judged` its groups (`spark.audit.group_evaluator`).
    """

    tables: Mapping[str, DataFrame]
    judged: DataFrame

    def __getitem__(self, name: str) -> DataFrame:
        frame: DataFrame = getattr(self, name)
        return frame

    @property
    def partitions(self) -> DataFrame:
        return self.tables["partitions"]

    @property
    def brokers(self) -> DataFrame:
        return self.tables["brokers"]

    @cached_property
    def coordinators(self) -> DataFrame:
        """A row a broker that coordinates groups, or could; a group's load is members x partitions.

        cluster, broker, groups, members, partitions (of the topics that a group subscribes to) and
        load are sums over its groups; `inferred` says whether a group's coordinator was inferred;
        `heaviest` is its group of most load (load, group, seat). Then the cluster's brokers, groups
        and load, and `load_to_mean`. Clusters of which no coordinator is known are left out.
        """
        of_group = (
            self.judged.where("coordinator is not null")
            .withColumnRenamed("coordinator", "broker")
            .withColumn("load", F.expr("members * partitions"))
        )
        key = ["cluster", "broker"]
        of_broker = of_group.groupBy(*key).agg(
            F.expr("count(*)").alias("groups"),
            *(F.expr(f"sum({item})").alias(item) for item in ("members", "partitions", "load")),
            F.expr("bool_or(inferred)").alias("inferred"),
            F.expr("max(struct(load, `group`, seat))").alias("heaviest"),
        )
        every = coordinating_brokers(self.tables).join(of_broker, key, "left")
        filled = every.selectExpr(
            *key,
            *(
                f"coalesce({item}, 0L) as {item}"
                for item in ("groups", "members", "partitions", "load")
            ),
            "coalesce(inferred, false) as inferred",
            "heaviest",
        )
        of_cluster = filled.groupBy("cluster").agg(
            F.expr("count(*)").alias("cluster_brokers"),
            F.expr("sum(groups)").alias("cluster_groups"),
            F.expr("sum(load)").alias("cluster_load"),
        )
        return filled.join(of_cluster.where("cluster_groups > 0"), "cluster").selectExpr(
            "*", "try_divide(load * cluster_brokers, cluster_load) as load_to_mean"
        )
