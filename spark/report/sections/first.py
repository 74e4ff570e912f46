"""What to do first: three findings, each with its impact, its cure and a command."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from optimizer.figures import counted
from spark.audit import WORST_FIRST
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


INFOS = 12
"""Findings of a kind that are listed if none is worse than `info`."""


def findings(material: Material) -> dict[str, Any]:
    """The kinds, the worst first; those of `info` alone are folded away."""
    rows = [_kind(material, row) for row in material.counts if _total(row)]
    rows.sort(key=lambda kind: (WORST_FIRST.index(kind["severity"]), -kind["count"]))
    return {
        "kinds": [kind for kind in rows if kind["severity"] != "info"],
        "infos": [kind for kind in rows if kind["severity"] == "info"],
        "info_count": sum(kind["count"] for kind in rows if kind["severity"] == "info"),
        "shown": len(material.findings),
        "total": sum(map(_total, material.counts)),
        "not_run": material.not_run,
    }


def _kind(material: Material, count: Any) -> dict[str, Any]:
    rows = [row for row in material.findings if row["finding"] == count["finding"]]
    usual = Counter(row["advice"] for row in rows).most_common(1)
    advice = usual[0][0] if usual else ""
    counts = {severity: count[severity] for severity in WORST_FIRST if count[severity]}
    if [*counts] == ["info"]:
        rows = rows[:INFOS]
    return {
        "name": count["finding"],
        "severity": next(iter(counts)),
        "count": _total(count),
        "counts": counts,
        "advice": advice,
        "hidden": _total(count) - len(rows),
        "rows": [
            {
                **{name: row[name] for name in ("severity", "cluster", "group", "sentence")},
                "id": anchor(row["cluster"], row["group"]) if row["group"] is not None else None,
                "advice": row["advice"] if row["advice"] != advice else "",
            }
            for row in rows
        ],
    }


def _total(row: Mapping[str, Any]) -> int:
    return sum(int(row[severity]) for severity in WORST_FIRST)
