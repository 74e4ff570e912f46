"""More about the worst groups: why partitions move, what moves buy, what a crash does."""

from typing import Any

from spark.report.material import GroupMaterial, Material, anchor
from spark.report.sections.groups import short_member

LISTED = 10
"""Moves, and partitions by topic, of a group that are listed."""


def details(material: Material) -> dict[str, Any] | None:
    """A block a group, which the page's script puts into the group's row."""
    if not material.details:
        return None
    return {"blocks": [_block(group_material) for group_material in material.details]}


def _block(group_material: GroupMaterial) -> dict[str, Any]:
    changed = sorted(group_material.cells, key=lambda row: -abs(row["current"] - row["planned"]))
    loads = [
        point.get("max_load", point.get("max_weight")) for point in group_material.frontier_points
    ]
    return {
        "id": anchor(group_material.cluster, group_material.group),
        "one": group_material,
        "moves": group_material.moves[:LISTED],
        "more_moves": len(group_material.moves) - LISTED,
        "bounds": group_material.bounds[:LISTED] or ["Loads are as even as possible."],
        "cells": [{**row, "member": short_member(row["member"])} for row in changed[:LISTED]],
        "more_cells": len(changed) - LISTED,
        "points": [
            {"moves": point["moves"], "load": load, "share": round(100 * load / (max(loads) or 1))}
            | {"knee": point["knee"]}
            for point, load in zip(group_material.frontier_points, loads, strict=True)
        ],
    }
