"""Many snapshots of a fleet: how its groups were, what changed, rebalances and rates."""

from __future__ import annotations

from spark.history.encode import encode_changes, groups_in_time
from spark.history.facts import Facts
from spark.history.fleet_history import FleetHistory
from spark.history.rates import QUANTILE, WINDOW, FleetRates
from spark.history.rates_behind import busiest, groups_behind, said_of_group
from spark.history.states import lag_of
from spark.history.summary import restless, totals, worse
from spark.history.timeline import Timeline, hours_between, seconds_between

__all__ = [
    "QUANTILE",
    "WINDOW",
    "Facts",
    "FleetHistory",
    "FleetRates",
    "Timeline",
    "busiest",
    "encode_changes",
    "groups_behind",
    "groups_in_time",
    "hours_between",
    "lag_of",
    "restless",
    "said_of_group",
    "seconds_between",
    "totals",
    "worse",
]
