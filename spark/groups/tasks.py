"""In how many tasks a fleet's groups are solved."""

from collections.abc import Callable, Mapping
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, functions as F

PARTITIONS = "spark.sql.shuffle.partitions"

ROWS_A_TASK = 20_000
"""Claims and subscriptions of groups that take longer to solve than a task takes to start."""

LEAST = 4
"""A few, however small the fleet is: strategies differ in what they take for a row."""


def tasks_for(tables: Mapping[str, DataFrame]) -> int:
    """What the session was told, or else as many as the fleet's size is worth, by a small job."""

    def rows() -> int:
        counted = (tables[name].select(F.lit(1)) for name in ("assignments", "subscriptions"))
        return reduce(DataFrame.unionAll, counted).count()

    return tasks_for_rows(tables["members"].sparkSession, rows)


def tasks_for_rows(session: SparkSession, rows: Callable[[], int]) -> int:
    """The same for a number of claims and subscriptions, which are counted if they are asked for.

    Never more than Spark's own default, 200 tasks, which a small fleet would wait for one by one.
    """
    report = session.conf.get(PARTITIONS, None)
    if report:
        return int(report)
    most = int(session.conf.get(PARTITIONS) or LEAST)
    return min(most, max(LEAST, -(-rows() // ROWS_A_TASK)))
