"""The fleet in figures, and how even its groups are."""

from __future__ import annotations

from typing import Any

from spark.report.blocks import Figure, Figures, Section
from spark.report.material import Material
from spark.report.sections.picture import picture_of


def figures(material: Material) -> Section:
    """What could be put right, and what would be left."""
    found, planned = material.fleet
    shown = [
        Figure("clusters", _number(len(material.clusters))),
        Figure("groups", _number(sum(material.statuses.values())), _was(material, "groups")),
        Figure("uneven groups, planned", _number(planned["uneven groups"]), _of(found)),
        Figure("partitions that move", _number(planned["moves"])),
        Figure(
            "most partitions a member, planned",
            _number(planned["max load"]),
            f"now {_number(found['max load'])}",
        ),
    ]
    for key, label in (("members", "members"), ("lag", "lag (records)")):
        if material.now and material.now[key] is not None:
            shown.append(Figure(label, _short(material.now[key]), _was(material, key)))
    blocks: list[Any] = [Figures(shown)]
    for name, rows in (("balance", material.balance), ("racks", material.racks)):
        if rows:
            blocks.append(picture_of(name, rows))
    return Section("figures", "The fleet in figures", blocks, material.made_by["plan"])


def _was(material: Material, key: str) -> str | None:
    """What it was in the snapshot before, where there is one."""
    value = material.before[key] if material.before else None
    return None if value is None else f"in the snapshot before {_short(value)}"


def _of(found: Any) -> str:
    return f"now {_number(found['uneven groups'])}"


def _short(value: Any) -> str:
    """A large number in a few digits."""
    if value is None:
        return "unknown"
    for size, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if value >= size:
            return f"{value / size:.4g} {name}"
    return f"{value:,}"


def _number(value: Any) -> str:
    return "unknown" if value is None else f"{value:,}"
