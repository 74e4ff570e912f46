"""A twin of Kafka's group coordinator and its members: what a scenario does to a group, in time.

simulate(scenario: Scenario, seed: int = 0) -> Timeline
"""

from __future__ import annotations

from optimizer.coordinator.events import Parameters, as_stated, length_of, steps_of
from optimizer.coordinator.ledger import Pause, Reading
from optimizer.coordinator.observed import Observed
from optimizer.coordinator.play import Down, Played, figures_of, play
from optimizer.coordinator.run import simulate
from optimizer.coordinator.scenario import (
    Away,
    Block,
    Close,
    Delete,
    Grow,
    Kill,
    MoveCoordinator,
    Scenario,
    Start,
    Step,
    Subscribe,
)
from optimizer.coordinator.settings import BrokerSettings, ClientSettings, Delays
from optimizer.coordinator.timeline import Timeline
from optimizer.coordinator.world import Generation, Happening, MemberState, Target

__all__ = [
    "Away",
    "Block",
    "BrokerSettings",
    "ClientSettings",
    "Close",
    "Delays",
    "Delete",
    "Down",
    "Generation",
    "Grow",
    "Happening",
    "Kill",
    "MemberState",
    "MoveCoordinator",
    "Observed",
    "Parameters",
    "Pause",
    "Played",
    "Reading",
    "Scenario",
    "Start",
    "Step",
    "Subscribe",
    "Target",
    "Timeline",
    "as_stated",
    "figures_of",
    "length_of",
    "play",
    "simulate",
    "steps_of",
]
