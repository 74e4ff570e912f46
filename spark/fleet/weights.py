"""Rates of partitions as their weights."""

from typing import Protocol

from pyspark.sql import DataFrame, functions as F

from spark.errors import InputError
from spark.fleet.schemas import PARTITION_KEYS
from spark.fleet.utf8 import escaped

MEASURES = ("mean", "quantile", "maximum")
"""What of a partition's rates can be its weight."""


class HasRates(Protocol):
    """What tells the rates of partitions, such as `FleetHistory.rates`."""

    @property
    def rates(self) -> DataFrame:
        """A row (cluster, topic, partition), with a column for each of `MEASURES`."""


def with_weights(
    partitions: DataFrame, rates: HasRates | DataFrame, column: str = "mean"
) -> DataFrame:
    """Partitions with that measure as their weight; null for those without a rate."""
    if column not in MEASURES:
        raise InputError(
            f"unknown measure {column!r} of rates: choose one of {', '.join(MEASURES)}"
        )
    rows = rates if isinstance(rates, DataFrame) else rates.rates
    if lacking := [name for name in (*PARTITION_KEYS, column) if name not in rows.columns]:
        raise InputError(f"table of rates lacks the column {', '.join(lacking)}")
    weights = rows.select(
        *(F.col(name).alias(f"of_{name}") for name in PARTITION_KEYS), F.col(column).alias("rate")
    )
    same = [
        F.expr(escaped(name) if name != "partition" else name) == F.col(f"of_{name}")
        for name in PARTITION_KEYS
    ]
    return (
        partitions.join(weights, same, "left")
        .withColumn("weight", F.col("rate").cast("double"))
        .select(*partitions.columns)
    )
