"""`evenfleet rollout`: how groups come to another assignor or protocol."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spark.fleet import Part
from spark.rollout import rollout_fleet, rollout_told
from spark.settings import read_settings
from spark.terminal import (
    ClusterName,
    Conf,
    Config,
    Form,
    Format,
    GroupPattern,
    Master,
    Snapshot,
    Store,
    StoreTables,
    as_rows,
    busy,
    clusters_in_json,
    opened,
    part_of,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
)

SHOWN = 40
"""So many steps are printed for people; JSON has all."""


def rollout(
    to: Annotated[
        str,
        typer.Option(help="cooperative-sticky, or consumer (KIP-848).", show_default=False),
    ],
    store: Store = None,
    tables: StoreTables = None,
    snapshot: Snapshot = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """List the rolling restarts that bring groups to another assignor, in waves, and their cost."""
    source = store_in(store, tables)
    settings = read_settings(config)
    with opened(master, conf, settings, source) as spark:
        whole = read_snapshot(spark, source, snapshot, "rollout", settings.max_age)
        fleet = part_of(whole, Part(cluster, group))
        with busy(f"rolling {to} out over snapshot {fleet.id}"):
            steps = rollout_fleet(
                fleet, to, settings.consumers, settings.strategy_seconds, whole=whole
            )
            in_order = steps.orderBy("wave", "cluster", "group", "step")
            rows = as_rows(in_order.collect())
    ready = [row for row in rows if row["status"] == "ready"]
    if form is Format.JSON:
        show({"steps": rows} | clusters_in_json(form, fleet), form)
    else:
        several = len({row["cluster"] for row in ready}) > 1
        show({"steps": [_shown(row, several) for row in ready[:SHOWN]]}, form)
    if len(ready) > SHOWN and form is Format.TABLE:
        say(f"And {len(ready) - SHOWN} steps more: --format json has all.")
    say_clusters(fleet)
    if settings.consumers.assumed:
        say(settings.consumers.assumed)
    for sentence in rollout_told(rows, to):
        say(sentence)


def _shown(row: dict[str, Any], several: bool) -> dict[str, Any]:
    return {
        "wave": row["wave"],
        **({"cluster": row["cluster"]} if several else {}),
        "group": row["group"],
        "step": f"{row['step']} of {row['steps']}",
        "deploy": row["deploy"].partition("=")[2].partition(", ")[0],
        "rebalances": row["rebalances"],
        "unread_seconds": row["unread_seconds"],
    }
