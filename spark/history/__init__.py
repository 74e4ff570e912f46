"""Many snapshots of a fleet: how its groups were, what changed, how often they rebalanced."""

from __future__ import annotations

from spark.history.encode import encode_changes, groups_in_time
from spark.history.facts import Facts
from spark.history.fleet_history import FleetHistory
from spark.history.rates import QUANTILE, WINDOW, FleetRates
from spark.history.summary import restless, totals, worse
from spark.history.timeline import Timeline, seconds_between

__all__ = [
    "QUANTILE",
    "WINDOW",
    "Facts",
    "FleetHistory",
    "FleetRates",
    "Timeline",
    "encode_changes",
    "groups_in_time",
    "restless",
    "seconds_between",
    "totals",
    "worse",
]
