"""How the fleet went."""

from __future__ import annotations

from typing import Any

from spark.report.blocks import Section, Words
from spark.report.material import Material
from spark.report.sections.picture import picture_of


def trend(material: Material) -> Section:
    """Over the snapshots of a history, or how to come by one."""
    made_by = material.made_by["history"]
    if len(material.trend) < 2:
        said = "History findings were skipped: it takes a history of two snapshots."
        return Section("trend", "The trend", [Words(said)], made_by)
    blocks: list[Any] = [picture_of("trend", material.trend)]
    last = material.trend[-1]
    if material.now and material.now["lag"] != last["lag"]:
        said = (
            f"The trend ends with the clusters of which the history has a snapshot at "
            f"{last['instant']}; the lag among the figures above is that of the newest snapshot "
            "of each cluster."
        )
        blocks.append(Words(said, "aside"))
    if material.rebalances:
        blocks.append(picture_of("rebalances", material.rebalances))
    return Section("trend", "The trend", blocks, made_by)
