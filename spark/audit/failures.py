"""How many brokers or racks may fail before a partition can't be written, read, or is lost."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

BEARS = (
    *("write_brokers", "read_brokers", "keep_brokers"),
    *("write_racks", "read_racks", "keep_racks"),
)
"""The most that may fail, whichever they are: until producers with acks=all lack in-sync replicas
(min.insync.replicas), until readers lack one that can lead, and until no replica is left.
-1: they do even now. Those of racks are null where racks of replicas aren't known."""

COLUMNS = ("cluster", "topic", "partitions", *BEARS)
"""Of the table of topics: each of `BEARS` is that of the topic's weakest partition."""

_SYNC = "coalesce(isr, replicas)"
_LEAST = "greatest(coalesce(min_insync_replicas, 1), 1)"
_RACKED = "size(replica_racks) = size(replicas) and not exists(replica_racks, r -> r is null)"
_SYNC_RACKS = (
    f"transform(filter(arrays_zip(replicas, replica_racks), x -> array_contains({_SYNC}, "
    "x.replicas)), x -> x.replica_racks)"
)
_LARGEST_FIRST = (
    "reverse(array_sort(transform(array_distinct(sync_racks), r -> size(filter(sync_racks, "
    "x -> x = r)))))"
)
_WRITE_RACKS = (
    "if(spare < 0, -1, size(filter(if(size(in_racks) > 0, sequence(1, size(in_racks)), "
    "array()), k -> aggregate(slice(in_racks, 1, k), 0, (sum, x) -> sum + x) <= spare)))"
)
"""Racks that may fail, those with most replicas in sync first, while enough are left in sync."""


def failures_of(partitions: DataFrame) -> DataFrame:
    """A row a topic of which replicas are known, with `COLUMNS`; `isr` and minimum are optional."""
    optional = {"isr": "array<int>", "min_insync_replicas": "int", "replica_racks": "array<string>"}
    absent = [
        f"cast(null as {kind}) as {name}"
        for name, kind in optional.items()
        if name not in partitions.columns
    ]
    rows = (
        partitions.selectExpr("*", *absent)
        .where("size(replicas) > 0")
        .selectExpr(
            *("cluster", "topic", "replicas", "replica_racks"),
            f"size({_SYNC}) as in_sync",
            f"size({_SYNC}) - {_LEAST} as spare",
            f"if({_RACKED}, {_SYNC_RACKS}, null) as sync_racks",
        )
        .selectExpr("*", f"{_LARGEST_FIRST} as in_racks")
    )
    of_partition = {
        "write_brokers": "greatest(spare, -1)",
        "read_brokers": "in_sync - 1",
        "keep_brokers": "size(replicas) - 1",
        "write_racks": f"if(sync_racks is null, null, {_WRITE_RACKS})",
        "read_racks": "if(sync_racks is null, null, size(in_racks) - 1)",
        "keep_racks": "if(sync_racks is null, null, size(array_distinct(replica_racks)) - 1)",
    }
    named = rows.selectExpr(
        "cluster", "topic", *(f"{text} as {name}" for name, text in of_partition.items())
    )
    least = [F.expr(f"min({name}) as {name}") for name in BEARS]
    return named.groupBy("cluster", "topic").agg(F.expr("count(*) as partitions"), *least)
