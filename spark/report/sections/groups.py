"""The groups' table: a row a group, the worst first, and the data of the rows' details."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from spark.audit import FINDINGS, SEVERITIES, WORST_FIRST
from spark.report.material import Material, Rows, anchor
from spark.text import readable

OPEN = 25
"""Rows that are shown, and printed, before someone asks for more; page.css has it for print."""

OPTIONAL = ("lag", "strategy", "rebalances", "names", "team", "weight", "planned_weight")
"""Columns that only some snapshots have."""


_RANDOM = re.compile(r"-([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
"""The end of a member id that the coordinator made up."""


def groups(material: Material) -> dict[str, Any] | None:
    """Cells of the rows, and what the tools above them offer."""
    if not material.groups:
        return None
    clusters = [*material.clusters]
    names = sorted(
        {finding["finding"] for row in material.groups for finding in row["found"] or ()}
    )
    return {
        "clusters": clusters,
        "kinds": names,
        "teams": sorted({row["team"] for row in material.groups if row.get("team") is not None}),
        "rows": [_cells(row, clusters) for row in material.groups],
        "open": OPEN,
        "total": material.now["groups"],
        "weighed": any(row.get("weight") or row.get("planned_weight") for row in material.groups),
        "restless": any(row.get("rebalances") is not None for row in material.groups),
    }


def _cells(row: Mapping[str, Any], clusters: Sequence[str]) -> dict[str, Any]:
    now, planned = row["current_max_load"], row["max_load"]
    findings = sorted(row["found"] or (), key=_worst_first)
    return {
        **dict.fromkeys(OPTIONAL),
        **row,
        "id": anchor(row["cluster"], row["group"]),
        "at": clusters.index(row["cluster"]) if row["cluster"] in clusters else -1,
        "ratio": None if planned is None else row["now_to_best"] or 1.0,
        "bar": None if planned is None else now / planned if planned else 1.0,
        "dots": [finding["severity"] for finding in findings],
        "kinds": [finding["finding"] for finding in findings],
        "rank": sum(100 ** SEVERITIES.index(finding["severity"]) for finding in findings),
        "advised": row["advice_strategy"] or row["advice_kind"],
    }


def _worst_first(finding: Mapping[str, str]) -> tuple[int, int, str]:
    """By severity, then as findings are listed everywhere."""
    name = finding["finding"]
    return WORST_FIRST.index(finding["severity"]), [*FINDINGS, name].index(name), name


def for_script(rows: Rows) -> dict[str, Any]:
    """Facts that details of rows show, and the names by which a row is found.

    `found` has the numbers of these names; members that are drawn aren't repeated there.
    """
    drawn = {load["member"] for row in rows for load in row["loads"] or ()}
    names = sorted({name for row in rows for name in row["names"] or ()} - drawn)
    numbers = {name: number for number, name in enumerate(names)}
    return {
        "names": [readable(short_member(name)) for name in names],
        "rows": {
            row["id"]: {
                "counts": [row[name] or 0 for name in ("members", "partitions", "takeovers")],
                "kinds": row["kinds"],
                "team": row["team"] and readable(row["team"]),
                "advice": readable(row["advice"] or ""),
                **_loads(row["loads"] or ()),
                "found": [numbers[name] for name in row["names"] or () if name in numbers],
            }
            for row in rows
        },
    }


def _loads(loads: Rows) -> dict[str, Any]:
    """Members' loads: names without what all have in common."""
    names = [short_member(load["member"]) for load in loads]
    if len({*names}) < len(names):
        names = [load["member"] for load in loads]
    prefix = _in_common(names) if len(names) > 1 else ""
    members = [
        (readable(name.removeprefix(prefix)), load["now"], load["planned"])
        for name, load in zip(names, loads, strict=True)
    ]
    return {"prefix": readable(prefix), "members": members}


def _in_common(names: Sequence[str]) -> str:
    """The beginning that all names share, up to a hyphen."""
    ends = zip(min(names), max(names), strict=False)
    length = next((at for at, (letter, other) in enumerate(ends) if letter != other), 0)
    return names[0][: names[0][:length].rfind("-") + 1]


def short_member(name: str) -> str:
    """A member id with the first eight digits of its random end."""
    return _RANDOM.sub(r"-\1", name)


LISTED = 10
"""Moves, and partitions by topic, of a group that are listed."""


def details(material: Material) -> dict[str, Any] | None:
    """A block a group, which the page's script puts into the group's row."""
    return {"blocks": [*map(_block, material.details)]} if material.details else None


def _block(row: Mapping[str, Any]) -> dict[str, Any]:
    changed = sorted(row["cells"], key=lambda cell: -abs(cell["current"] - cell["planned"]))
    loads = [point.get("max_load", point.get("max_weight")) for point in row["frontier_points"]]
    return {
        "id": anchor(row["cluster"], row["group"]),
        "one": row,
        "moves": row["moves"][:LISTED],
        "more_moves": len(row["moves"]) - LISTED,
        "bounds": row["bounds"][:LISTED],
        "cells": [{**cell, "member": short_member(cell["member"])} for cell in changed[:LISTED]],
        "more_cells": len(changed) - LISTED,
        "points": [
            {**point, "load": load, "share": round(100 * load / (max(loads) or 1))}
            for point, load in zip(row["frontier_points"], loads, strict=True)
        ],
    }
