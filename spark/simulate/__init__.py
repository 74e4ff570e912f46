"""One group in a scenario, as a table and in figures; no Spark is needed."""

from spark.simulate.account import rows_of, sentences_of, spread_of, tables_of, unknown_lag
from spark.simulate.rates import RATE_SNAPSHOTS, Flow, mean_flow, rates_of_group
from spark.simulate.simulate import (
    GroupSimulation,
    check_group,
    scenario_in,
    simulate_group,
    simulate_rows,
)
