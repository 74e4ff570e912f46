"""How late each group is on each partition, and whether it will catch up, by polars."""

import polars as pl

from spark.history.offset_frames import SUMMARY, Offsets, pairs_of, previous, summary
from spark.history.rates_series import TRACK
from spark.history.timeline import AT

A_LINE = 0.5
"""A lag grows, and doesn't just vary, where time explains so much of its variance (r²)."""


def consumption_frame(offsets: Offsets, quantile: float) -> pl.DataFrame:
    """A row a partition of a group: see `FleetRates.consumption`."""
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
    return rows.select(
        *TRACK,
        "last_seen",
        *(name for name in SUMMARY if name not in ("pairs", "resets")),
        "now",
        pl.col("pairs", "resets").fill_null(0),
        "lag",
        "lag_trend",
        "lag_seconds",
        "at_least",
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
