"""Tables of the fleet: clusters, brokers beside their mean, strategies, policies of scaling."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from spark.report.material import Material

MEASURES = {"replicas": ("replicas", "planned"), "leaders": ("leaders", "planned_leaders")}
"""What is shown of brokers, and its columns now and planned."""

BROKERS_SHOWN = 12
"""Brokers of a cluster that are shown: those furthest from the mean."""


def clusters(material: Material) -> dict[str, Any] | None:
    """A row a cluster."""
    rows = material.clusters_beside
    racks = any(row.get("remote") is not None for row in rows)
    return {"rows": rows, "racks": racks} if rows else None


def brokers(material: Material) -> dict[str, Any] | None:
    """The clusters that `reassign` has a plan for, with the brokers furthest from the mean."""
    planned = [row for row in material.brokers if row["status"] == "planned" and row["brokers"]]
    if not planned:
        return None
    return {
        "measures": [*MEASURES],
        "store": material.store,
        "rows": [_cluster(row) for row in planned],
    }


def _cluster(row: Mapping[str, Any]) -> dict[str, Any]:
    brokers = sorted(row["brokers"], key=itemgetter("broker"))
    means = {name: sum(broker[name] for broker in brokers) / len(brokers) for name in MEASURES}
    shares: list[dict[str, float]] = [{} for _ in brokers]  # of the largest deviation
    for name, columns in MEASURES.items():
        off = [[broker[column] - means[name] for column in columns] for broker in brokers]
        most = max(abs(item) for of_broker in off for item in of_broker) or 1
        for share, of_broker in zip(shares, off, strict=True):
            share |= {column: item / most for column, item in zip(columns, of_broker, strict=True)}
    pairs = zip(brokers, shares, strict=True)
    furthest = sorted(pairs, key=lambda pair: -sum(abs(pair[1][name]) for name in MEASURES))
    shown = sorted(furthest[:BROKERS_SHOWN], key=lambda pair: int(pair[0]["broker"]))
    return {
        **{name: row[name] for name in ("cluster", "copies", "leader_changes", "optimal")},
        "count": len(brokers),
        "more": len(brokers) - len(shown),
        "means": means,
        "brokers": [
            {
                "broker": broker["broker"],
                "cells": [
                    {
                        "now": broker[now],
                        "planned": broker[planned],
                        "style": _bar(share[now], share[planned]),
                    }
                    for now, planned in MEASURES.values()
                ],
            }
            for broker, share in shown
        ],
    }


def _bar(now: float, planned: float) -> str:
    """Where bars now and planned begin and how long they are: percent of a cell, the mean at 50."""
    parts = []
    for letter, share in (("n", now), ("p", planned)):
        begin, length = 50 + min(0.0, 48 * share), abs(48 * share)
        parts.append(f"--{letter}:{length:.0f}%;--{letter}0:{begin:.0f}%")
    return ";".join(parts)


KINDS = {"consumer": "Consumer groups", "connect": "Connect workers"}

STRATEGY_MEASURES = {
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
    keys = [*STRATEGY_MEASURES, *(BY_WEIGHT if weighed else ())]
    rows = [
        {**dict.fromkeys(BY_WEIGHT), **row, **_ratios(weighed.get((row["kind"], row["strategy"])))}
        for row in material.league
    ]
    most = {key: max((_above(row, key) for row in rows), default=0) for key in keys}
    return {
        "best": material.best,
        "columns": STRATEGY_MEASURES,
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
