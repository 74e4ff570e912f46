"""What events would do to each group of a fleet, under each strategy."""

from __future__ import annotations

from spark.whatif.brokers import groups_hit, leaders_after, without_leader
from spark.whatif.brokers_told import brokers_told
from spark.whatif.sentences import static_advice, weight_advice, whatif_advice
from spark.whatif.tables import fleet_of_whatif
from spark.whatif.what_if import what_if
from spark.whatif.whatif_row import WhatIfRow

__all__ = [
    "WhatIfRow",
    "brokers_told",
    "fleet_of_whatif",
    "groups_hit",
    "leaders_after",
    "static_advice",
    "weight_advice",
    "what_if",
    "whatif_advice",
    "without_leader",
]
