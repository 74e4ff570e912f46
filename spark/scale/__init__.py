"""Policies of autoscalers over a fleet's recorded time: what they would have done, and cost."""

from __future__ import annotations

from spark.scale.league import fleet_of_scale
from spark.scale.policies_file import ScaleSettings, read_scale_settings
from spark.scale.scale import FleetScale, scale_fleet
from spark.scale.text import not_replayed, prices_of, resolution_of, savings_first, verdict_of
