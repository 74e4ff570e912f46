"""Counts of a cluster by polars: its partitions, groups that brokers coordinate, and settings."""

from collections import Counter
from typing import Any

import polars as pl

from spark.audit.cluster_facts import BEARS, Coordinated, CoordinatedGroup

PLACE = ("topic", "partition")

FIRST_OF = ("leaderless", "refusing", "stuck", "reversed")
"""Masks of partitions of which the first of a topic is named."""


def counts_of(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """The fields of `ClusterFacts` of each cluster, of all its rows of every `kind`."""
    of_clusters = rows.partition_by("cluster", as_dict=True, include_key=False)
    return {name: _fields(of_cluster) for (name,), of_cluster in of_clusters.items()}


def _fields(rows: pl.DataFrame) -> dict[str, Any]:
    partitions = _with_counts(rows.filter(pl.col("kind") == "partition"))
    racked = _with_racks(partitions)
    columns: dict[str, Any] = {
        "counts": _topics(partitions) | _brokers(partitions) | _racks(racked),
        "failures": _failures(partitions, racked),
    }
    if "coordinator" in rows.columns:
        columns["coordinated"] = _by_coordinator(rows.filter(pl.col("kind") == "coordinated"))
    if "scope" in rows.columns:
        configs = rows.filter(pl.col("value").is_not_null()).select("scope", "name", "key", "value")
        columns["configs"] = {
            (scope, name, key): value for scope, name, key, value in configs.rows()
        }
    return columns


def _with_counts(rows: pl.DataFrame) -> pl.DataFrame:
    """Partitions with their numbers of replicas; -1 is what isn't known."""
    sizes = pl.col("replicas").list.len().cast(pl.Int64)
    rows = rows.with_row_index("row").with_columns(
        pl.col("leader", "min_insync_replicas").fill_null(-1),
        size=sizes.fill_null(-1),
        in_sync=pl.coalesce(pl.col("isr").list.len().cast(pl.Int64), sizes, -1),
    )
    return rows.with_columns(spare=pl.col("in_sync") - pl.max_horizontal("min_insync_replicas", 1))


def _topics(rows: pl.DataFrame) -> dict[str, Counter[Any]]:
    """Partitions by topic, and the first of some.

    `partitions` are all, those `with_replicas` are known. They have a `single` one, are
    `at_minimum` of replicas in sync (`minimum` is the largest such setting, `fewest` the fewest
    replicas), or have a replica `out_of_sync`, of these those `one_from_loss` one in sync or none.
    They are `leaderless`, `refusing` records of acks=all, or their reassignment is `stuck` without
    a leader, or `reversed`.
    """
    size, leader, minimum = (pl.col(name) for name in ("size", "leader", "min_insync_replicas"))
    adding, removing = pl.col("adding_replicas"), pl.col("removing_replicas")
    is_reversed = (adding.list.set_intersection(removing).list.len() > 0).fill_null(False)
    is_behind = (size > 0) & (pl.col("in_sync") < size)
    masks = {
        "partitions": pl.lit(True),
        "with_replicas": size >= 0,
        "single": size == 1,
        "at_minimum": (minimum > 1) & (size >= 1) & (size <= minimum),
        "out_of_sync": is_behind,
        "one_from_loss": is_behind & (pl.col("in_sync") < 2),
        # tasks of connectors, which stand among partitions, never have a leader
        "leaderless": (leader < 0) & ~pl.col("topic").str.contains("/", literal=True),
        # as Kafka's Partition.effectiveMinIsr: no more have to be in sync than there are
        "refusing": (
            (leader >= 0) & (pl.col("isr").list.len() < pl.min_horizontal(minimum, size))
        ).fill_null(False),
        "stuck": (leader < 0) & (adding.list.len() > 0).fill_null(False) & ~is_reversed,
        "reversed": is_reversed,
    }
    of_topic = rows.with_columns(**masks).group_by("topic")
    return _by_key(
        of_topic.agg(
            pl.col(*masks).sum().replace(0, None),
            *(pl.col("partition").filter(name).min().alias(f"first_{name}") for name in FIRST_OF),
            minimum=minimum.filter("at_minimum").max(),
            fewest=size.filter("at_minimum").min(),
        )
    )


def _brokers(rows: pl.DataFrame) -> dict[str, Counter[Any]]:
    """Partitions by broker: `replicas`, and those that are `led`.

    Of some it is the `preferred` leader, and others lead these (`away`); its replica is out of sync
    (`behind`), or `alone` in sync.
    """
    replicas, isr, leader = (pl.col(name) for name in ("replicas", "isr", "leader"))
    led = rows.filter(leader >= 0)
    preferred = led.filter(pl.col("size") > 0).with_columns(broker=replicas.list.first())
    behind = rows.select(*PLACE, broker=replicas.list.set_difference(isr)).explode("broker")
    alone = rows.filter((pl.col("size") > 1) & (isr.list.len() == 1))
    alone = alone.with_columns(broker=isr.list.first().fill_null(-1))
    return {
        "replicas": _sizes(rows.select(broker=replicas.explode()).filter(pl.col("broker") >= 0)),
        "led": _sizes(led.select(broker=leader)),
        "preferred": _sizes(preferred.with_columns(pl.col("broker").fill_null(-1))),
        "away": _sizes(preferred.filter(pl.col("broker").fill_null(-1) != leader)),
        **_by_key(_with_first("behind", behind.filter(pl.col("broker") >= 0))),
        **_by_key(_with_first("alone", alone)),
    }


def _with_racks(rows: pl.DataFrame) -> pl.DataFrame:
    """Partitions with a rack for each replica, though that may be null."""
    is_complete = pl.col("replica_racks").list.len() == pl.col("replicas").list.len()
    return rows.filter(is_complete & (pl.col("size") > 0))


def _of_replicas(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a replica whose rack is known."""
    columns = rows.select("row", "size", "spare", "isr", broker="replicas", rack="replica_racks")
    return columns.explode("broker", "rack").drop_nulls("rack")


def _racks(rows: pl.DataFrame) -> dict[str, Counter[Any]]:
    """The `rack` of each broker, and partitions with several replicas whose racks are known.

    `racks` counts their replicas by rack, `held` those that the rack has all of.
    """
    replicas, racks = _of_replicas(rows), pl.col("replica_racks").list
    held = rows.filter((pl.col("size") > 1) & (racks.n_unique() == 1))
    held = held.with_columns(rack=racks.first()).drop_nulls("rack")
    of_broker = replicas.filter(pl.col("broker") >= 0).group_by("broker")
    return {
        **_by_key(of_broker.agg(pl.col("rack").max())),
        "racks": _sizes(replicas.filter(pl.col("size") > 1), "rack"),
        **_by_key(_with_first("held", held, "rack")),
    }


def _failures(rows: pl.DataFrame, racked: pl.DataFrame) -> list[dict[str, Any]]:
    """A row a topic of which replicas are known: see `ClusterFacts`."""
    racks = pl.col("replica_racks").list
    placed = racked.filter(~racks.eval(pl.element().is_null()).list.any())
    in_sync = pl.col("isr").is_null() | pl.col("isr").list.contains(pl.col("broker"))
    failing = racks_that_may_fail(_of_replicas(racked).filter(in_sync))
    lost = pl.when(pl.col("spare") < 0).then(-1).otherwise(pl.col("lost").fill_null(0))
    of_racks = placed.join(failing, "row", "left").select(
        "row",
        written=lost,
        read=pl.col("all").fill_null(0) - 1,
        kept=racks.n_unique().cast(pl.Int64) - 1,
    )
    size = pl.col("size")
    of_brokers = (pl.col("spare"), pl.col("in_sync") - 1, size - 1)
    bears = (
        *(pl.when(size > 0).then(most) for most in of_brokers),
        *map(pl.col, ("written", "read", "kept")),
    )
    of_topic = rows.filter(size >= 0).join(of_racks, "row", "left").group_by("topic")
    weakest = of_topic.agg(
        pl.len().alias("partitions"),
        *(most.clip(-1).min().alias(name) for name, most in zip(BEARS, bears, strict=True)),
    )
    return weakest.drop_nulls(BEARS[0]).sort("topic").to_dicts()


def racks_that_may_fail(replicas: pl.DataFrame) -> pl.DataFrame:
    """By row: of how many racks its replicas are (`all`), and how many of these may fail (`lost`).

    Those with most replicas first, that together have no more replicas than the row can `spare`.
    """
    of_rack = replicas.group_by("row", "spare", "rack").agg(held=pl.len().cast(pl.Int64))
    sums = of_rack.sort("held", descending=True).with_columns(pl.col("held").cum_sum().over("row"))
    return sums.group_by("row").agg(
        all=pl.len().cast(pl.Int64), lost=(pl.col("held") <= pl.col("spare")).sum().cast(pl.Int64)
    )


def _by_coordinator(rows: pl.DataFrame) -> dict[int, Coordinated]:
    sizes = pl.col("members").cast(pl.Int64), pl.col("partitions").cast(pl.Int64)
    of_broker = rows.with_columns(*sizes, load=sizes[0] * sizes[1]).group_by("coordinator")
    loads = of_broker.agg(
        pl.col("members", "partitions", "load").sum(),
        pl.col("inferred").any(),
        groups=pl.len(),
        heaviest=pl.struct("load", "group", "seat").sort_by("load", "group").last(),
    )
    return {
        row.pop("coordinator"): Coordinated(heaviest=CoordinatedGroup(**row.pop("heaviest")), **row)
        for row in loads.to_dicts()
    }


def _with_first(name: str, rows: pl.DataFrame, by: str = "broker") -> pl.DataFrame:
    """Partitions by broker or rack, and the first of them."""
    first = pl.struct(PLACE).first().alias(f"first_{name}")
    return rows.sort(PLACE).group_by(by).agg(pl.len().alias(name), first)


def _sizes(rows: pl.DataFrame, by: str = "broker") -> Counter[Any]:
    return Counter(dict(rows.group_by(by).len().rows()))


def _by_key(rows: pl.DataFrame) -> dict[str, Counter[Any]]:
    """Each column by the first one, where it isn't null."""
    key, *columns = rows.columns
    return {name: Counter(dict(rows.select(key, name).drop_nulls(name).rows())) for name in columns}
