"""One group in a scenario, as a table and in figures; no Spark is needed."""

from spark.simulate.account import rows_of, sentences_of, spread_of, tables_of, unknown_lag
from spark.simulate.simulate import (
    GroupSimulation,
    check_group,
    rates_of_group,
    scenario_in,
    simulate_group,
    simulate_row,
)
