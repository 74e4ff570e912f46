"""`evenfleet members`: how many members each group needs."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pyspark.sql import DataFrame, functions as F

from spark import InputError
from spark.fleet import Part
from spark.members import HEADROOM, members_fleet
from spark.settings import read_settings, window_length
from spark.terminal import (
    ClusterName,
    Conf,
    Config,
    Form,
    Format,
    GroupPattern,
    Master,
    Store,
    StoreTables,
    as_rows,
    busy,
    clusters_in_json,
    opened,
    part_of,
    rates_if_any,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
    tell,
)

SHOWN = ("group", "members", "partitions", "optimal_max", "fewest_optimal", "spare", "needed")
"""What fits a terminal of 80 columns; JSON has all."""

TOLD = 20
"""Groups that people are told of, those with the most members to spare."""


def members(
    store: Store = None,
    tables: StoreTables = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    headroom: Annotated[
        float, typer.Option(help="Share of what a member has been seen to do that it shall do.")
    ] = HEADROOM,
    window: Annotated[
        str, typer.Option(help="How far to look back for rates from each cluster's last snapshot.")
    ] = "24h",
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Say how many members each group needs, how many are spare, and which sizes divide evenly."""
    source = store_in(store, tables)
    settings = read_settings(config)
    length = window_length(window)
    if not 0 < headroom <= 1:
        raise InputError(f"--headroom {headroom:g} isn't above 0 and at most 1")
    with opened(master, conf, settings, source) as spark:
        fleet = read_snapshot(spark, source, None, "members", settings.max_age)
        fleet = part_of(fleet, Part(cluster, group))
        flowing = rates_if_any(spark, source, fleet, length, settings)
        with flowing as rates, busy("counting members"):
            rows = as_rows(in_order(members_fleet(fleet, rates, headroom)).collect())
    if form is Format.JSON:
        show({"members": rows} | clusters_in_json(form, fleet), form)
    else:
        _print(rows)
    say_clusters(fleet)
    if settings.goals.weights:
        say("Sizes count partitions alike, though goals are by weight; needed goes by rates.")
    if rates is None:
        say("What members need for what comes in takes two snapshots with offsets in the window.")


def in_order(rows: DataFrame) -> DataFrame:
    """Those with the most spare members first; those that can't be told of last."""
    return rows.orderBy(F.desc_nulls_last("spare"), "cluster", "group")


def _print(rows: list[dict[str, Any]]) -> None:
    sized = [row for row in rows if row["sentence"]]
    shown = [{name: row[name] for name in SHOWN} for row in sized[:TOLD]]
    show({"members": shown}, Format.TABLE)
    tell(
        "how many members groups need",
        [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in sized[:TOLD]],
    )
    for assumed in dict.fromkeys(row["assumed"] for row in sized[:TOLD] if row["assumed"]):
        say(f"Assumed: {assumed}.")
    if len(sized) > TOLD:
        say(f"And {len(sized) - TOLD} groups more: --format json has all.")
    if without := len(rows) - len(sized):
        say(f"Without a plan, and so without numbers: {without} groups (--format json says why).")
