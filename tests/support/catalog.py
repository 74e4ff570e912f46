"""Schemas of Spark's own catalog, with the tables of stores in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions as F


@contextmanager
def schema(spark: SparkSession, name: str) -> Iterator[str]:
    """An empty schema of that name, which is gone afterwards."""
    spark.sql(f"CREATE SCHEMA {name}")
    try:
        yield name
    finally:
        spark.sql(f"DROP SCHEMA {name} CASCADE")


def put(
    spark: SparkSession, schema: str, tables: Mapping[str, pa.Table | DataFrame], snapshot: str
) -> None:
    """Add a snapshot to the tables of a schema, as any program might."""
    for name, table in tables.items():
        rows = table if isinstance(table, DataFrame) else spark.createDataFrame(table)
        stamped = rows.withColumn("snapshot", F.lit(snapshot))
        stamped.write.mode("append").partitionBy("snapshot").saveAsTable(f"{schema}.{name}")
