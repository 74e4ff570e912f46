"""How the fleet went."""

from __future__ import annotations

from spark.report.blocks import Section, Words
from spark.report.material import Material
from spark.report.sections.picture import picture_of


def trend(material: Material) -> Section:
    """Over the snapshots of a history, or how to come by one."""
    made_by = material.made_by["history"]
    if len(material.trend) < 2:
        said = "Nothing is told of the past: it takes a history of two snapshots."
        return Section("trend", "The trend", [Words(said)], made_by)
    blocks = [picture_of("trend", material.trend)]
    if material.rebalances:
        blocks.append(picture_of("rebalances", material.rebalances))
    return Section("trend", "The trend", blocks, made_by)
