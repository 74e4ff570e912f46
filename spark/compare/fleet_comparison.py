"""A comparison of strategies as a notebook shows it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame

from spark.charts import CHARTS
from spark.compare.best_strategy import best_of
from spark.compare.compare import fleet_of
from spark.notebook import shown_in_notebook


@dataclass(frozen=True)
class FleetComparison:
    """The table that `compare_fleet` has made, with what it comes to for the whole fleet.

    The few rows of the fleet are worked out once; the table itself is not kept.
    """

    groups: DataFrame

    @property
    def fleet(self) -> DataFrame:
        """One row a kind of groups and strategy: see `fleet_of`."""
        return fleet_of(self.groups)

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        return [row.asDict() for row in self.fleet.collect()]

    def best(self) -> str:
        """Which strategy the fleet would be best off with."""
        return best_of(self._rows)

    def chart(self) -> Any:
        """All strategies of consumers, or of Connect's workers where there are no others.

        InputError where Altair isn't installed.
        """
        kind = self._rows[0]["kind"] if self._rows else None
        return CHARTS["league"].drawn([row for row in self._rows if row["kind"] == kind])

    def _repr_html_(self) -> str:
        columns = "strategy", "groups", "not_evaluated", "uneven", "unbalanced", "excess", "moves"
        return shown_in_notebook([self.best()], (*columns, "stopped_eager"), self._rows)
