"""What each strategy would have made of a fleet's history, from each change to the next."""

from spark.replay.fleet_replay import FleetReplay, replay_fleet
from spark.replay.text import best_replayed
