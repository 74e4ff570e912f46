"""`evenfleet simulate`: one group's timeline in a scenario."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

from spark.files import DirectStore, Opener, Where
from spark.fleet import FleetFiles, FleetSnapshot, Part
from spark.settings import Settings, window_length
from spark.simulate import (
    RATE_SNAPSHOTS,
    Flow,
    mean_flow,
    picture_of,
    rates_of_group,
    rows_of,
    scenario_in,
    sentences_of,
    simulate_group,
    spread_of,
    tables_of,
    unknown_lag,
)
from spark.terminal import (
    OUT,
    GroupOptions,
    Table,
    Window,
    busy,
    clusters_read,
    option,
    optional_rates,
    part_of,
    programs_only,
    say,
    say_clusters,
    show,
)

ROWS = 60
"""Rows that people see unless they ask for all."""


def simulate(
    source: GroupOptions,
    scenario: Annotated[
        Path, option("TOML file of the events and their times, or a shipped one: rolling-deploy, …")
    ],
    seed: Annotated[int, option("Random seed (heartbeat phases, member ids).")] = 0,
    seeds: Annotated[int, option("Number of random seeds to run, starting at --seed.", min=1)] = 1,
    window: Window = "24h",
) -> None:
    """Simulate one group through a deployment or failure, and its cost."""
    settings, group = source.settings, source.group
    events = scenario_in(scenario)
    length = window_length(window)
    with source.opener() as opener:
        fleet = source.few(opener, f"simulate group {group}")
        with busy(f"simulating group {group}") as step:
            rates = partial(_rates, opener, fleet, source.where, group, length, settings)
            consumers = settings.consumers
            group_simulation = simulate_group(
                fleet, group, events, source.cluster, seed, consumers, rates
            )
            others = group_simulation.by_chance(
                step.counted(range(seed + 1, seed + seeds), "seeds")
            )
    spread = spread_of([group_simulation.timeline, *others]) if others else []
    say_clusters(fleet)
    if events.title:
        say(
            f"{events.title}: group {group} of cluster {group_simulation.cluster}, "
            f"{group_simulation.strategy}."
        )
    for sentence in sentences_of(group_simulation.timeline, group):
        say(sentence)
    if reason := unknown_lag(group_simulation.timeline):
        say(reason)
    timeline = Table(rows_of(group_simulation.timeline), most=ROWS, as_json=None)
    by_seed = {"spread": Table(spread, title=f"{seeds} seeds")} if spread else {}
    more = programs_only(tables_of(group_simulation))
    show({"timeline": timeline} | by_seed | more | clusters_read(fleet))
    for line in picture_of(group_simulation.timeline, OUT.width):
        say(line)
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
) -> Flow:
    """What comes in to what the group reads, and what its members can, as the store tells."""
    if isinstance(fleet, FleetFiles):
        return rates_of_group(fleet, str(store), group, cluster, window)
    assert not isinstance(opener, DirectStore)
    items = part_of(fleet, Part(cluster, group))
    with optional_rates(opener, store, items, window, settings, RATE_SNAPSHOTS) as rates:
        return mean_flow(rates.rates, rates.members) if rates else Flow({})
