"""`evenfleet explain`: why one group's partitions move, and why it can't be better."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from spark.explain import GroupExplanation, explain_group
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    GoalTexts,
    Levels,
    Master,
    MinGain,
    Rack,
    Snapshot,
    Store,
    StoreTables,
    WeightSource,
    busy,
    clusters_in_json,
    opened,
    opened_store,
    rates_for,
    read_few,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
    tell,
    with_goals,
    with_weight,
)


def explain(
    *,
    store: Store = None,
    group: Annotated[str, typer.Option(help="Name of the group.", show_default=False)],
    cluster: Annotated[
        str | None,
        typer.Option(help="Its cluster.", show_default="the only one with such a group"),
    ] = None,
    tables: StoreTables = None,
    snapshot: Snapshot = None,
    goal: GoalTexts = None,
    rack: Rack = None,
    levels: Levels = None,
    min_gain: MinGain = None,
    weight: WeightSource = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Say of one group why each partition moves, and why loads can't be more even."""
    source = store_in(store, tables)
    settings = with_goals(read_settings(config), goal, rack, levels, min_gain)
    settings, doing = with_weight(settings, weight), f"explain group {group}"
    if settings.goals.weights:
        with opened(master, conf, settings, source, snapshot) as spark:
            fleet: Any = read_snapshot(spark, source, snapshot, doing, settings.max_age)
            rates = rates_for(spark, source, settings, fleet.id)
            with rates as weighed, busy(f"planning group {group}"):
                found = explain_group(fleet, group, cluster, settings.goals, weighed)
    else:
        with opened_store(source, master, conf, settings) as opener:
            fleet = read_few(opener, source, snapshot, doing, settings.max_age)
            with busy(f"planning group {group}"):
                found = explain_group(fleet, group, cluster, settings.goals)
    say_clusters(fleet)
    if form is Format.JSON:
        show({"explanation": [asdict(found)]} | clusters_in_json(form, fleet), form)
    else:
        _print(found)


def _print(found: GroupExplanation) -> None:
    reason = f": {found.reason}" if found.reason else ""
    say(f"Group {found.group} of cluster {found.cluster} is {found.status}{reason}.")
    if found.seat:
        say(f"{found.seat[0].upper()}{found.seat[1:]}.")
    if found.owned:
        owned = [{"member": m, "partitions now": count} for m, count in found.owned.items()]
        show({"owners": owned}, Format.TABLE)
    if not found.loads:
        return
    loads = [
        {"member": member, "partitions now": before, "planned": after}
        for member, (before, after) in found.loads.items()
    ]
    show({"loads": loads}, Format.TABLE)
    tell("moves", found.moves or ["Nothing has to move."])
    tell("why it can't be more even", found.bounds or ["Loads are as even as can be."])
