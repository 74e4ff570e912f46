"""What events cost in time: a group and its coordinator, simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from optimizer.coordinator.events import Parameters, as_stated, length_of, steps_of
from optimizer.coordinator.run import simulate
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.timeline import Timeline
from optimizer.model import Group, IntArray
from optimizer.scenarios import Create, Delete, Event, Grow, Step
from optimizer.scenarios import Scenario as Events

BETWEEN_SECONDS = 600.0
"""Several events happen so long after each other, so that the group is at rest in between."""


class Played(NamedTuple):
    """A simulated group: its timeline, and how many partitions each member has at the end."""

    timeline: Timeline
    loads: IntArray


def play(
    group: Group,
    events: Sequence[Event],
    parameters: Parameters,
    name: str,
    rates: dict[str, list[float]] | None = None,
) -> Played:
    """Let events happen to a group that is at rest, one after the other.

    What is chance in life goes by the group's `name`: the same each time.
    """
    stated = as_stated(group, events)
    at, steps = 0.0, []
    for event in events:
        steps.append(Step(at, event))
        at += length_of(event, stated) + BETWEEN_SECONDS
    made = steps_of(stated, Events(tuple(steps)), parameters)
    end = None
    if any(isinstance(event, Grow | Create | Delete) for event in events):
        # what is new in metadata is noticed when clients look at them, which no rest waits for
        end = max(step.at for step in made) + parameters.client.metadata_max_age_ms + 60_000
    scenario = Scenario(
        stated,
        made,
        client=parameters.client,
        broker=parameters.broker,
        rates=rates or {},
        end=end,
    )
    timeline = simulate(scenario, crc32(name.encode("utf-8", "surrogatepass")))
    loads = np.array([len(parts) for parts in timeline.final.values()], np.int64)
    return Played(timeline, loads)


def figures_of(timeline: Timeline) -> dict[str, Any]:
    """What events cost in time, by the names that these figures have in tables.

    `fatal` are members that ended by a fatal error: refused, or replaced by another instance.
    """
    return {
        "rebalances": timeline.rebalances,
        "unread_seconds": round(timeline.unread_seconds, 3),
        "longest_pause": round(timeline.longest_pause, 3),
        "stopped_needlessly": timeline.stopped_needlessly,
        "moves": timeline.moved,
        "takeovers": timeline.taken_over,
        "read_twice_seconds": round(timeline.seconds_read_twice, 3),
        "records_read_twice": timeline.records_read_twice,
        "records_waited": timeline.records_waited,
        "fatal": sum(one.what == "error" for one in timeline.happenings),
        "at_rest": timeline.stable,
    }
