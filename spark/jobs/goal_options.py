"""Options that override the goals of the configuration."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from optimizer.model import GoalsError
from spark.config import Settings
from spark.errors import InputError


class RackMeaning(StrEnum):
    """Which replica a member reads."""

    NONE = "none"
    LEADER = "leader"
    ANY = "any"


Rack = Annotated[
    RackMeaning | None,
    typer.Option(
        help="Read within racks: from the leader, or from any replica (KIP-392).",
        show_default="as configured",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        help="What comes first: racks,moves or moves,racks.", show_default="as configured"
    ),
]
MinGain = Annotated[
    float | None,
    typer.Option(
        help="Partitions that a plan has to put right for each one that it moves.",
        show_default="as configured",
    ),
]


def with_goals(
    settings: Settings, rack: RackMeaning | None, levels: str | None, min_gain: float | None
) -> Settings:
    """The settings with the goals that options state; InputError tells what can't be."""
    try:
        goals = settings.goals.overridden(
            rack=rack and rack.value,
            levels=levels and [level.strip() for level in levels.split(",")],
            min_gain=min_gain,
        )
    except GoalsError as error:
        raise InputError(str(error)) from None
    return replace(settings, goals=goals)
