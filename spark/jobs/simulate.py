"""`evenfleet simulate`: one group's timeline in a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spark.settings import read_settings
from spark.simulate import (
    picture_of,
    rows_of,
    scenario_in,
    sentences_of,
    simulate_group,
    spread_of,
    tables_of,
)
from spark.terminal import (
    OUT,
    Conf,
    Config,
    Form,
    Format,
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
)

ROWS = 60
"""So many rows are printed for people; JSON has all."""


def simulate(
    *,
    store: Store = None,
    group: Annotated[str, typer.Option(help="Name of the group.", show_default=False)],
    scenario: Annotated[
        Path,
        typer.Option(help="TOML file that says what happens and when.", show_default=False),
    ],
    cluster: Annotated[
        str | None,
        typer.Option(help="Its cluster.", show_default="the only one with such a group"),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Settles what is chance: phases of heartbeats, ids of members.")
    ] = 0,
    seeds: Annotated[
        int, typer.Option(help="So many seeds, from --seed on: what chance makes of it.", min=1)
    ] = 1,
    tables: StoreTables = None,
    snapshot: Snapshot = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Tell what one group and its coordinator do in a scenario, and what that costs."""
    source = store_in(store, tables)
    settings = read_settings(config)
    events = scenario_in(scenario)
    with opened_store(source, master, conf, settings) as opener:
        fleet = read_few(opener, source, snapshot, f"simulate group {group}", settings.max_age)
        with busy(f"simulating group {group}") as step:
            found = simulate_group(fleet, group, events, cluster, seed, settings.consumers)
            others = found.by_chance(step.counted(range(seed + 1, seed + seeds), "seeds"))
    spread = spread_of([found.timeline, *others]) if others else []
    say_clusters(fleet)
    if form is Format.JSON:
        more = {"spread": spread} if spread else {}
        show(tables_of(found) | more | clusters_in_json(form, fleet), form)
        return
    if events.title:
        say(f"{events.title}: group {group} of cluster {found.cluster}, {found.strategy}.")
    rows = rows_of(found.timeline)
    show({"timeline": rows[:ROWS]}, form)
    if len(rows) > ROWS:
        say(f"And {len(rows) - ROWS} more, which are in JSON.")
    for line in picture_of(found.timeline, OUT.width):
        say(line)
    for sentence in sentences_of(found.timeline, group):
        say(sentence)
    if spread:
        show({f"{seeds} seeds": spread}, form)
    if settings.consumers.assumed:
        say(settings.consumers.assumed)
