"""Schemas of Spark's own catalog, with the tables of stores in them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
from pyspark.sql import SparkSession


@contextmanager
def schema(spark: SparkSession, name: str) -> Iterator[str]:
    """An empty schema of that name, which is gone afterwards."""
    spark.sql(f"CREATE SCHEMA {name}")
    try:
        yield name
    finally:
        spark.sql(f"DROP SCHEMA {name} CASCADE")


def put_all(
    spark: SparkSession, schema: str, snapshots: Mapping[str, Mapping[str, pa.Table]]
) -> None:
    """Add snapshots to the tables of a schema, as any program might."""
    parts: dict[str, list[pa.Table]] = {}
    for snapshot, tables in snapshots.items():
        for name, table in tables.items():
            column = pa.array([snapshot] * len(table), pa.string())
            parts.setdefault(name, []).append(table.append_column("snapshot", column))
    for name, items in parts.items():
        rows = spark.createDataFrame(pa.concat_tables(items))
        rows.write.mode("append").partitionBy("snapshot").saveAsTable(f"{schema}.{name}")


def put(spark: SparkSession, schema: str, tables: Mapping[str, pa.Table], snapshot: str) -> None:
    put_all(spark, schema, {snapshot: tables})
