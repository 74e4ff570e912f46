"""The encoded row of one group, of files without Spark or of DataFrames."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from spark.errors import InputError
from spark.fleet import TABLES, FleetFiles, FleetSnapshot, is_named
from spark.groups.batches import rows_of
from spark.groups.encode import encode
from spark.groups.one_group import no_such_group, row_of_group, several_clusters
from spark.groups.weights import COLUMN, weight_tables


def one_row(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None,
    racks: bool = False,
    weights: Collection[str] = (),
    rates: DataFrame | None = None,
) -> Any:
    """The row of one group; only this group's rows are collected.

    `weights` are where those come from that go along; all but those of the partitions' own column
    take DataFrames.

    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    if isinstance(snapshot, FleetFiles):
        return row_of_group(snapshot, group, cluster, racks, COLUMN in weights)
    rows = rows_in_frames(snapshot, [group], cluster, racks, weights, rates)
    if not rows:
        raise InputError(no_such_group(snapshot, group, cluster))
    if len(rows) > 1:
        raise InputError(several_clusters(group, (row.cluster for row in rows)))
    return rows[0]


def rows_in_frames(
    snapshot: FleetSnapshot,
    groups: Sequence[str],
    cluster: str | None = None,
    racks: bool = False,
    sources: Collection[str] = (),
    rates: DataFrame | None = None,
) -> list[Any]:
    """The rows of groups of these names, of one cluster or of all, from DataFrames."""
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
    weights = weight_tables(chosen_rows, sources, rates)
    encoded = encode(chosen_rows, racks, weights=weights).toArrow()
    return [row for batch in encoded.to_batches() for row in rows_of(batch)]
