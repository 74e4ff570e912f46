"""All charts by name: another one is its file here, and its line."""

from spark.charts.balance import BALANCE
from spark.charts.chart import Chart
from spark.charts.frontier import FRONTIER
from spark.charts.league import LEAGUE
from spark.charts.matrix import MATRIX
from spark.charts.scaling import SCALING
from spark.charts.timeline import TIMELINE
from spark.charts.trend import TREND

CHARTS: dict[str, Chart] = {
    item.name: item for item in (BALANCE, LEAGUE, MATRIX, TREND, FRONTIER, TIMELINE, SCALING)
}
