"""A group's row as `verify` sees it: encoded, and its plan beside it, by names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from spark.groups.columns import columns_of
from spark.solve.solve import row_of_group
from spark.solve.solved_row import ACTIONS, PlannedGroup, SolvedRow
from tests.support.encoded import encoded_group
from tests.support.fleets import Fleet

COLUMNS = columns_of(SolvedRow)


def solved(row: Any, strategy: str = "optimal") -> SimpleNamespace:
    """What the solver's stage says of an encoded row, by column."""
    return SimpleNamespace(**dict(zip(COLUMNS, row_of_group(row, strategy).cells(), strict=True)))


def planned_group(fleet: Fleet, strategy: str = "optimal", group: str = "g") -> SimpleNamespace:
    """The row of one group with its plan."""
    return planned_row(encoded_group(fleet, group), strategy)


def planned_row(row: Any, strategy: str) -> SimpleNamespace:
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
