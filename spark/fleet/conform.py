"""Tables of a snapshot as they have to be, and rates of partitions as their weights."""

from collections.abc import Mapping, Set
from functools import reduce
from typing import Protocol

from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StructType

from spark.errors import InputError
from spark.fleet.schemas import PARTITION_KEYS, TABLES
from spark.fleet.utf8 import escape
from spark.store import SNAPSHOT


def conform_to(name: str, table: DataFrame) -> DataFrame:
    """The columns of that table, and `SNAPSHOT` if it is there; those that are missing are null.

    A number that an int can't hold becomes null, so that a key of such a number is found.
    """
    present = table.columns
    columns = [
        (F.col(c.name) if c.name in present else F.lit(None)).try_cast(c.type).alias(c.name)
        for c in TABLES[name].columns
    ]
    return table.select(*columns, *(column for column in present if column == SNAPSHOT))


def name_groups(tables: Mapping[str, DataFrame]) -> bool:
    """Whether any of the tables names a group."""
    naming = ("groups", "members", "subscriptions", "assignments")
    named = (tables[name].select("group") for name in naming if name in tables)
    return not reduce(DataFrame.unionAll, named).isEmpty()


def is_keyed(name: str, schema: StructType, without_nulls: Set[str]) -> bool:
    """Whether files say that no key of a table is null, nor of a type that may become so."""
    types = {field.name: field.dataType for field in schema}
    keys = [column for column in TABLES[name].columns if column.key]
    return all(key.name in without_nulls and types.get(key.name) == key.type for key in keys)


def null_keys(name: str, table: DataFrame) -> DataFrame:
    """A row (table, column) for each null in a key, with `SNAPSHOT` if the table has that."""
    keys = TABLES[name].keys
    any_null = reduce(lambda a, b: a | b, (F.col(key).isNull() for key in keys))
    columns = F.array_compact(F.array(*(F.when(F.col(key).isNull(), key) for key in keys)))
    return table.where(any_null).select(
        *(column for column in table.columns if column == SNAPSHOT),
        F.lit(name).alias("table"),
        F.explode(columns).alias("column"),
    )


MEASURES = ("mean", "quantile", "maximum")
"""Measures of a partition's rates that can be its weight."""


class HasRates(Protocol):
    """Knows the rates of partitions, as `FleetHistory.rates` does."""

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
        F.expr(escape(name) if name != "partition" else name) == F.col(f"of_{name}")
        for name in PARTITION_KEYS
    ]
    return (
        partitions.join(weights, same, "left")
        .withColumn("weight", F.col("rate").cast("double"))
        .select(*partitions.columns)
    )
