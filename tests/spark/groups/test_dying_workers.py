"""Groups that end their worker, in Spark's own workers."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark import compare_fleet, plan_fleet
from tests.support.deadly import DEADLY, EXPECTED, SECONDS, STRATEGY

pytestmark = pytest.mark.ends


def reasons(rows: DataFrame) -> dict[str, tuple[str, str | None]]:
    return {row.group: (row.status, row.reason) for row in rows.collect()}


def test_a_plan_has_all_other_groups(spark: SparkSession) -> None:
    with plan_fleet(DEADLY.snapshot(spark), STRATEGY, strategy_seconds=SECONDS) as plan:
        assert reasons(plan.groups) == EXPECTED
        planned = {row.group for row in plan.assignments.select("group").collect()}
        assert planned == {"a-group", "z-group"}


def test_a_comparison_has_all_other_groups(spark: SparkSession) -> None:
    rows = compare_fleet(DEADLY.snapshot(spark), [STRATEGY], strategy_seconds=SECONDS)
    assert reasons(rows) == EXPECTED
