"""How the fleet went."""

from __future__ import annotations

from spark.charts import CHARTS
from spark.report.blocks import Picture, Section, Words
from spark.report.material import Material


def trend(material: Material) -> Section:
    """Over the snapshots of a history, or how to come by one."""
    made_by = material.made_by["history"]
    if len(material.trend) < 2:
        said = "Nothing is told of the past: it takes a history of two snapshots."
        return Section("trend", "The trend", [Words(said)], made_by)
    blocks = [_picture("trend", material.trend)]
    if material.rebalances:
        blocks.append(_picture("rebalances", material.rebalances))
    return Section("trend", "The trend", blocks, made_by)


def _picture(name: str, rows: object) -> Picture:
    chart = CHARTS[name]
    return Picture(chart.title, chart.svg(rows), chart.tell(rows))  # type: ignore[arg-type]
