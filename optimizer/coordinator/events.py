"""Events of `optimizer.scenarios` as what processes do, one step after the other."""

from collections.abc import Iterator, Sequence
from functools import reduce

from optimizer.model import Group
from optimizer.processes import Step
from optimizer.scenarios import Event, Running, Scenario
from optimizer.settings import Parameters


def as_stated(group: Group, events: Sequence[Event]) -> Group:
    """The group with and without instance ids, as restarts in these events want to have it."""
    return reduce(lambda now, event: event.as_stated(now), events, group)


def steps_of(group: Group, scenario: Scenario, parameters: Parameters) -> list[Step]:
    """What the processes of a group do in a scenario; the group is `as_stated`.

    Raises NotApplicableError for an event that the group can't have.
    """
    return [*_steps(Running(group, parameters.client), scenario, parameters)]


def _steps(running: Running, scenario: Scenario, parameters: Parameters) -> Iterator[Step]:
    for at, event in scenario.steps:
        after = event.apply(running.group, parameters.limits)
        yield from event.steps(at * 1000, running, after)
        running.become(after)
