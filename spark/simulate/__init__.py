"""One group in a scenario, told as a table, as a picture and in figures; no Spark is needed."""

from __future__ import annotations

from spark.simulate.picture import picture_of
from spark.simulate.rates import FEW, Rates, rates_of_group
from spark.simulate.simulate import GroupSimulation, scenario_in, simulate_group, simulate_groups
from spark.simulate.spans import spans_of
from spark.simulate.spread import spread_of
from spark.simulate.tables import rows_of, sentences_of, tables_of

__all__ = [
    "FEW",
    "GroupSimulation",
    "Rates",
    "picture_of",
    "rates_of_group",
    "rows_of",
    "scenario_in",
    "sentences_of",
    "simulate_group",
    "simulate_groups",
    "spans_of",
    "spread_of",
    "tables_of",
]
