"""A fleet's history under each strategy, from each change to the next."""

from spark.replay.fleet_replay import FleetReplay, replay_fleet
from spark.replay.text import best_replayed
