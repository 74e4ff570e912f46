"""What to do first: three findings, each with its impact, its cure and a command."""

from collections.abc import Mapping
from typing import Any

from optimizer.figures import counted
from spark.report.material import Material, anchor

FIRST = 3


def first(material: Material) -> dict[str, Any]:
    """The verdict, and the worst findings of different kinds."""
    return {"verdict": material.verdict, "cards": cards_of(material)}


def cards_of(material: Material) -> list[dict[str, Any]]:
    """The worst finding of each of the worst kinds."""
    worst: dict[str, Any] = {}
    for row in material.findings:
        worst.setdefault(row["finding"], row)
    return [_card(material, row) for row in [*worst.values()][:FIRST]]


def _card(material: Material, row: Mapping[str, Any]) -> dict[str, Any]:
    groups = {(item["cluster"], item["group"]): item for item in material.groups}
    group = groups.get((row["cluster"], row["group"]))
    return {
        **{name: row[name] for name in ("severity", "finding", "cluster", "group")},
        "what": row["sentence"],
        "impact": _impact(material, row, group),
        "cure": row["advice"],
        "command": row["command"],
        "link": anchor(row["cluster"], row["group"]) if group else None,
    }


def _impact(material: Material, row: Mapping[str, Any], group: Any) -> str:
    of_kind = next((count for count in material.counts if count["finding"] == row["finding"]), None)
    more = sum(of_kind[item] for item in ("critical", "warning", "info")) - 1 if of_kind else 0
    sentences = []
    if group:
        lag = "" if group.get("lag") is None else f", {counted(group['lag'], 'record')} behind"
        members = counted(group["members"], "member")
        sentences.append(f"{members}, {counted(group['partitions'], 'partition')}{lag}.")
    if more > 0:
        sentences.append(f"{counted(more, 'more finding')} of this kind.")
    return " ".join(sentences) or f"Cluster {row['cluster']}."
