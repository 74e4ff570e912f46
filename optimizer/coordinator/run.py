"""A run of a scenario, from its start to its end."""

from __future__ import annotations

from optimizer.coordinator.ledger import NEVER
from optimizer.coordinator.rest import at_rest, put_at_rest
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.stage import Stage
from optimizer.coordinator.timeline import Timeline
from optimizer.coordinator.world import World

LONGEST_MS = 24 * 3_600_000
"""After so long without a rest a run is given up, and said not to be stable."""


def simulate(scenario: Scenario, seed: int = 0, details: bool = True) -> Timeline:
    """What a group does in a scenario, the same every time for one seed.

    Without `details` the timeline has the figures alone: those of a large group take gigabytes.

    The seed settles what is chance in life: phases of heartbeats and metadata, ids of members.
    Raises ValueError for settings and steps that make no sense, StrategyError where Kafka's own
    assignor throws.
    """
    world = World(scenario, seed, details)
    stage = Stage(world)
    steps = sorted(scenario.steps, key=lambda step: step.at)
    world.ledger.appear(0, range(len(world.catalog)))
    put_at_rest(stage)
    stage.prepare(steps)
    _run(stage, steps[-1].at if steps else 0)
    return _account(stage)


def _run(stage: Stage, last_step: float) -> None:
    clock, end = stage.world.clock, stage.world.scenario.end
    if end is not None:
        clock.run(end)
        return
    clock.run(last_step)
    while (time := clock.next_time) is not None and time <= last_step + LONGEST_MS:
        if at_rest(stage):
            # who has just been given something has still to fetch it
            clock.run(clock.now + 2 * stage.world.delays.fetch)
            if at_rest(stage):
                break
        else:
            clock.run(time)


def _account(stage: Stage) -> Timeline:
    world = stage.world
    ledger, names = world.ledger, world.catalog.names
    ledger.end(world.now)
    alive = stage.alive()
    subscribed = {topic for client in alive for topic in client.topics}
    rates = world.scenario.rates
    return Timeline(
        partitions=names,
        lives=world.names,
        start=0,
        end=world.now,
        stable=at_rest(stage),
        happenings=world.happenings,
        generations=world.generations,
        epochs=world.epochs,
        targets=world.targets,
        member_states=world.member_states,
        rebalances=world.rebalances,
        unread_before_end=ledger.unread,
        longest_pause_before_end=ledger.longest_pause,
        stopped_needlessly=ledger.stopped_needlessly,
        moved=ledger.moved,
        taken_over=ledger.taken_over,
        pauses=ledger.pauses,
        unread_at_end={
            one: since
            for one, (reader, since, _) in ledger.stopped.items()
            if names[one][0] in subscribed or (reader != NEVER and not alive)
        },
        readings=ledger.readings,
        moves=ledger.moves,
        takeovers=ledger.takeovers,
        overlaps=ledger.twice_at_once,
        reread=ledger.read_twice,
        rates={
            one: float(rates[topic][n])
            for one, (topic, n) in enumerate(names)
            if topic in rates and n < len(rates[topic])
        },
        final=stage.coordinator.group.assignments,
    )
