"""A group that ends its process is failed, and the others of its task are solved."""

import faulthandler
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyspark import TaskContext

from spark.groups.workers import rows_or_reasons
from spark.memory_limits import free_memory
from tests.support.deadly import DEADLY, EXPECTED, SECONDS, STRATEGY
from tests.support.rows import planned_alone, rows_of


@pytest.fixture(autouse=True)
def second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a worker whose task failed before; pytest's own watch would lock up that of a copy."""
    faulthandler.cancel_dump_traceback_later()
    task = SimpleNamespace(attemptNumber=lambda: 1)
    monkeypatch.setattr(TaskContext, "get", lambda: task)


def solved(groups: list[Any]) -> list[Any]:
    return [planned_alone(row, STRATEGY, seconds=SECONDS).solved for row in groups]


def test_all_other_groups_are_solved() -> None:
    rows = [[rows_of(DEADLY, group)] for group in EXPECTED]
    result = {row.group: (row.status, row.reason) for row in rows_or_reasons(rows, solved)}
    assert result == EXPECTED


def test_what_needs_more_memory_than_is_free_fails_before_the_kernel_kills_it() -> None:
    def greedy(rows: list[Any]) -> list[str]:
        if rows[0].trouble:
            return [rows[0].trouble.sentence]
        np.empty(free_memory(), np.int8)
        return ["planned"]

    (report,) = rows_or_reasons([[rows_of(DEADLY, "a-group")]], greedy)
    assert "MemoryError" in report
