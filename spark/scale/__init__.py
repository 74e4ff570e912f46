"""Policies of autoscalers over a fleet's recorded time: what they would have done, and cost."""

from spark.scale.advice import assumptions_of, not_replayed, sentences_of, verdict_of, what_to_set
from spark.scale.policies_file import ScaleSettings, read_scale_settings
from spark.scale.scale import FleetScale, ScaleTables, fleet_of_scale, scale_fleet
