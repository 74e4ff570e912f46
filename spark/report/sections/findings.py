"""Findings by kind: one advice a kind, and the findings below it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from spark.audit import WORST_FIRST
from spark.report.material import Material, anchor

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
