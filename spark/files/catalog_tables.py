"""DataFrames to tables of a catalog, which have a column `snapshot`.

A table is replaced as one step, or all but one, where its kind allows for it:

* Tables that can be overwritten by a condition (Delta, Iceberg) get the new rows of a snapshot in
  the place of the old ones, as one commit.
* Tables that are folders of files (Parquet and the like, in Spark's own catalog) have to be
  partitioned by `snapshot`. The new files are written beside the partition, which they replace when
  all are there. A run that fails leaves what was there.

Several tables are never replaced together: the one that is named first comes last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError, first_line
from spark.files.catalog_source import CatalogSource
from spark.files.source import SNAPSHOT
from spark.files.where import CatalogSchema

OF_FILES = frozenset({"parquet", "orc", "avro", "json", "csv", "text", "xml", "hive"})
"""What Spark calls kinds of tables that are folders of files and no more."""


def check_tables(session: SparkSession, schema: CatalogSchema, tables: Iterable[str]) -> None:
    """Raise InputError, before any work is done, unless tables can be written there.

    Those that aren't there are made when they are written.
    """
    source = CatalogSource(session, schema)
    for table in tables:
        rows = source.table(table)
        if rows is not None and _is_of_files(session, schema, table):
            _check_partitions(session, schema, table)


def write_to_catalog(
    session: SparkSession,
    schema: CatalogSchema,
    snapshot: str,
    tables: Mapping[str, DataFrame],
    owned: Collection[str] = (),
) -> None:
    """Replace the rows of a snapshot, whose id is one of `snapshot_id`, a table at a time.

    The first of `tables` comes last.

    Tables that aren't there are made, of the session's default kind and partitioned by `snapshot`.
    Of `owned` tables that aren't among `tables` the rows of the snapshot go before. InputError when
    there is no such schema, or a table there lacks a column or can't be written.
    """
    check_tables(session, schema, {*owned, *tables})
    source = CatalogSource(session, schema)
    for table in sorted(set(owned).difference(tables)):
        if snapshot in source.ids(table):
            _remove(session, schema, table, snapshot)
    for table, rows in reversed([*tables.items()]):
        try:
            _replace(session, schema, table, snapshot, rows)
        except AnalysisException as error:
            raise InputError(
                f"table {schema}.{table} can't be written: {first_line(error)}"
            ) from None


def remove_from_catalog(source: CatalogSource, snapshot: str, tables: Iterable[str]) -> None:
    """Remove the rows of a snapshot, a table at a time in that order.

    InputError when a table is one of files that isn't partitioned by `snapshot`, or Spark can't.
    """
    session, schema = source.session, source.schema
    for table in tables:
        if source.has(table, snapshot):
            try:
                if _is_of_files(session, schema, table):
                    _check_partitions(session, schema, table)
                _remove(session, schema, table, snapshot)
            except AnalysisException as error:
                raise InputError(
                    f"rows can't be removed from {schema}.{table}: {first_line(error)}"
                ) from None


def _replace(
    session: SparkSession, schema: CatalogSchema, table: str, snapshot: str, rows: DataFrame
) -> None:
    name = schema.table(table)
    new = rows.withColumn(SNAPSHOT, F.lit(snapshot))
    if not session.catalog.tableExists(name):
        # Made first, and empty: where that fails no half of a table is in the way of the next run.
        empty = session.createDataFrame([], new.schema)
        empty.writeTo(name).partitionedBy(F.col(SNAPSHOT)).create()
    there, of_snapshot = session.table(name), F.col(SNAPSHOT) == snapshot
    if lacking := [column for column in rows.columns if column not in there.columns]:
        raise InputError(
            f"table {schema}.{table} lacks the column {', '.join(lacking)}: add it with ALTER "
            "TABLE … ADD COLUMN"
        )
    types = {field.name: field.dataType for field in there.schema}
    ordered = new.select(
        *(
            F.col(column) if column in new.columns else F.lit(None).cast(kind).alias(column)
            for column, kind in types.items()
        )
    )
    if not _is_of_files(session, schema, table):
        ordered.writeTo(name).overwrite(of_snapshot)
    elif not there.where(of_snapshot).isEmpty() and ordered.isEmpty():
        # Nothing to write would leave what is there.
        _remove(session, schema, table, snapshot)
    else:
        session.sql(
            f"INSERT OVERWRITE TABLE {name} WITH ('partitionOverwriteMode' = 'dynamic') "
            "SELECT * FROM {rows}",
            rows=ordered,
        )


def _remove(session: SparkSession, schema: CatalogSchema, table: str, snapshot: str) -> None:
    name = schema.table(table)
    if _is_of_files(session, schema, table):
        session.sql(f"ALTER TABLE {name} DROP IF EXISTS PARTITION ({SNAPSHOT} = '{snapshot}')")
    else:
        nothing = session.createDataFrame([], session.table(name).schema)
        nothing.writeTo(name).overwrite(F.col(SNAPSHOT) == snapshot)


def _is_of_files(session: SparkSession, schema: CatalogSchema, table: str) -> bool:
    """Whether the table is a folder of files; what Spark says of it tells."""
    text = session.sql(f"DESCRIBE TABLE EXTENDED {schema.table(table)}").collect()
    reports = {row.col_name: row.data_type for row in text}
    return (reports.get("Provider") or "").lower() in OF_FILES


def _check_partitions(session: SparkSession, schema: CatalogSchema, table: str) -> None:
    columns = session.catalog.listColumns(schema.table(table))
    if [column.name for column in columns if column.isPartition] != [SNAPSHOT]:
        raise InputError(
            f"table {schema}.{table} has to be partitioned by {SNAPSHOT}, and by nothing else, so "
            "that the rows of one snapshot can be replaced"
        )
