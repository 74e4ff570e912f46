"""Strategies over many snapshots at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from optimizer.model import Goals
from spark.compare.compared_row import ComparedRow
from spark.compare.measure import measure_groups
from spark.errors import InputError
from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.groups import Int
from spark.history import FleetHistory, encode_changes
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    as_fleet_goals,
    check_strategies,
)
from spark.trial import need_racks

SPAN = ("cluster", "group", "start")


@dataclass(slots=True, kw_only=True)
class _Past(ComparedRow):
    """A group's row at the position `start` of its cluster's snapshots."""

    start: Int = None


def compare_history(
    history: FleetHistory,
    strategies: Sequence[str] = (),
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
) -> DataFrame:
    """The rows of `compare_fleet` for each snapshot, which the column `snapshot` names.

    A group is measured once for all neighbouring snapshots in which its facts are the same, and the
    plan's size doesn't depend on their number. InputError for an unknown strategy, and for goals by
    weight: weights change without any fact, so those snapshots are compared one by one.
    """
    selection, goals = check_strategies(strategies), as_fleet_goals(goals)
    if goals.weights:
        raise InputError("goals by weight can't be compared over a history: compare each snapshot")
    racks = need_racks(selection, goals)
    facts = history.facts(racks)
    encoded = encode_changes(history.tables, facts, racks)
    measured = measure_groups(encoded, selection, strategy_seconds, goals, _Past)
    rows = escaped_rows(facts.rows.select(SNAPSHOT, *SPAN))
    return rows.join(measured, [*SPAN]).drop("start")
