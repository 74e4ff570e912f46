"""Drawings of result tables, one file a chart; Altair is needed when one is drawn, not before."""

from spark.charts.registry import CHARTS
from spark.charts.sums import balance_of, trend_of
