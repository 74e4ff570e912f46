"""Cards of what to do first, each with its number and cure; and all findings in that order."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from spark.audit import FINDINGS, WORST_FIRST
from spark.report.material import Key, Material, anchor
from spark.text import as_sentence

FIRST = 3


def first(material: Material) -> dict[str, Any]:
    """The verdict, and the worst findings of different kinds."""
    return {"verdict": material.verdict, "cards": cards_of(material)}


def cards_of(material: Material) -> list[dict[str, Any]]:
    """The worst findings of each cluster, of different groups and different kinds.

    Those of the first kinds of the fleet are `shown`; the others once their cluster is chosen.
    """
    groups = material.keys
    seen, kinds, cards, of_cluster = set[Any](), set[str](), [], Counter[str]()
    for row in material.findings:
        cluster, kind = row["cluster"], row["finding"]
        keys = {(cluster, "kind", kind), (cluster, "group", row["group"] or row["subject"])}
        if of_cluster[cluster] < FIRST and not seen & keys:
            seen |= keys
            of_cluster[cluster] += 1
            shown = len(kinds) < FIRST and kind not in kinds
            kinds.add(kind)
            cards.append(_card(material, row, groups) | {"shown": shown})
    return cards


def _card(material: Material, row: Mapping[str, Any], groups: Collection[Key]) -> dict[str, Any]:
    kind, key = FINDINGS.get(row["finding"]), (row["cluster"], row["group"])
    counts = [_total(count) for count in material.counts if count["finding"] == row["finding"]]
    return {
        **{name: row[name] for name in ("severity", "finding", "cluster", "command")},
        "about": row["subject"] if row["group"] is None else row["group"],
        "number": row["measure"],
        "measure": kind.measure if kind else "",
        "what": row["sentence"],
        "cure": row["advice"],
        "more": sum(counts) - 1,
        "link": anchor(*key) if key in groups else None,
    }


INFOS = 12
"""Findings of a kind that are listed if none is worse than `info`."""


def findings(material: Material) -> dict[str, Any]:
    """The kinds in the order of the cards; those of `info` alone are folded away."""
    order = [*dict.fromkeys(row["finding"] for row in material.findings)]
    rows = [_kind(material, row) for row in material.counts if _total(row)]
    rows.sort(
        key=lambda kind: (
            WORST_FIRST.index(kind["severity"]),
            order.index(kind["name"]) if kind["name"] in order else len(order),
            -kind["count"],
        )
    )
    return {
        "kinds": [kind for kind in rows if kind["severity"] != "info"],
        "infos": [kind for kind in rows if kind["severity"] == "info"],
        "info_count": sum(kind["count"] for kind in rows if kind["severity"] == "info"),
        "shown": len(material.findings),
        "total": sum(map(_total, material.counts)),
        "not_run": material.not_run,
    }


def _kind(material: Material, count: Any) -> dict[str, Any]:
    groups = material.keys
    rows = [row for row in material.findings if row["finding"] == count["finding"]]
    usual = Counter(row["advice"] for row in rows).most_common(1)
    advice = usual[0][0] if usual else ""
    counts = {severity: count[severity] for severity in WORST_FIRST if count[severity]}
    if [*counts] == ["info"]:
        rows = rows[:INFOS]
    return {
        "name": count["finding"],
        "meaning": meaning_of(count["finding"]),
        "severity": next(iter(counts)),
        "count": _total(count),
        "counts": counts,
        "advice": advice,
        "hidden": _total(count) - len(rows),
        "rows": [
            {
                **{name: row[name] for name in ("severity", "cluster", "group", "sentence")},
                "id": anchor(*key) if (key := (row["cluster"], row["group"])) in groups else None,
                "advice": row["advice"] if row["advice"] != advice else "",
            }
            for row in rows
        ],
    }


def meaning_of(name: str) -> str:
    """Two sentences on what a kind of finding means and how it is measured."""
    kind = FINDINGS.get(name)
    return f"{as_sentence(kind.tells)} Measure: {kind.measure}." if kind else ""


def _total(row: Mapping[str, Any]) -> int:
    return sum(int(row[severity]) for severity in WORST_FIRST)
