"""Drawings of result tables; Altair is needed when one is drawn, not before."""

from spark.charts.drawing import Chart
from spark.charts.of_fleet import BALANCE, LEAGUE, TREND, balance_of, trend_of
from spark.charts.of_group import FRONTIER, MATRIX, SCALING, TIMELINE

CHARTS: dict[str, Chart] = {
    item.name: item for item in (BALANCE, LEAGUE, MATRIX, TREND, FRONTIER, TIMELINE, SCALING)
}
"""All charts by name."""
