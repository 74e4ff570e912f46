"""What a worker gets of one group: tests have rows by `rows_of` alone, and no Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa

from optimizer import Group
from optimizer.model import DEFAULT_GOALS, Goals
from optimizer.strategies import OPTIMAL
from spark.fleet import TABLES, FleetFiles
from spark.fleet.fleet_files import FilesOf
from spark.groups import COLUMN, columns_of, one_row, read_or_failed
from spark.settings import STRATEGY_SECONDS
from spark.solve.advice import Planned
from spark.solve.solve import plan_alone
from spark.solve.solved_row import ACTIONS, PlannedGroup, SolvedRow
from spark.solve.time_limit import TimeLimit
from spark.store import Folder, ValueFilter
from tests.support.fleets import SNAPSHOT, Fleet, fleet_of_groups

COLUMNS = columns_of(SolvedRow)


def rows_of(
    group: Group | Fleet,
    name: str = "g",
    cluster: str | None = None,
    racks: bool = False,
    weights: bool = False,
) -> Any:
    """The row of one group, as a worker gets it; of a fleet the group is named."""
    fleet = fleet_of_groups({name: group}) if isinstance(group, Group) else group
    return GroupRow(**one_row(files_of(fleet), name, cluster, racks, [COLUMN] * weights)._asdict())


class GroupRow(SimpleNamespace):
    """An `EncodedRow`."""

    def _replace(self, **columns: Any) -> GroupRow:
        return GroupRow(**vars(self) | columns)


def files_of(fleet: Fleet) -> FleetFiles:
    """The fleet as files that no disk has."""
    tables = fleet.tables()
    place = cast(Folder, _InMemory(tables))
    files = {table: [FilesOf([table])] for table in tables}
    keyed = {n for n, rows in tables.items() if not sum(rows[k].null_count for k in TABLES[n].keys)}
    return FleetFiles(SNAPSHOT, place, files, keyed=frozenset(keyed))


class _InMemory:
    """What `FleetFiles` asks of a store; each table is one file."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self.tables = tables

    def rows(
        self, table: str, _: str, columns: Sequence[str], wanted: Mapping[str, ValueFilter]
    ) -> Iterator[pa.Table]:
        rows = self.tables[table]
        for column, item in wanted.items():
            values = rows[column].cast(pa.binary()).to_pylist()
            rows = rows.filter(pa.array(map(item.has, values), pa.bool_()))
        yield rows.select(list(columns))


def planned_alone(
    row: Any,
    strategy: str = OPTIMAL,
    goals: Goals = DEFAULT_GOALS,
    seconds: float = STRATEGY_SECONDS,
) -> Planned:
    """A group that isn't planned together with others."""
    with TimeLimit(seconds) as limit:
        group = read_or_failed(row, goals.weight_source)
        return plan_alone(row, group, strategy, goals, limit)


def solved(row: Any, strategy: str = "optimal") -> SimpleNamespace:
    """What the solver's stage says of a row, by column."""
    cells = planned_alone(row, strategy).solved.cells()
    return SimpleNamespace(**dict(zip(COLUMNS, cells, strict=True)))


def planned(row: Any, strategy: str = "optimal") -> SimpleNamespace:
    """A row as `verify` gets it: with its plan beside it, by names."""
    plan = solved(row, strategy)
    facts = {name: getattr(plan, name) for name in columns_of(PlannedGroup)}
    names = [*plan.names, None]
    return SimpleNamespace(
        **vars(row) | facts,
        plan_count=1,
        plan_topics=_names(plan.topics[t] for t in plan.topic),
        plan_partitions=np.array(plan.partition, np.int32),
        plan_members=_names(names[m] for m in plan.target),
        plan_previous=_names(names[m] for m in plan.previous),
        plan_actions=_names(ACTIONS[action] for action in plan.action),
    )


def _names(names: Any) -> Any:
    return np.array(list(names), object)
