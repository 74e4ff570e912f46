"""`evenfleet simulate`: one group's timeline in a scenario."""

from functools import partial
from pathlib import Path
from typing import Annotated

from spark import terminal
from spark.errors import InputError
from spark.settings import window_length
from spark.simulate import (
    check_group,
    rates_of_group,
    rows_of,
    scenario_in,
    sentences_of,
    simulate_group,
    spread_of,
    tables_of,
    unknown_lag,
)
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_answer, show


def simulate(
    source: terminal.GroupOptions,
    scenario: Annotated[
        Path | None,
        option("TOML file of the events and their times, or a shipped one: rolling-deploy, …"),
    ] = None,
    seed: Annotated[int, option("Random seed (heartbeat phases, member ids).")] = 0,
    seeds: Annotated[int, option("Number of random seeds to run, starting at --seed.", min=1)] = 1,
    window: terminal.Window = "24h",
) -> None:
    """Simulate one group through a deployment or failure, and its cost."""
    settings, group = source.settings, source.group
    events = scenario_in(scenario) if scenario else None
    length = window_length(window)
    with source.opener() as opener:
        fleet = source.few(opener)
        if events is None:
            check_group(fleet, group, source.cluster)
            raise InputError("give a scenario: --scenario rolling-deploy, or a TOML file")
        with busy(f"simulating group {group}") as step:
            rates = partial(rates_of_group, opener, source.where, fleet, group, length)
            consumers = settings.consumers
            group_simulation = simulate_group(
                fleet, group, events, source.cluster, seed, consumers, rates
            )
            others = group_simulation.by_chance(step.track(range(seed + 1, seed + seeds), "seeds"))
    timeline = group_simulation.timeline
    what, unread, *costs = sentences_of(timeline, group)
    title = f"{events.title} ({group_simulation.strategy}): " if events.title else ""
    say_answer(f"{title}{what[0].lower() if title else what[0]}{what[1:]} {unread}")
    terminal.print_list("costs", costs)
    spread = Table(spread_of([timeline, *others]), title=f"{seeds} seeds")
    steps = Table(rows_of(timeline), most=ROWS_SHOWN, as_json=None, is_detail=bool(others))
    of_group = {name: getattr(group_simulation, name) for name in ("cluster", "group", "strategy")}
    more = terminal.programs_only(tables_of(timeline, **of_group))
    by_seed = {"spread": spread} if others else {}
    show(by_seed | {"timeline": steps} | more | terminal.clusters_read(fleet))
    if reason := unknown_lag(timeline):
        say(reason)
    if settings.consumers.assumptions:
        say(settings.consumers.assumptions)
    terminal.say_clusters(fleet)
