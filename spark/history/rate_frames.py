"""What comes in and what is read, as frames of polars: a function a table of rates."""

from collections.abc import Sequence

import polars as pl

from spark.fleet import PARTITION_KEYS
from spark.history.consumption_frames import consumption_frame
from spark.history.offset_frames import SUMMARY, Offsets, offsets_of, placed, previous, summary
from spark.history.rates_series import TRACK, Doubt
from spark.history.timeline import AT


def made_of(
    rows: pl.DataFrame,
    quantile: float,
    doubts: Sequence[Doubt],
    instants: Sequence[tuple[str, str, int]],
) -> pl.DataFrame:
    """The rows of `spark.history.rates_series`; `instants` have cluster, snapshot and seconds."""
    offsets = offsets_of(placed(rows, instants), doubts)
    ids = {at: snapshot for _, snapshot, at in instants}
    frames = {
        "jumps": jumps_frame(offsets),
        "rates": rates_frame(offsets, quantile),
        "pairs": pairs_frame(offsets),
        "consumption": consumption_frame(offsets, quantile),
        "backlog": backlog_frame(offsets),
        "reads": reads_frame(offsets),
        "commits": commits_frame(offsets),
    }
    names = pl.col("^last_seen$").replace_strict(ids, return_dtype=pl.String)
    tables = [
        frame.with_columns(pl.col(pl.Categorical).cast(pl.String), names).select(
            pl.struct(pl.all()).alias(name)
        )
        for name, frame in frames.items()
    ]
    return pl.concat(tables, how="diagonal")


def rates_frame(offsets: Offsets, quantile: float) -> pl.DataFrame:
    """A row a partition: see `FleetRates.rates`."""
    seen = offsets.ends.group_by("series").agg(last_seen=pl.col(AT).last())
    return (
        offsets.partitions.join(seen, "series")
        .join(summary(offsets.written, "series", quantile), "series", "left")
        .with_columns(pl.col("pairs", "resets").fill_null(0))
        .select(*PARTITION_KEYS, "last_seen", *SUMMARY)
    )


def pairs_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a partition with its `pairs` in order of time: see `FleetRates.pairs`."""
    pairs = offsets.written.filter(pl.col("before").is_not_null())
    lists = pairs.group_by("series").agg(pairs=pl.struct("since", AT, "rate"))
    return offsets.partitions.join(lists, "series").select(*PARTITION_KEYS, "pairs")


def backlog_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a partition of a group: see `FleetRates.backlog`."""
    is_read = pl.col("committed").is_not_null() | pl.col("lag").is_not_null()
    first = offsets.tracks.group_by("track").agg(
        pl.col("lag", "end").first(), since=pl.col(AT).first(), is_read=is_read.any()
    )
    return offsets.keys.join(first, "track").select(
        *TRACK, "since", "lag", uncommitted=pl.when(~pl.col("is_read")).then("end")
    )


def reads_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a member and pair: the `rate` at which it read what it owned at both ends of it."""
    is_owned = pl.col("owner") == previous("owner", "track")
    return (
        offsets.read.filter(pl.col("rate").is_not_null() & is_owned)
        .join(offsets.keys.select("track", "cluster", "group"), "track")
        .group_by("cluster", "group", pl.col("owner").alias("member_id"), "since", AT)
        .agg(pl.col("rate").sum())
    )


def commits_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a group, instant and owner (or none): offsets that `changed` since their neighbour."""
    return (
        offsets.read.filter(pl.col("committed") != pl.col("before"))
        .join(offsets.keys.select("track", "cluster", "group"), "track")
        .group_by("cluster", "group", AT, "owner")
        .agg(changed=pl.len().cast(pl.Int64))
    )


def jumps_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a cluster and instant: see `spark.history.rates_series.COUNTS`."""
    rose, fell = pl.col("end") > pl.col("before"), pl.col("end") < pl.col("before")
    pairs = offsets.written.with_columns(rose=rose.fill_null(False), fell=fell.fill_null(False))
    topics = pl.when("fell").then("topic")
    return (
        pairs.with_columns(written=pl.col("rose").any().over("series"))
        .join(offsets.partitions, "series")
        .group_by("cluster", AT)
        .agg(
            pl.col("since").max(),
            pl.col("rose", "written").sum().cast(pl.Int64),
            fell=(pl.col("fell") & pl.col("written")).sum().cast(pl.Int64),
            topic=topics.min(),
            other_topic=topics.max(),
        )
    )
