"""`evenfleet simulate`: one group's timeline in a scenario."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spark.files import Opener, OwnPlace, Where
from spark.fleet import FleetFiles, FleetSnapshot, Part
from spark.settings import Settings, read_settings, window_length
from spark.simulate import (
    FEW,
    Rates,
    picture_of,
    rates_of_group,
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
    at_most,
    busy,
    clusters_in_json,
    opened_store,
    part_of,
    rates_if_any,
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
    window: Annotated[
        str, typer.Option(help="How far to look back for rates from the group's snapshot.")
    ] = "24h",
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Tell what one group and its coordinator do in a scenario, and what that costs."""
    source = store_in(store, tables)
    settings = read_settings(config)
    events = scenario_in(scenario)
    length = window_length(window)
    with opened_store(source, master, conf, settings) as opener:
        fleet = read_few(opener, source, snapshot, f"simulate group {group}", settings.max_age)
        with busy(f"simulating group {group}") as step:
            rates = partial(_rates, opener, fleet, source, group, length, settings)
            found = simulate_group(fleet, group, events, cluster, seed, settings.consumers, rates)
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
    shown = rows[: at_most(ROWS)]
    show({"timeline": shown}, form)
    if len(rows) > len(shown):
        say(f"And {len(rows) - len(shown)} more, which are in JSON and CSV.")
    for line in picture_of(found.timeline, OUT.width):
        say(line)
    for sentence in sentences_of(found.timeline, group):
        say(sentence)
    if spread:
        show({f"{seeds} seeds": spread}, form)
    if settings.consumers.assumed:
        say(settings.consumers.assumed)


def _rates(
    opener: Opener,
    fleet: FleetSnapshot | FleetFiles,
    store: Where,
    group: str,
    window: timedelta,
    settings: Settings,
    cluster: str,
) -> Rates:
    """What comes in to what the group reads, as far as the store tells."""
    if isinstance(fleet, FleetFiles):
        return rates_of_group(fleet, str(store), group, cluster, window)
    assert not isinstance(opener, OwnPlace)
    some = part_of(fleet, Part(cluster, group))
    found: dict[str, list[float]] = {}
    with rates_if_any(opener, store, some, window, settings, FEW) as rates:
        rows = [] if rates is None else rates.rates.orderBy("topic", "partition").collect()
    for row in rows:
        known = found.setdefault(row.topic, [])
        known += [0.0] * (row.partition + 1 - len(known))
        known[row.partition] = row.mean or 0.0
    return found
