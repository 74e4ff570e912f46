"""`evenfleet frontier`: what moves buy in one group."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from spark.frontier import GroupFrontier, frontier_of_group
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
    busy,
    clusters_in_json,
    opened_store,
    read_few,
    say,
    say_clusters,
    show,
    store_in,
    with_goals,
)

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
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Say of one group how many moves each balance takes at least, and where more bring little."""
    source = store_in(store, tables)
    settings = with_goals(read_settings(config), goal, rack=None, levels=None, min_gain=None)
    with opened_store(source, master, conf, settings) as opener:
        fleet = read_few(opener, source, snapshot, f"frontier of group {group}", settings.max_age)
        with busy(f"planning group {group}"):
            found = frontier_of_group(fleet, group, cluster, settings.goals)
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
            "largest load": point.max_load,
            "of the gain": f"{point.gain:.0%}".replace("%", " %"),
            "worth": "most for its moves" if point.knee else "",
        }
        for at, point in enumerate(found.points)
        if at % step == 0 or at == last or point.knee
    ]
    show({"frontier": rows}, Format.TABLE)
    say(str(found.sentence))
