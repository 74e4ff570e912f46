"""The worst groups, one by one."""

from __future__ import annotations

from typing import Any

from spark.report.blocks import Column, Fold, Points, Section, Table, Words
from spark.report.material import GroupMaterial, Material
from spark.report.sections.picture import picture_of
from spark.wording import shortened

LISTED = 50
"""Moves of a group that are told one by one."""

CHANGES = (
    *(
        Column("snapshot", "snapshot", False),
        Column("members", "members"),
        Column("moves", "moves"),
    ),
    *(Column("takeovers", "takeovers"), Column("avoidable_moves", "avoidable moves")),
)


def groups(material: Material) -> Section | None:
    """Members × topics before and after, and each move with its reason."""
    if not material.groups:
        return None
    folds = [_fold(one) for one in material.groups]
    made_by = material.made_by["explain"]
    return Section("groups", "The worst groups", folds, made_by)


def _fold(one: GroupMaterial) -> Fold:
    title = f"{shortened(one.group)} of {shortened(one.cluster)}"
    reason = f": {one.reason}" if one.reason else ""
    blocks: list[Any] = [] if one.by_topic else [Words(f"It is {one.status}{reason}.")]
    if one.by_topic:
        blocks.append(picture_of("matrix", one.by_topic))
    if one.lag:
        blocks.append(Words(one.lag))
    if one.findings:
        said = [f"{row['severity']}: {row['sentence']} {row['advice']}" for row in one.findings]
        blocks.append(Points(said))
    moves = [*one.moves[:LISTED]]
    if len(one.moves) > LISTED:
        moves.append(f"And {len(one.moves) - LISTED} moves more.")
    blocks.append(Fold("Moves, and why", [Points(moves or ["Nothing has to move."])]))
    bounds = [*one.bounds[:LISTED]] or ["Loads are as even as possible."]
    blocks.append(Fold("Why it can't be more even", [Points(bounds)]))
    if one.frontier:
        drawn = [picture_of("frontier", one.frontier_points)] if one.frontier_points else []
        blocks.append(Fold("What moves buy", [Words(one.frontier), *drawn]))
    if one.crash:
        drawn = [picture_of("timeline", one.crash_spans)] if one.crash_spans else []
        blocks.append(Fold("If its most loaded member crashed", [Points(one.crash), *drawn]))
    if one.changes:
        blocks.append(Fold("What happened", [Table("Changes", CHANGES, one.changes)]))
    return Fold(title, blocks)
