"""Offsets and claims that a worker has, as frames of polars in order of time, and what they tell.

A row of offsets is what a group had committed of a partition `at` an instant (seconds since 1970),
the `end` that it was told and its `lag`; one of claims has a `member_id` and its `generation`, and
no more. What isn't known is null. Texts are categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from spark.fleet import PARTITION_KEYS
from spark.history.rates_series import TRACK, Doubt
from spark.history.timeline import AT
from spark.store import SNAPSHOT


class Offsets(NamedTuple):
    """Offsets and owners at instants, in order of time, with numbers for partitions.

    `ends` has a row a partition (`series`) and instant, with the highest `end` that a group was
    told. `tracks` has one a partition of a group (`track`) and instant that offsets name, with its
    `owner`. `keys` has the names of each track, its number and that of its series. `written` are
    the rows of `ends`, `read` those of `tracks` whose offset is known, as pairs: see `with_rate`.
    """

    ends: pl.DataFrame
    tracks: pl.DataFrame
    keys: pl.DataFrame
    written: pl.DataFrame
    read: pl.DataFrame

    @property
    def partitions(self) -> pl.DataFrame:
        """The names of each series."""
        return self.keys.select("series", *PARTITION_KEYS).unique("series", maintain_order=True)


def at_instants(rows: pl.DataFrame, instants: Sequence[tuple[str, str, int]]) -> pl.DataFrame:
    """The rows of these clusters and snapshots, `at` their instants."""
    columns = {"cluster": pl.Categorical, SNAPSHOT: pl.Categorical, AT: pl.Int64}
    at = pl.LazyFrame(instants, columns, orient="row")
    return rows.lazy().join(at, ["cluster", SNAPSHOT]).collect(engine="streaming")


def offsets_of(rows: pl.DataFrame, doubts: Sequence[Doubt]) -> Offsets:
    """Rows of offsets and claims in order, and what flowed between them."""
    keys = rows.select(TRACK).unique().sort(*PARTITION_KEYS, "group").with_row_index("track")
    keys = keys.with_columns(series=pl.struct(PARTITION_KEYS).rle_id())
    usable = (pl.when(pl.col(name) >= 0).then(name).alias(name) for name in ("committed", "end"))
    numbered = (
        rows.lazy()
        .join(keys.lazy(), list(TRACK), nulls_equal=True)
        .select("track", "series", AT, *usable, "lag", "generation", "member_id")
    )
    tracks = (
        numbered.filter(pl.col("generation").is_null())
        .group_by("track", AT)
        .agg(pl.col("series").first(), pl.col("committed", "end").max(), pl.col("lag").min())
        .join(_owners(numbered), ["track", AT], "left")
        .sort("track", AT)
        .collect(engine="streaming")
    )
    last = tracks.lazy().group_by("series", AT).agg(pl.col("end").max()).sort("series", AT)
    ends = last.collect(engine="streaming")
    written = with_rate(ends, "series", "end", keys, doubts)
    read = with_rate(tracks, "track", "committed", keys, doubts)
    return Offsets(ends, tracks, keys, written, read)


def _owners(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Owners by the highest generation; none where several claim it (AbstractStickyAssignor)."""
    claims = rows.filter(pl.col("generation").is_not_null())
    newest = claims.group_by("track", AT).agg(pl.col("generation").max())
    member = pl.col("member_id")
    return (
        claims.join(newest, ["track", AT, "generation"], "semi")
        .group_by("track", AT)
        .agg(owner=member.min(), last=member.max())
        .filter(pl.col("owner") == pl.col("last"))
        .drop("last")
    )


def previous(name: str, of: str) -> pl.Expr:
    """The value of the row before, if it is of the same series; rows are in order."""
    return pl.when(pl.col(of) == pl.col(of).shift()).then(pl.col(name).shift())


def pairs_of(rows: pl.DataFrame, of: str, offset: str) -> pl.DataFrame:
    """The rows whose `offset` is known, each with that `before` it in its series, and `since` when.

    Neighbours are those in which it is known. Where there is none, both are null.
    """
    return rows.filter(pl.col(offset).is_not_null()).with_columns(
        before=previous(offset, of), since=previous(AT, of)
    )


def with_rate(
    rows: pl.DataFrame, of: str, offset: str, keys: pl.DataFrame, doubts: Sequence[Doubt]
) -> pl.DataFrame:
    """The pairs with a `rate` in records a second, and whether the series `resets` there.

    The rate is null without a neighbour, where the offset fell, or where the pair touches an
    instant at which the clock of its cluster may have been wrong. It resets where the offset fell,
    and no clock is the likelier cause.
    """
    in_doubt = pl.lit(False)
    for doubt in doubts:
        series = keys.filter(pl.col("cluster") == doubt.cluster)[of].unique().implode()
        instants = list(doubt.instants)
        touched = pl.col(AT).is_in(instants) | pl.col("since").is_in(instants).fill_null(False)
        in_doubt |= pl.col(of).is_in(series) & touched
    rose, counts = pl.col(offset) >= pl.col("before"), ~in_doubt
    rate = (pl.col(offset) - pl.col("before")) / (pl.col(AT) - pl.col("since"))
    pairs = pairs_of(rows, of, offset)
    return pairs.with_columns(rate=pl.when(rose & counts).then(rate), resets=~rose & counts)


def summary(pairs: pl.DataFrame, of: str, quantile: float) -> pl.DataFrame:
    """A row a series: mean, quantile and maximum of the rates of its pairs, and their number."""
    rate = pl.col("rate")
    return pairs.group_by(of).agg(
        mean=rate.mean(),
        quantile=rate.quantile(quantile, "linear"),
        maximum=rate.max(),
        pairs=rate.count().cast(pl.Int64),
        resets=pl.col("resets").sum().cast(pl.Int64),
    )
