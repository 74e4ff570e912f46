"""What events cost a group in time, as a worker prices them."""

from collections.abc import Sequence
from typing import Any

from optimizer.coordinator import EventsTimeline, Parameters, simulate_events
from optimizer.model import Group
from optimizer.scenarios import Event
from spark.groups import EncodedRow
from spark.solve import TimeLimit


def simulated(
    row: EncodedRow,
    group: Group,
    events: Sequence[Event],
    parameters: Parameters,
    limit: TimeLimit,
    **options: Any,
) -> EventsTimeline:
    """`simulate_events` with these `options`; random choices depend on the group's name."""
    name = f"{row.cluster}/{row.group}"
    return limit.spend(lambda: simulate_events(group, events, parameters, name, **options))
