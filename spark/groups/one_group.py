"""The row of one group, of files without Spark or of DataFrames."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from optimizer.figures import did_you_mean
from spark.errors import InputError
from spark.fleet import (
    TABLES,
    TOPIC_KEYS,
    FleetFiles,
    FleetSnapshot,
    describe_null_keys,
    groups_like,
    is_named,
    names_wanted,
    near_miss,
    spell,
)
from spark.groups.cut import groups_of
from spark.groups.encode import encode, weight_tables
from spark.groups.file_parts import numbered, parts_of_files
from spark.groups.rows import COLUMN, SUBSCRIPTION, Parts, parts_in, parts_of
from spark.store import ValueFilter


def one_row(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None = None,
    racks: bool = False,
    weights: Collection[str] = (),
    rates: DataFrame | None = None,
) -> Any:
    """The row of one group: see `rows_of_named`.

    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    rows = rows_of_named(snapshot, [group], cluster, racks, weights, rates)
    if not rows:
        raise InputError(no_such_group(snapshot, group, cluster))
    if len(rows) > 1:
        raise InputError(several_clusters(group, (row.cluster for row in rows)))
    return rows[0]


def rows_of_named(
    snapshot: FleetSnapshot | FleetFiles,
    groups: Sequence[str],
    cluster: str | None = None,
    racks: bool = False,
    weights: Collection[str] = (),
    rates: DataFrame | None = None,
) -> list[Any]:
    """The rows of groups of these names, of one cluster or of all; no others are collected.

    A name that isn't UTF-8 is meant by how it is spelled. `weights` are where those come from that
    go along. InputError for null keys, and for files alone where weights aren't the partitions'
    own column.
    """
    if not {*weights} - {COLUMN} and (files := snapshot.files):
        named = names_wanted(groups)
        parts = parts_of_files(files, racks, COLUMN in weights, cluster, named)
        _check_keys(files, cluster, named, parts)
        return groups_of(parts)
    if isinstance(snapshot, FleetFiles):
        raise InputError("weights by lag or rates take a FleetSnapshot, which Spark reads")
    column = is_named("group", groups)
    if cluster is not None:
        column &= is_named("cluster", [cluster])
    tables = dict(snapshot.tables)
    tables |= {name: rows.where(column) for name, rows in tables.items() if TABLES[name].by_group}
    read = tables["subscriptions"].select("cluster", "topic").distinct()
    of_topics = tables["partitions"].join(read, ["cluster", "topic"], "left_semi")
    replace(snapshot, tables=tables | {"partitions": of_topics}).validate()
    # all topics of the cluster: another one may have the id of one that is read
    of_cluster = read.select("cluster").distinct()
    tables["partitions"] = tables["partitions"].join(of_cluster, "cluster", "left_semi")
    chosen_rows = FleetSnapshot(snapshot.id, tables)
    encoded = encode(chosen_rows, racks, weights=weight_tables(chosen_rows, weights, rates))
    return groups_of(parts_in(encoded.toArrow(), parts_of(encoded)))


def no_such_group(fleet: FleetSnapshot | FleetFiles, group: str, cluster: str | None) -> str:
    """The sentence on a group that isn't there."""
    clusters = fleet.instants
    if clusters and cluster is not None and cluster not in clusters:
        near = did_you_mean(cluster, clusters)
        return f"snapshot {fleet.id} has no cluster {cluster!r}{near}"
    where = f" in cluster {cluster!r}" if cluster is not None else ""
    if "*" in group or "?" in group:
        return f"give the name of one group: {group!r} matches {groups_like(fleet, group, cluster)}"
    near = near_miss(fleet, "group", group, cluster)
    return f"snapshot {fleet.id} has no group {group!r}{where}{near}"


def several_clusters(group: str, clusters: Iterable[str]) -> str:
    """The sentence where several clusters have a group of this name."""
    among = ", ".join(sorted(clusters))
    return f"several clusters have a group {group!r}: choose its cluster of {among}"


def _check_keys(fleet: FleetFiles, cluster: str | None, named: ValueFilter, parts: Parts) -> None:
    """Raise InputError for null keys in the group's rows."""
    nulls = fleet.null_keys("brokers")
    for name, table in TABLES.items():
        if table.by_group:
            nulls += fleet.null_keys(name, cluster, group=named)
    topics: dict[str, set[bytes]] = {}
    for of_cluster, topic in numbered(parts[SUBSCRIPTION], TOPIC_KEYS)[1]:
        if of_cluster is not None and topic is not None:
            topics.setdefault(spell(of_cluster), set()).add(topic)
    for of, read in topics.items():
        nulls += fleet.null_keys("partitions", of, topic=ValueFilter(frozenset(read)))
    if nulls:
        raise InputError(describe_null_keys(fleet.id, nulls))
