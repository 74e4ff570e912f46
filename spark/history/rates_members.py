"""How fast each member reads, and the most that it has been seen to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.history.rates_pairs import Doubt, rate
from spark.history.rates_window import AT, RateWindow

MEMBER = ("cluster", "group", "member_id")


def members_of(
    tables: Mapping[str, DataFrame],
    tracks: DataFrame,
    window: RateWindow,
    doubts: Sequence[Doubt],
) -> DataFrame:
    """A row a member of a group: see `FleetRates.members`."""
    kept = tracks.where("owner = before.owner").withColumn(
        "rate", rate("committed", "before", doubts)
    )
    since = F.col(f"before.{AT}").alias("since")
    of_pair = (
        kept.where("rate is not null")
        .groupBy("cluster", "group", F.col("owner").alias("member_id"), since, AT)
        .agg(F.sum("rate").alias("rate"))
    )
    rates = of_pair.groupBy(*MEMBER).agg(
        F.max_by("rate", F.struct(AT, "since")).alias("now"),
        F.avg("rate").alias("mean"),
        F.max("rate").alias("maximum"),
        F.count("rate").alias("pairs"),
    )
    seen = window.placed(tables["members"]).groupBy(*MEMBER)
    members = seen.agg(F.max(SNAPSHOT).alias("last_seen")).join(rates, list(MEMBER), "left")
    return escaped_rows(members.fillna(0, ["pairs"]))
