"""Rates of what comes in and what is read, as frames of polars: a function a table."""

from collections.abc import Sequence

import polars as pl

from spark.history.offset_frames import (
    Offsets,
    at_instants,
    offsets_of,
    pairs_of,
    previous,
    summary,
)
from spark.history.rates_series import MADE, Doubt
from spark.history.timeline import AT


def made_of(
    rows: pl.DataFrame,
    quantile: float,
    doubts: Sequence[Doubt],
    instants: Sequence[tuple[str, str, int]],
) -> pl.DataFrame:
    """The rows of `spark.history.rates_series`; `instants` have cluster, snapshot and seconds."""
    offsets = offsets_of(at_instants(rows, instants), doubts)
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
            pl.struct(*MADE[name]).alias(name)
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
    )


def pairs_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a partition with its `pairs` in order of time: see `FleetRates.pairs`."""
    pairs = offsets.written.filter(pl.col("before").is_not_null())
    lists = pairs.group_by("series").agg(pairs=pl.struct("since", AT, "rate"))
    return offsets.partitions.join(lists, "series")


def backlog_frame(offsets: Offsets) -> pl.DataFrame:
    """A row a partition of a group: see `FleetRates.backlog`."""
    is_read = pl.col("committed").is_not_null() | pl.col("lag").is_not_null()
    first = offsets.tracks.group_by("track").agg(
        pl.col("lag", "end").first(), since=pl.col(AT).first(), is_read=is_read.any()
    )
    uncommitted = pl.when(~pl.col("is_read")).then("end")
    return offsets.keys.join(first, "track").with_columns(uncommitted=uncommitted)


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
    """A row a cluster and instant: see `spark.history.rates_series.MADE`."""
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


A_LINE = 0.5
"""A lag grows, and doesn't just vary, where time explains so much of its variance (r²)."""


def consumption_frame(offsets: Offsets, quantile: float) -> pl.DataFrame:
    """A row a partition of a group: what is read, by the committed offsets.

    `now` is the rate of the newest pair. `lag` is that in `last_seen`, not below 0; `lag_trend`
    by how many records a second it grew, as the line of least squares has it, since an offset
    last fell. `lag_seconds` is how long before `last_seen` the end was where the committed
    offset is, on straight lines between snapshots; where the window doesn't reach back so far,
    it is `at_least` that. `seconds_to_drain`: how long until there is no lag if it goes on to
    shrink as it did between the last two snapshots; null where it didn't. It `falls_behind`
    where it grew then, and over time more than it varied.
    """
    now = offsets.read.group_by("track").agg(now=pl.col("rate").last())
    last = offsets.tracks.group_by("track").agg(pl.col("series", AT, "committed", "lag").last())
    rows = offsets.keys.join(last.rename({AT: "last_seen"}), "track")
    sums = summary(offsets.read, "track", quantile)
    for more in (sums, now, trends(offsets), ages(last, offsets.written)):
        rows = rows.join(more, "track", "left")
    lag, pace = pl.col("lag"), pl.col("pace")
    grows = (lag > 0) & (pace > 0) & (pl.col("lag_trend") > 0) & (pl.col("fit") >= A_LINE)
    seconds = pl.when(lag == 0).then(0.0).when((lag > 0) & (pace < 0)).then(lag / -pace)
    is_known = (lag == 0) | (lag.is_not_null() & pace.is_not_null())
    return rows.with_columns(
        pl.col("pairs", "resets").fill_null(0),
        seconds_to_drain=seconds,
        falls_behind=pl.when(is_known).then(grows.fill_null(False)),
    )


def trends(offsets: Offsets) -> pl.DataFrame:
    """Records a second by which each track's lag grows; null where that isn't known.

    `pace` since its neighbour, `lag_trend` as the line of least squares has it, since an offset
    last fell; `fit` is its r².
    """
    tracks = offsets.tracks
    ends = pairs_of(tracks, "track", "end").filter(pl.col("end") < pl.col("before"))
    read = offsets.read.filter(pl.col("committed") < pl.col("before"))
    broke = pl.concat([rows.select("track", AT) for rows in (ends, read)]).group_by("track")
    points = (
        tracks.filter(pl.col("lag").is_not_null())
        .join(broke.agg(broke=pl.col(AT).max()), "track", "left", maintain_order="left")
        .filter(pl.col("broke").is_null() | (pl.col(AT) >= pl.col("broke")))
        .select("track", AT, "lag")
    )
    x, y = (pl.col(name) - pl.col(name).mean().over("track") for name in (AT, "lag"))
    step = (pl.col("lag") - previous("lag", "track")) / (pl.col(AT) - previous(AT, "track"))
    sums = (
        points.with_columns(x=x, y=y, pace=step)
        .group_by("track")
        .agg(
            pl.col("pace").last(),
            xx=(pl.col("x") * pl.col("x")).sum(),
            xy=(pl.col("x") * pl.col("y")).sum(),
            yy=(pl.col("y") * pl.col("y")).sum(),
        )
    )
    xx, xy, yy = (pl.col(name) for name in ("xx", "xy", "yy"))
    fit = pl.when(yy > 0).then(xy * xy / (xx * yy)).otherwise(1.0)
    return sums.select(
        "track", "pace", lag_trend=pl.when(xx > 0).then(xy / xx), fit=pl.when(xx > 0).then(fit)
    )


def ages(last: pl.DataFrame, written: pl.DataFrame) -> pl.DataFrame:
    """How long before its last instant the end was where the committed offset is (`lag_seconds`).

    On straight lines between the instants at which a partition's end is known, since it last fell.
    Whether that is `at_least` so long is null where no end is known.
    """
    broke = written.filter(pl.col("end") < pl.col("before")).group_by("series")
    unbroken = (
        written.join(broke.agg(broke=pl.col(AT).max()), "series", "left", maintain_order="left")
        .filter(pl.col("broke").is_null() | (pl.col(AT) >= pl.col("broke")))
        .select("series", "end", then=AT)
    )
    passed = pl.col("end") <= pl.col("committed")
    until = (
        last.join(unbroken, "series")
        .filter(pl.col("then") <= pl.col(AT))
        .group_by("track")
        .agg(
            first=pl.col("then").min(),
            then=pl.col("then").filter(passed).max(),
            end=pl.col("end").filter(passed).max(),
            next_then=pl.col("then").filter(~passed).min(),
            next_end=pl.col("end").filter(~passed).min(),
        )
    )
    way = (pl.col("committed") - pl.col("end")) / (pl.col("next_end") - pl.col("end"))
    between = pl.col(AT) - pl.col("then") - way * (pl.col("next_then") - pl.col("then"))
    reach = pl.col(AT) - pl.col("first")
    is_late = pl.col("then").is_null() & (reach > 0)
    seconds = (
        pl.when(pl.col("next_then").is_null())
        .then(0.0)
        .when(pl.col("then").is_not_null())
        .then(between)
        .when(is_late)
        .then(reach.cast(pl.Float64))
    )
    is_known, any_end = pl.col("committed").is_not_null(), pl.col("first").is_not_null()
    return last.join(until, "track", "left").select(
        "track",
        lag_seconds=pl.when(is_known & any_end).then(seconds),
        at_least=pl.when(is_known & any_end).then(is_late).when(~is_known).then(False),
    )
