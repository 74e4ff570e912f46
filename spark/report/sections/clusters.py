"""Clusters side by side."""

from __future__ import annotations

from spark.report.blocks import Column, Section, Table
from spark.report.material import Material

COLUMNS = (
    *(
        Column("cluster", "cluster", False),
        Column("instant", "snapshot", False),
        Column("groups", "groups"),
    ),
    *(Column("unplanned", "groups without a plan"), Column("current_uneven", "uneven, now")),
    *(Column("planned_uneven", "uneven, planned"), Column("moves", "moves")),
    Column("findings", "warnings and worse"),
)


def clusters(material: Material) -> Section:
    """A row a cluster."""
    table = Table("Clusters", COLUMNS, material.clusters_beside)
    return Section("clusters", "Clusters side by side", [table])
