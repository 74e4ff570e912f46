"""One group of a snapshot that Spark holds, encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.errors import InputError
from spark.fleet import TABLES, FleetSnapshot, is_named
from spark.groups.encode import encode
from spark.groups.one_group import no_such_group, several_clusters


def row_of_snapshot(
    snapshot: FleetSnapshot, group: str, cluster: str | None, with_racks: bool
) -> Any:
    """The encoded row of one group of DataFrames; only that group's rows are collected.

    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    rows = rows_of_snapshot(snapshot, [group], cluster, with_racks)
    if not rows:
        raise InputError(no_such_group(snapshot.id, group, cluster))
    if len(rows) > 1:
        raise InputError(several_clusters(group, (row.cluster for row in rows)))
    return rows[0]


def rows_of_snapshot(
    snapshot: FleetSnapshot, groups: Sequence[str], cluster: str | None, with_racks: bool
) -> list[Any]:
    """The encoded rows of groups of these names, of one cluster or of all."""
    chosen = is_named("group", groups)
    if cluster is not None:
        chosen &= is_named("cluster", [cluster])
    tables = dict(snapshot.tables)
    tables |= {name: rows.where(chosen) for name, rows in tables.items() if TABLES[name].by_group}
    read = tables["subscriptions"].select("cluster", "topic").distinct()
    of_topics = tables["partitions"].join(read, ["cluster", "topic"], "left_semi")
    FleetSnapshot(snapshot.id, tables | {"partitions": of_topics}).validate()
    # all topics of the cluster: another one may have the id of one that is read
    of_cluster = read.select("cluster").distinct()
    tables["partitions"] = tables["partitions"].join(of_cluster, "cluster", "left_semi")
    encoded: Any = encode(FleetSnapshot(snapshot.id, tables), with_racks).toPandas()
    return list(encoded.itertuples(index=False))
