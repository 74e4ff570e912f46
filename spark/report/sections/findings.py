"""All that was found, the worst first."""

from __future__ import annotations

from typing import Any

from spark.report.blocks import Column, Fold, Points, Section, Table, Words
from spark.report.material import Material

COUNTS = (
    *(Column("finding", "finding", False), Column("critical", "critical")),
    *(Column("warning", "warning"), Column("info", "info")),
)
FOUND = (
    *(
        Column("severity", "severity", False),
        Column("finding", "finding", False),
        Column("cluster", "cluster", False),
    ),
    *(Column("sentence", "what was found", False), Column("advice", "what to do", False)),
)


def findings(material: Material) -> Section:
    """How many there are of each, and the worst in full."""
    counted = [row for row in material.counts if _total(row)]
    total = sum(map(_total, material.counts))
    shown = len(material.findings)
    more = f"These are the worst {shown:,} of {total:,}." if shown < total else ""
    blocks: list[Any] = []
    if counted:
        blocks.append(Table("How many of each", COUNTS, counted))
        blocks.append(Table("Findings, the worst first", FOUND, material.findings, True, more))
    else:
        blocks.append(Words("Nothing was found."))
    if material.not_run:
        missing = [f"{name}: {why}." for name, why in material.not_run.items()]
        blocks.append(Fold("What couldn't be looked for", [Points(missing)]))
    made_by = material.made_by["audit"]
    return Section("findings", "Findings", blocks, made_by)


def _total(row: Any) -> int:
    return int(row["critical"] + row["warning"] + row["info"])
