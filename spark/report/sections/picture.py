"""A chart in a report."""

from __future__ import annotations

from spark.charts import CHARTS
from spark.report.blocks import Picture
from spark.report.material import Rows


def picture_of(name: str, rows: Rows) -> Picture:
    """The chart of that name, drawn of these rows, with what it shows."""
    chart = CHARTS[name]
    return Picture(chart.title, chart.svg(rows), chart.tell(rows))
