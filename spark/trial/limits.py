"""Limits of goals that no group of a fleet has anything to do with."""

from collections.abc import Iterable
from dataclasses import dataclass

from optimizer.model import fitting, on_hosts
from spark.fleet import FleetSnapshot
from spark.groups import EncodedRow, Row, Texts, encode, in_workers, read_or_failed
from spark.history import FleetHistory, encode_changes
from spark.settings import FleetGoals
from spark.solve import idle_limits_of


@dataclass(slots=True, kw_only=True)
class _Limits(Row):
    """Limits that a group's members and partitions fit, in words."""

    limits: Texts


def idle_limits(fleet: FleetSnapshot | FleetHistory, goals: FleetGoals) -> list[str]:
    """Limits, in words, that no member or partition of any group fits, at any time of a history.

    Without limits no job is run.
    """
    if not goals.limits_in_words():
        return []
    if isinstance(fleet, FleetHistory):
        encoded = encode_changes(fleet.tables, fleet.group_spans())
    else:
        encoded = encode(fleet.validate())

    def rows_of(groups: Iterable[EncodedRow]) -> list[_Limits]:
        return [_Limits(limits=_fit(row, goals)) for row in groups]

    return idle_limits_of(in_workers(encoded, _Limits, rows_of), goals)


def _fit(row: EncodedRow, goals: FleetGoals) -> list[str]:
    wanted, problem = goals.of(row.cluster, row.group), read_or_failed(row).problem
    return fitting(on_hosts(problem, wanted.host), wanted.limits) if problem else []
