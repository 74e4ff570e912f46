"""`evenfleet graph`: questions to the graph of a fleet."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import InputError
from spark.graph import (
    FleetGraph,
    Grain,
    competitors,
    components,
    coordinate,
    coupled_groups,
    fleet_graph,
    has_graphframes,
    reach,
)
from spark.terminal import (
    SnapshotOptions,
    as_rows,
    at_most,
    busy,
    clusters_read,
    option,
    say_clusters,
    show,
)


class Question(StrEnum):
    """What a graph can be asked."""

    COUPLED_GROUPS = "coupled-groups"
    REACH = "reach"
    COMPETITORS = "competitors"
    COMPONENTS = "components"


OPTIONS = {
    Question.COUPLED_GROUPS: ("hub",),
    Question.REACH: ("broker", "rack", "topic", "cluster", "depth"),
    Question.COMPETITORS: ("cluster", "group", "member"),
    Question.COMPONENTS: ("cluster", "group"),
}
"""What a question may be asked with."""

ROWS = 20
"""Rows of each table that people see unless they ask for more."""

KEYS = ("cluster", "group")

REQUIRED = {Question.COMPETITORS: ("group", "member"), Question.COMPONENTS: ("group",)}


def graph(
    source: SnapshotOptions,
    question: Annotated[Question, option("What to ask.")],
    hub: Annotated[
        int | None,
        option(
            "coupled-groups: ignore topics that more groups read than this.",
            shown="all topics couple",
            min=1,
        ),
    ] = None,
    broker: Annotated[int | None, option("reach: the broker that fails.")] = None,
    rack: Annotated[str | None, option("reach: the rack that fails.")] = None,
    topic: Annotated[str | None, option("reach: the topic that fails.")] = None,
    depth: Annotated[int | None, option("reach: how far.", shown="to any depth", min=0)] = None,
    cluster: Annotated[
        str | None, option("Name of the cluster.", shown="the one that fits")
    ] = None,
    group: Annotated[str | None, option("competitors, components: the group.")] = None,
    member: Annotated[str | None, option("competitors: the member's id.")] = None,
    rows: Annotated[
        int | None,
        option(
            "Maximum number of rows; 0 is all.", min=0, shown="20 on a terminal, all for programs"
        ),
    ] = None,
) -> None:
    """Query the fleet as a graph: coupled groups, reach of a failure, competitors, components."""
    inputs = {
        "hub": hub,
        "broker": broker,
        "rack": rack,
        "topic": topic,
        "depth": depth,
        "cluster": cluster,
        "group": group,
        "member": member,
    }
    settings = {name: value for name, value in inputs.items() if value is not None}
    _check(question, settings)
    most = at_most(ROWS) if rows is None else rows
    with source.session(source.snapshot) as spark:
        fleet = source.fleet(spark, f"graph: {question}")
        bring_graphframes(spark)
        grain: Grain = "partition" if question is Question.REACH else "topic"
        with busy(f"asking for {question}"), fleet_graph(fleet, grain) as asked:
            answers = {
                name: as_rows((table.limit(most) if most else table).collect())
                for name, table in _answers(asked, question, settings).items()
            }
    say_clusters(fleet)
    show({**answers, **clusters_read(fleet)})


def _check(question: Question, settings: dict[str, Any]) -> None:
    """Raise InputError for options that the question doesn't have, or has to have."""
    unknown = [name for name in settings if name not in OPTIONS[question]]
    if unknown:
        raise InputError(f"--{unknown[0]} doesn't apply to --question {question}")
    lacking = [f"--{name}" for name in REQUIRED.get(question, ()) if name not in settings]
    if lacking:
        raise InputError(f"--question {question} needs {' and '.join(lacking)}")


def bring_graphframes(session: SparkSession) -> None:
    """Let Spark's resolver bring the jar; where it can't, the graph says what to do."""
    if not has_graphframes(session):
        with busy("bringing GraphFrames' jar"), suppress(Exception):
            session.sql(f"ADD JAR ivy://{coordinate('graphframes')}")


def _answers(
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
    return {"competitors": frame.drop(*KEYS).orderBy(F.desc("shared"), "member_id")}


def _cluster_of(asked: FleetGraph, group: str) -> str:
    """The one cluster that has a group of that name."""
    vertices = asked.vertices.where(F.col("group") == group).select("cluster").distinct()
    clusters = sorted(row.cluster for row in vertices.limit(5).collect())
    if len(clusters) == 1:
        return str(clusters[0])
    if not clusters:
        raise InputError(f"no cluster has a group {group!r} with members")
    raise InputError(
        f"several clusters have a group {group!r}: choose one by --cluster ({', '.join(clusters)})"
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
        F.countDistinct(*KEYS).alias("groups"),
        F.countDistinct("cluster", "topic").alias("topics"),
    )
    groups = (
        vertices.where(F.col("group").isNotNull())
        .groupBy(*KEYS)
        .agg(F.min("depth").alias("depth"), F.count("*").alias("members"))
    )
    return {
        "reach": levels.orderBy("depth", "kind"),
        "groups": groups.orderBy("depth", F.desc("members"), *KEYS),
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
