"""Tables of the fleet: clusters, brokers beside their mean, strategies, policies of scaling."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from spark.report.material import Material

MEASURES = {"replicas": ("replicas", "planned"), "leaders": ("leaders", "planned_leaders")}
"""Measures of brokers that are shown, and their columns now and planned."""

BROKERS_SHOWN = 24
"""Brokers that are shown: those furthest from the mean of their cluster."""

LEAST_OFF = 0.01
"""A broker that is nearer to the mean, now and planned, has no row."""


def clusters(material: Material) -> dict[str, Any] | None:
    """A row a cluster."""
    rows = material.clusters_beside
    racks = any(row.get("remote") is not None for row in rows)
    return {"rows": rows, "racks": racks} if rows else None


def brokers(material: Material) -> dict[str, Any] | None:
    """The brokers furthest from the mean of their cluster, and what `reassign` would do there."""
    planned = [row for row in material.brokers if row["status"] == "planned" and row["brokers"]]
    every = [_deviation(broker, cluster) for cluster in planned for broker in cluster["brokers"]]
    every.sort(key=itemgetter("most"), reverse=True)
    rows = [row for row in every[:BROKERS_SHOWN] if row["most"] >= LEAST_OFF]
    if not rows and not any(row["copies"] or row["leader_changes"] for row in planned):
        return None
    hidden = len(every) - len(rows)
    return {"measures": [*MEASURES], "clusters": planned, "hidden": hidden, "rows": rows}


def _deviation(broker: Mapping[str, Any], cluster: Mapping[str, Any]) -> dict[str, Any]:
    """How far a broker is from the mean, now and planned, as shares of the mean."""
    cells = []
    for columns in MEASURES.values():
        mean = sum(row[columns[0]] for row in cluster["brokers"]) / len(cluster["brokers"])
        counts = [broker[name] for name in columns]
        cells.append({"counts": counts, "off": [(at - mean) / (mean or 1) for at in counts]})
    most = max(abs(share) for cell in cells for share in cell["off"])
    names = {"cluster": cluster["cluster"], "broker": broker["broker"]}
    return {**names, "cells": cells, "most": most}


KINDS = {"consumer": "Consumer groups", "connect": "Connect workers"}

STRATEGY_MEASURES = {
    "uneven": "groups to even out",
    "excess": "partitions above the best",
    "moves": "moves",
}

BY_WEIGHT = {
    "mean_over_bound": "largest load ÷ bound, mean",
    "worst_over_bound": "largest load ÷ bound, worst group",
}
"""Ratios of 1 at best: bars show what is above that."""


def strategies(material: Material) -> dict[str, Any] | None:
    """One table: rows a kind and strategy, each cell with its share of the largest one.

    A kind that is the same under all strategies has no rows.
    """
    if not material.league:
        return None
    weighed = {(row["kind"], row["strategy"]): row for row in material.by_weight}
    keys = [*(BY_WEIGHT if weighed else ()), *STRATEGY_MEASURES]
    rows = [
        row | {key: weighed.get((row["kind"], row["strategy"]), {}).get(key) for key in BY_WEIGHT}
        for row in map(dict, material.league)
    ]
    most = {key: max(_above(row, key) for row in rows) for key in keys}
    differ = {row["kind"] for row in rows if any(_above(row, key) for key in keys)}
    return {
        "best": material.best,
        "by_weight": BY_WEIGHT if weighed else {},
        "columns": STRATEGY_MEASURES,
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
            if row["kind"] in differ or not differ
        ],
    }


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
