"""What each group had committed of each partition at each instant, and who owned that then."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.files import SNAPSHOT
from spark.fleet import RECORDS_BEHIND
from spark.history.rates_pairs import fell, in_time, known_offset, neighbour
from spark.history.rates_window import AT, RateWindow

TRACK = ("cluster", "group", "topic", "partition")

ABSENT = -1
"""Generation of a claim that states none."""


def tracks_of(tables: Mapping[str, DataFrame], window: RateWindow) -> DataFrame:
    """A row a partition of a group and instant, as the offsets name it.

    `committed`, `end`, `lag` and `owner` (a member id) are null where they aren't known. `before`
    (`at`, `value`, `owner`), `end_before` and `lag_before` are neighbours; `broke` is the last
    instant at which the committed offset or the end had fallen.
    """
    offsets = window.placed(tables["offsets"]).select(
        *(*TRACK, AT, SNAPSHOT),
        known_offset("committed_offset").alias("committed"),
        known_offset("end_offset").alias("end"),
        F.expr(RECORDS_BEHIND).alias("lag"),
        F.lit(True).alias("listed"),
    )
    claims = window.placed(tables["assignments"]).select(*TRACK, AT, SNAPSHOT, *_claim())
    tracks = (
        offsets.unionByName(claims, allowMissingColumns=True)
        .repartition(*TRACK)  # first: grouping before would sort all rows, and put few together
        .groupBy(*TRACK, AT, SNAPSHOT)
        .agg(
            F.max("committed").alias("committed"),
            F.max("end").alias("end"),
            F.min("lag").alias("lag"),
            _owner().alias("owner"),
            F.max("listed").alias("listed"),
        )
        .where("listed")
    )
    before = in_time(*TRACK)
    neighbours = tracks.withColumns(
        {
            "before": neighbour("committed", before, "owner"),
            "end_before": neighbour("end", before),
            "lag_before": neighbour("lag", before),
        }
    )
    broke = F.max(F.when(fell("committed", "before") | fell("end", "end_before"), F.col(AT)))
    return neighbours.withColumn("broke", broke.over(Window.partitionBy(*TRACK))).drop(
        "listed", "end", "end_before"
    )


def _claim() -> list[Column]:
    """A claim twice: the highest of the first has the highest hash, of the second the lowest."""
    generation = F.coalesce(F.greatest("generation", F.lit(ABSENT)), F.lit(ABSENT))
    hashed = F.xxhash64("member_id")
    return [
        F.struct(generation.alias("generation"), hashed.alias("hash"), "member_id").alias("claim"),
        F.struct(generation, F.bitwise_not(hashed).alias("hash")).alias("rival"),
    ]


def _owner() -> Column:
    """Who claims it in the highest generation; nobody where several do (AbstractStickyAssignor)."""
    claim = F.max("claim")
    alone = claim["hash"] == F.bitwise_not(F.max("rival")["hash"])
    return F.when(alone, claim["member_id"])
