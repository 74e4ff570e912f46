"""Sizes of groups as metrics, for dashboards and for autoscalers that follow them."""

from collections.abc import Mapping, Sequence
from typing import Any

from spark.metrics_text import Family, metrics_text

METRICS = {
    "now": ("members", "Members that the group has."),
    "needed": ("needed", "Members that the rates need, with headroom."),
    "even_below": ("even_below", "The nearest smaller size at which all have the same number."),
    "even_above": ("even_above", "The nearest larger size at which all have the same number."),
    "most": ("partitions", "Partitions that the group reads: more members would own nothing."),
}
"""The end of each metric's name, the column of `MembersRow` that it shows, and what it is."""


def size_metrics(rows: Sequence[Mapping[str, Any]]) -> str:
    """The text of the metrics file: a series a group of each metric that is known of it."""
    return metrics_text(_family(name, *about, rows) for name, about in METRICS.items())


def _family(name: str, column: str, about: str, rows: Sequence[Mapping[str, Any]]) -> Family:
    samples = [
        ({"cluster": row["cluster"], "group": row["group"]}, row[column])
        for row in rows
        if row[column] is not None
    ]
    return f"evenfleet_members_{name}", about, samples
