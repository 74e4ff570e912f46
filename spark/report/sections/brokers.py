"""How even clusters' brokers are, and how even they could be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.report.blocks import Column, Section, Table, Words
from spark.report.material import Material
from spark.report.sections.picture import picture_of

COLUMNS = (
    Column("cluster", "cluster", False),
    Column("partitions", "partitions"),
    Column("replicas", "replicas a broker", False),
    Column("planned", "planned", False),
    Column("leaders", "leaders a broker", False),
    Column("planned_leaders", "planned", False),
    Column("copies", "copies for that"),
    Column("leader_changes", "preferred leaders that change"),
    Column("optimal", "the plan is", False),
)
RANGES = ("replicas", "planned", "leaders", "planned_leaders")


def brokers(material: Material) -> Section | None:
    """A row a cluster whose replicas are known, and the brokers of the most uneven one."""
    planned = [row for row in material.brokers if row["status"] == "planned"]
    if not planned:
        return None
    rows = [
        {**row, **{name: f"{row[f'{name}_min']:,} to {row[f'{name}_max']:,}" for name in RANGES}}
        for row in planned
    ]
    blocks: list[Any] = []
    if (worst := max(planned, key=_unevenness))["brokers"]:
        blocks.append(Words(f"Brokers of cluster {worst['cluster']}, the most uneven one:"))
        blocks.append(picture_of("brokers", worst["brokers"]))
    blocks.append(Table("Brokers of clusters", COLUMNS, rows))
    return Section("brokers", "Brokers", blocks, material.made_by["reassign"])


def _unevenness(row: Mapping[str, Any]) -> float:
    spans = (row["replicas_max"] - row["replicas_min"], row["leaders_max"] - row["leaders_min"])
    return float(sum(spans))
