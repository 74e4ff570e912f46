"""One group in a scenario, told as a table, as a picture and in figures; no Spark is needed."""

from __future__ import annotations

from spark.simulate.picture import picture_of
from spark.simulate.simulate import GroupSimulation, scenario_in, simulate_group
from spark.simulate.spread import spread_of
from spark.simulate.tables import rows_of, sentences_of, tables_of

__all__ = [
    "GroupSimulation",
    "picture_of",
    "rows_of",
    "scenario_in",
    "sentences_of",
    "simulate_group",
    "spread_of",
    "tables_of",
]
