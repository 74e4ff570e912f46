"""A group that ends its worker is failed, and the others of its task are solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, compare_fleet, plan_fleet
from spark.groups.outlive import _each_in_a_copy
from spark.memory_limits import free_memory
from tests.support.deadly import ENDS, STRATEGY
from tests.support.fleets import Fleet

SECONDS = 0.1
"""A worker that can't be stopped ends after 20 times as long."""


@pytest.fixture(scope="module")
def fleet(spark: SparkSession) -> FleetSnapshot:
    """More groups that end their worker than a task has tries, and a sound one at each end."""
    fleet = Fleet()
    for topic in ("a", *ENDS, "z"):
        fleet.topic(topic, 2).group(f"{topic}-group", {"m": [topic], "n": [topic]})
    return fleet.snapshot(spark)


def reasons(rows: DataFrame) -> dict[str, tuple[str, str | None]]:
    return {row.group: (row.status, row.reason) for row in rows.collect()}


EXPECTED = {
    "a-group": ("ok", None),
    "z-group": ("ok", None),
    **{
        f"{topic}-group": ("failed", f"solving it ended the worker ({report})")
        for topic, (_, report) in ENDS.items()
    },
}


def test_a_plan_has_all_other_groups(fleet: FleetSnapshot) -> None:
    with plan_fleet(fleet, STRATEGY, strategy_seconds=SECONDS) as plan:
        assert reasons(plan.groups) == EXPECTED
        planned = {row.group for row in plan.assignments.select("group").collect()}
        assert planned == {"a-group", "z-group"}


def test_a_comparison_has_all_other_groups(fleet: FleetSnapshot) -> None:
    rows = compare_fleet(fleet, [STRATEGY], strategy_seconds=SECONDS)
    assert reasons(rows) == EXPECTED


class Row(NamedTuple):
    invalid_utf8: Any = None


def test_what_needs_more_memory_than_is_free_fails_before_the_kernel_kills_it() -> None:
    def greedy(rows: list[Row]) -> list[str]:
        if rows[0].invalid_utf8:
            return [str(rows[0].invalid_utf8)]
        np.empty(free_memory(), np.int8)
        return ["planned"]

    ((report,),) = _each_in_a_copy([[Row()]], greedy)
    assert "MemoryError" in report
