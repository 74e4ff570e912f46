"""Drawings of result tables, one file a chart; Altair is needed when one is drawn, not before."""

from __future__ import annotations

from spark.charts.chart import Chart
from spark.charts.drawing import check_charts
from spark.charts.registry import CHARTS
from spark.charts.sums import balance_of, causes_of, trend_of

__all__ = ["CHARTS", "Chart", "balance_of", "causes_of", "check_charts", "trend_of"]
