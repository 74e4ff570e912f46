"""Questions to the graph of a fleet, and the tables that answer them."""

from enum import StrEnum
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import did_you_mean
from spark.errors import InputError
from spark.graph.fleet_graph import FleetGraph, competitors, components, coupled_groups, reach
from spark.groups import GROUP_KEYS


class Question(StrEnum):
    """What a graph can be asked."""

    COUPLED_GROUPS = "coupled-groups"
    REACH = "reach"
    COMPETITORS = "competitors"
    COMPONENTS = "components"


def answers(
    asked: FleetGraph, question: Question, settings: dict[str, Any]
) -> dict[str, DataFrame]:
    """The tables that answer a question, in the order in which they are shown."""
    if question is Question.COUPLED_GROUPS:
        return _coupled(coupled_groups(asked, **settings))
    if question is Question.REACH:
        return _reached(reach(asked, **settings))
    cluster = settings.get("cluster") or _cluster_of(asked, settings["group"])
    if question is Question.COMPONENTS:
        return {"components": _parts(components(asked, cluster, settings["group"]))}
    frame = competitors(asked, cluster, settings["group"], settings["member"])
    return {"competitors": frame.drop(*GROUP_KEYS).orderBy(F.desc("shared"), "member_id")}


def _cluster_of(asked: FleetGraph, group: str) -> str:
    """The one cluster that has a group of that name."""
    vertices = asked.vertices.where(F.col("group") == group).select("cluster").distinct()
    clusters = sorted(row.cluster for row in vertices.limit(5).collect())
    if len(clusters) == 1:
        return str(clusters[0])
    if not clusters:
        groups = asked.vertices.select("group").distinct().collect()
        near = did_you_mean(group, (row.group for row in groups if row.group))
        raise InputError(f"no cluster has a group {group!r} with members{near}")
    raise InputError(
        f"several clusters have a group {group!r}: name its cluster ({', '.join(clusters)})"
    )


def _coupled(groups: DataFrame) -> dict[str, DataFrame]:
    """The fleet in a row, then the groups, the largest component first."""
    alone = F.col("component_groups") == 1
    fleet = groups.agg(
        F.count("*").alias("groups"),
        F.count_if(alone).alias("alone"),
        F.count_if(~alone).alias("coupled"),
        F.count_if(F.col("group") == F.col("component")).alias("components"),
        F.max("component_groups").alias("largest_component"),
    )
    largest_first = groups.orderBy(F.desc("component_groups"), "cluster", "component", "group")
    return {"fleet": fleet, "groups": largest_first}


def _reached(vertices: DataFrame) -> dict[str, DataFrame]:
    """How many of what at which depth, then the groups, the nearest first."""
    levels = vertices.groupBy("depth", "kind").agg(
        F.count("*").alias("reached"),
        F.countDistinct(*GROUP_KEYS).alias("groups"),
        F.countDistinct("cluster", "topic").alias("topics"),
    )
    groups = (
        vertices.where(F.col("group").isNotNull())
        .groupBy(*GROUP_KEYS)
        .agg(F.min("depth").alias("depth"), F.count("*").alias("members"))
    )
    return {
        "reach": levels.orderBy("depth", "kind"),
        "groups": groups.orderBy("depth", F.desc("members"), *GROUP_KEYS),
    }


def _parts(vertices: DataFrame) -> DataFrame:
    """One row a component, the largest first."""
    return (
        vertices.groupBy("component")
        .agg(
            F.count("member_id").alias("members"),
            F.countDistinct("topic").alias("topics"),
            F.coalesce(F.sum("partitions"), F.lit(0)).alias("partitions"),
        )
        .orderBy(F.desc("partitions"), "component")
    )
