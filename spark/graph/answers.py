"""Questions to the graph of a fleet, and the tables that answer them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import did_you_mean, plural
from spark.errors import InputError
from spark.graph.fleet_graph import FleetGraph, competitors, components, coupled_groups, reach
from spark.graph.vertices import MEMBER, PARTITION, SUBSCRIBES, name_of
from spark.groups import GROUP_KEYS
from spark.text import list_of


class Question(StrEnum):
    """A question to a graph."""

    COUPLED_GROUPS = "coupled-groups"
    REACH = "reach"
    COMPETITORS = "competitors"
    COMPONENTS = "components"


def answers(asked: FleetGraph, question: Question, options: dict[str, Any]) -> dict[str, DataFrame]:
    """The tables that answer a question, in the order in which they are shown.

    `options` get the cluster of a group or broker, if only one has it.
    """
    if question is Question.COUPLED_GROUPS:
        return _coupling_tables(asked, **options)
    key = "broker" if question is Question.REACH else "group"
    if key in options and "cluster" not in options:
        options["cluster"] = _cluster_of(asked, key, options[key])
    if question is Question.REACH:
        return _reach_tables(reach(asked, **options))
    cluster, group = options["cluster"], options["group"]
    if question is Question.COMPONENTS:
        return {"components": _parts(components(asked, cluster, group))}
    frame = competitors(asked, cluster, group, options["member"])
    return {"competitors": frame.drop(*GROUP_KEYS).orderBy(F.desc("shared"), "member_id")}


def _cluster_of(asked: FleetGraph, key: str, value: str | int) -> str:
    """The one cluster that has a group, or broker, of that name: no two fail together."""
    pairs = asked.vertices.where(F.col(key).isNotNull()).select("cluster", key).distinct().collect()
    clusters = sorted(row.cluster for row in pairs if row[key] == value)
    if len(clusters) == 1:
        return str(clusters[0])
    if not clusters:
        names = sorted({str(row[key]) for row in pairs})
        near = did_you_mean(value, names) or f": there is {list_of(key, names)}"
        what = f"{key} {value!r}" + " with members" * (key == "group")
        raise InputError(f"no cluster has a {what}{near}")
    raise InputError(
        f"several clusters have a {key} {value!r}: name its cluster ({', '.join(clusters)})"
    )


def _coupling_tables(asked: FleetGraph, hub: int | None = None) -> dict[str, DataFrame]:
    """The topics that couple groups, those of most groups first; the groups by component."""
    groups = asked.keep(coupled_groups(asked, hub))
    reads = asked.parts[SUBSCRIBES].select(
        name_of("src").alias("reader"), name_of("dst").alias("read")
    )
    readers = asked.parts[MEMBER].select(name_of("id").alias("reader"), *GROUP_KEYS)
    names = asked.parts[asked.grain].select(name_of("id").alias("read"), "topic")
    topics = (
        reads.distinct()
        .join(readers.distinct(), "reader")
        .groupBy("cluster", "read")
        .agg(F.count("*").alias("groups"), F.min("group").alias("group"))
        .where("groups > 1" if hub is None else f"groups between 2 and {hub}")
        .join(names.distinct(), "read")
        .join(groups.select(*GROUP_KEYS, "component"), [*GROUP_KEYS])
        .select("cluster", "topic", "groups", "component")
    )
    largest_first = F.desc("component_groups"), "cluster", "component", "group"
    return {
        "topics": topics.orderBy(F.desc("groups"), "cluster", "topic"),
        "groups": groups.orderBy(*largest_first),
    }


def _reach_tables(vertices: DataFrame) -> dict[str, DataFrame]:
    """The groups, the nearest first; how many of what at which depth."""
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
        "groups": groups.orderBy("depth", F.desc("members"), *GROUP_KEYS),
        "reach": levels.orderBy("depth", "kind"),
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


Rows = Sequence[Mapping[str, Any]]


def sentence_of(question: Question, options: Mapping[str, Any], tables: Mapping[str, Rows]) -> str:
    """The answer to a question, of the rows of its tables."""
    if question is Question.COUPLED_GROUPS:
        return _coupled_in_words(**tables)
    if question is Question.REACH:
        return _reached_in_words(options, tables["groups"], tables["reach"])
    if question is Question.COMPONENTS:
        return _parts_in_words(options["group"], tables["components"])
    others, owned = tables["competitors"], sum(row["owned"] for row in tables["competitors"])
    members = plural(len(others), "other member")
    return f"{members} may read what {options['member']} may read, and own {owned:,} of it."


def _coupled_in_words(topics: Rows, groups: Rows) -> str:
    coupled = [row for row in groups if row["component_groups"] > 1]
    alone = f"{len(groups) - len(coupled):,} of {plural(len(groups), 'group')}"
    answer = f"{alone} can be rolled out alone: they share no topic with others."
    if not coupled:
        return answer
    key = ("cluster", "component")
    cluster, component = (coupled[0][name] for name in key)
    through = [row for row in topics if (row["cluster"], row["component"]) == (cluster, component)]
    more = f" and {plural(len(through) - 1, 'other topic')}" * (len(through) > 1)
    parts = plural(len({tuple(row[name] for name in key) for row in coupled}), "other part")
    return (
        f"{answer} The largest of {parts} couples {coupled[0]['component_groups']:,} groups of "
        f"{cluster}, through {through[0]['topic']} ({through[0]['groups']:,} groups){more}."
    )


def _reached_in_words(options: Mapping[str, Any], groups: Rows, levels: Rows) -> str:
    """The answer on a failure: what it takes along at once, and how far that goes."""
    what = next(f"{of} {options[of]}" for of in ("broker", "rack", "topic") if of in options)
    where = f" of {options['cluster']}" if "cluster" in options else ""
    lost = next((row for row in levels if row["kind"] == PARTITION), None)
    owners = next((row for row in levels if row["kind"] == MEMBER), None)
    if not (lost and owners):
        return f"If {what}{where} fails, no member loses a partition."
    more = f" Through what these share, {len(groups):,} groups are touched."
    more *= len(groups) > owners["groups"]
    return (
        f"If {what}{where} fails, {plural(lost['reached'], 'partition')} can't be read until "
        f"another broker leads them: those of {plural(owners['reached'], 'member')} in "
        f"{plural(owners['groups'], 'group')}.{more}"
    )


def _parts_in_words(group: str, parts: Rows) -> str:
    members, partitions = (plural(parts[0][name], name[:-1]) for name in ("members", "partitions"))
    if len(parts) == 1:
        return f"Group {group} is one part ({members}, {partitions}): it is balanced as a whole."
    return (
        f"Group {group} has {len(parts):,} parts that share nothing: each is balanced on its "
        f"own. The largest has {members} and {partitions}."
    )
