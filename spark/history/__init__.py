"""Many snapshots of a fleet: how its groups were, what changed, rebalances and rates."""

from spark.history.change_row import lags_of
from spark.history.fleet_history import FleetHistory
from spark.history.group_spans import RowInTime, encode_changes
from spark.history.rates import QUANTILE, WINDOW, FleetRates
from spark.history.summary import (
    abandoned_lag,
    behind_for_people,
    behind_verdict,
    busiest,
    groups_behind,
    left_behind,
    most_restless,
    restless,
    totals,
    worse,
)
from spark.history.timeline import RateWindow, Timeline, hours_between, seconds_between, seconds_of
