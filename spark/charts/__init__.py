"""Drawings of result tables, one file a chart; Altair is needed when one is drawn, not before."""

from __future__ import annotations

from spark.charts.registry import CHARTS as CHARTS
from spark.charts.sums import balance_of as balance_of, trend_of as trend_of
