"""Many snapshots of a fleet: how its groups were, what changed, rebalances and rates."""

from __future__ import annotations

from spark.history.encode import RowInTime as RowInTime, encode_changes as encode_changes
from spark.history.fleet_history import FleetHistory as FleetHistory
from spark.history.rates import QUANTILE as QUANTILE, WINDOW as WINDOW, FleetRates as FleetRates
from spark.history.rates_behind import (
    busiest as busiest,
    groups_behind as groups_behind,
    summary_of_group as summary_of_group,
)
from spark.history.rates_window import RateWindow as RateWindow, seconds_of as seconds_of
from spark.history.states import lags_of as lags_of
from spark.history.summary import restless as restless, totals as totals, worse as worse
from spark.history.timeline import (
    Timeline as Timeline,
    hours_between as hours_between,
    seconds_between as seconds_between,
)
