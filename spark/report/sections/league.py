"""What each strategy would make of the fleet."""

from __future__ import annotations

from spark.fleet import CONNECT, CONSUMER
from spark.report.blocks import Column, Section, Table, Words
from spark.report.material import Material
from spark.report.sections.picture import picture_of

COLUMNS = (
    Column("strategy", "strategy", False),
    Column("groups", "groups with an answer"),
    Column("not_evaluated", "groups without"),
    Column("unbalanced", "unbalanced groups"),
    Column("worst_max_to_mean", "worst load ÷ mean"),
    Column("excess", "excess (partitions)"),
    Column("moves", "moves"),
    Column("takeovers", "takeovers"),
    Column("stopped_eager", "stopped if eager (partitions)"),
    Column("stopped_cooperative", "stopped if cooperative (partitions)"),
)


KINDS = {CONSUMER: "Strategies", CONNECT: "Strategies of Connect's workers"}


def league(material: Material) -> Section | None:
    """All strategies side by side, the best first."""
    if not material.league:
        return None
    of = [row for row in material.league if row["kind"] == material.league[0]["kind"]]
    blocks = [
        Words(material.best),
        picture_of("league", of),
        *(
            Table(f"{title}, the best first", COLUMNS, rows)
            for kind, title in KINDS.items()
            if (rows := [row for row in material.league if row["kind"] == kind])
        ),
    ]
    if material.sampled is not None:
        said = f"Measured in {material.sampled:,} groups that were drawn by their names' hashes."
        blocks.append(Words(said, "aside"))
    return Section(
        *("league", "What each strategy would make of it", blocks),
        material.made_by["compare"],
        brief=True,
    )
