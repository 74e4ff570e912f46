"""In how many tasks a fleet's groups are solved."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

PARTITIONS = "spark.sql.shuffle.partitions"

ROWS_A_TASK = 20_000
"""Claims and subscriptions: groups of so many take longer to solve than a task takes to start."""

LEAST = 4
"""A few, however small the fleet is: strategies differ in what they take for a row."""


def tasks_for(tables: Mapping[str, DataFrame]) -> int:
    """What the session was told, or else as many as the fleet's size is worth, by a small job.

    Never more than Spark's own default, 200 tasks, which a small fleet would wait for one by one.
    """
    conf = tables["members"].sparkSession.conf
    told = conf.get(PARTITIONS, None)
    if told:
        return int(told)
    counted = (tables[name].select(F.lit(1)) for name in ("assignments", "subscriptions"))
    rows = reduce(DataFrame.unionAll, counted).count()
    return min(int(conf.get(PARTITIONS) or LEAST), max(LEAST, -(-rows // ROWS_A_TASK)))
