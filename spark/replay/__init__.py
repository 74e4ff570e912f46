"""What each strategy would have made of a fleet's history, from each change to the next."""

from __future__ import annotations

from spark.replay.fleet_replay import FleetReplay as FleetReplay, replay_fleet as replay_fleet
from spark.replay.text import best_replayed as best_replayed
