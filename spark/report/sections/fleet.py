"""Clusters side by side, and how far their brokers are from the mean."""

from collections.abc import Mapping
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
    means = {
        name: sum(broker[name] for broker in row["brokers"]) / len(row["brokers"])
        for name in MEASURES
    }

    def deviation(row: Mapping[str, Any], name: str, column: str) -> float:
        return float(row[column] - means[name])

    most = {
        name: max(
            abs(deviation(broker, name, column)) for broker in row["brokers"] for column in columns
        )
        for name, columns in MEASURES.items()
    }
    furthest = sorted(
        row["brokers"],
        key=lambda item: (
            -sum(abs(deviation(item, name, name)) / (most[name] or 1) for name in MEASURES),
            item["broker"],
        ),
    )[:BROKERS_SHOWN]
    return {
        **{name: row[name] for name in ("cluster", "copies", "leader_changes", "optimal")},
        "count": len(row["brokers"]),
        "more": len(row["brokers"]) - len(furthest),
        "means": means,
        "brokers": [
            {
                "broker": item["broker"],
                "cells": [
                    {
                        "now": item[name],
                        "planned": item[column],
                        "style": _bar(
                            *(deviation(item, name, key) / (most[name] or 1) for key in columns)
                        ),
                    }
                    for name, columns in MEASURES.items()
                    for column in columns[1:]
                ],
            }
            for item in sorted(furthest, key=lambda item: item["broker"])
        ],
    }


def _bar(now: float, planned: float) -> str:
    """Where bars now and planned begin and how long they are: percent of a cell, the mean at 50."""
    parts = []
    for letter, share in (("n", now), ("p", planned)):
        begin, length = 50 + min(0.0, 48 * share), abs(48 * share)
        parts.append(f"--{letter}:{length:.0f}%;--{letter}0:{begin:.0f}%")
    return ";".join(parts)
