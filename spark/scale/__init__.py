"""Policies of autoscalers over a fleet's recorded time: what they would have done, and cost."""

from __future__ import annotations

from spark.scale.league import fleet_of_scale as fleet_of_scale
from spark.scale.policies_file import (
    ScaleSettings as ScaleSettings,
    read_scale_settings as read_scale_settings,
)
from spark.scale.scale import FleetScale as FleetScale, scale_fleet as scale_fleet
from spark.scale.text import (
    not_replayed as not_replayed,
    prices_of as prices_of,
    resolution_of as resolution_of,
    savings_first as savings_first,
    verdict_of as verdict_of,
)
