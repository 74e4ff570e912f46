"""One group in a scenario, told as a table, as a picture and in figures; no Spark is needed."""

from __future__ import annotations

from spark.simulate.account import (
    rows_of as rows_of,
    sentences_of as sentences_of,
    unknown_lag as unknown_lag,
)
from spark.simulate.picture import picture_of as picture_of
from spark.simulate.rates import (
    RATE_SNAPSHOTS as RATE_SNAPSHOTS,
    Flow as Flow,
    mean_flow as mean_flow,
    rates_of_group as rates_of_group,
)
from spark.simulate.simulate import (
    GroupSimulation as GroupSimulation,
    scenario_in as scenario_in,
    simulate_group as simulate_group,
    simulate_rows as simulate_rows,
)
from spark.simulate.spread import spread_of as spread_of
from spark.simulate.tables import tables_of as tables_of
