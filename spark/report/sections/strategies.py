"""What each strategy would make of the fleet: by count, and by weight beside it."""

from collections.abc import Mapping
from typing import Any

from spark.report.material import Material

KINDS = {"consumer": "Consumer groups", "connect": "Connect workers"}

MEASURES = {
    "unbalanced": "groups not balanced",
    "excess": "partitions above the best",
    "moves": "moves",
    "stopped_eager": "stopped if eager",
    "stopped_cooperative": "stopped if cooperative",
}

BY_WEIGHT = {
    "mean_over_bound": "largest load ÷ bound, mean",
    "worst_over_bound": "largest load ÷ bound, worst group",
}
"""Ratios of 1 at best: bars show what is above that."""


def strategies(material: Material) -> dict[str, Any] | None:
    """One table: rows a kind and strategy, each cell with its share of the largest one."""
    if not material.league:
        return None
    weighed = {(row["kind"], row["strategy"]): row for row in material.by_weight}
    keys = [*MEASURES, *(BY_WEIGHT if weighed else ())]
    rows = [
        {**dict.fromkeys(BY_WEIGHT), **row, **_ratios(weighed.get((row["kind"], row["strategy"])))}
        for row in material.league
    ]
    most = {key: max((_above(row, key) for row in rows), default=0) for key in keys}
    return {
        "best": material.best,
        "columns": MEASURES,
        "by_weight": BY_WEIGHT if weighed else {},
        "sampled": material.sampled,
        "rows": [
            {name: row[name] for name in ("strategy", "groups", "not_evaluated")}
            | {"kind": KINDS[row["kind"]]}
            | {
                "cells": [
                    (row[key], round(100 * _above(row, key) / (most[key] or 1))) for key in keys
                ]
            }
            for row in rows
        ],
    }


def _ratios(row: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: row[key] for key in BY_WEIGHT} if row else {}


def _above(row: Mapping[str, Any], key: str) -> float:
    """How far a cell is above the best value that it can have."""
    return max(0.0, (row[key] or 0) - (1 if key in BY_WEIGHT else 0))


POLICY_MEASURES = {
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
        "columns": [*POLICY_MEASURES.values()],
        "rows": [
            {"policy": row["policy"], "cells": [row[key] for key in POLICY_MEASURES]}
            for row in material.scaling
        ],
    }
