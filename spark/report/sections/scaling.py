"""What each policy of an autoscaler would have done with the fleet, and what to set."""

from typing import Any

from spark.report.material import Material

MEASURES = {
    "member_hours": "member-hours",
    "late_partition_hours": "late partition-hours",
    "rebalances": "rebalances",
    "meets_slo": "groups in SLO",
    "cost": "cost",
    "recommended": "best for groups",
}


def scaling(material: Material) -> dict[str, Any] | None:
    """A row a policy, and sentences; nothing without a result of `scale`."""
    if not material.scaling:
        return None
    verdict, *groups = material.sizes
    return {
        "verdict": verdict,
        "groups": groups,
        "columns": [*MEASURES.values()],
        "rows": [
            {"policy": row["policy"], "cells": [row[key] for key in MEASURES]}
            for row in material.scaling
        ],
    }
