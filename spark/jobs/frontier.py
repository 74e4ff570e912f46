"""`evenfleet frontier`: what moves buy in one group."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from spark.frontier import (
    FrontierPoint,
    GroupFrontier,
    WeightedFrontierPoint,
    frontier_of_group,
)
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    GoalTexts,
    Master,
    Snapshot,
    Store,
    StoreTables,
    WeightSource,
    busy,
    clusters_in_json,
    few_weighed,
    say,
    say_clusters,
    show,
    store_in,
    with_goals,
    with_weight,
)
from spark.wording import figure

SHOWN = 20
"""So many points are shown to people."""


def frontier(
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
    weight: WeightSource = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Say of one group how many moves each balance takes at least, and where more bring little."""
    source = store_in(store, tables)
    settings = with_goals(read_settings(config), goal, rack=None, levels=None, min_gain=None)
    settings, doing = with_weight(settings, weight), f"frontier of group {group}"
    few = few_weighed(source, snapshot, doing, settings, master, conf)
    with few as (fleet, rates), busy(f"planning group {group}"):
        found = frontier_of_group(fleet, group, cluster, settings.goals, rates)
    say_clusters(fleet)
    if form is Format.JSON:
        show({"frontier": [asdict(found)]} | clusters_in_json(form, fleet), form)
    else:
        _print(found)


def _print(found: GroupFrontier) -> None:
    reason = f": {found.reason}" if found.reason else ""
    say(f"Group {found.group} of cluster {found.cluster} is {found.status}{reason}.")
    if not found.points:
        return
    last = len(found.points) - 1
    step = max(1, -(-last // (SHOWN - 1)))
    rows = [
        {
            "moves": point.moves,
            **_load(point),
            "of the gain": f"{point.gain:.0%}".replace("%", " %"),
            "worth": "most for its moves" if point.knee else "",
        }
        for at, point in enumerate(found.points)
        if at % step == 0 or at == last or point.knee
    ]
    show({"frontier": rows}, Format.TABLE)
    say(str(found.sentence))


def _load(point: FrontierPoint | WeightedFrontierPoint) -> dict[str, object]:
    """The largest load, and by weight what no plan is below."""
    if isinstance(point, FrontierPoint):
        return {"largest load": point.max_load}
    return {
        "largest load": figure(point.max_weight),
        "none is below": figure(point.weight_bound),
    }
