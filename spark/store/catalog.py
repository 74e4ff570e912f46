"""Tables of a catalog, which have a column `snapshot`: read, and written from DataFrames.

A table is replaced as one step, or all but one, where its kind allows for it:

* Tables that can be overwritten by a condition (Delta, Iceberg) get the new rows of a snapshot in
  the place of the old ones, as one commit.
* Tables that are folders of files (Parquet and the like, in Spark's own catalog) have to be
  partitioned by `snapshot`. The new files are written beside the partition, which they replace when
  all are there. A run that fails leaves what was there.

Several tables are never replaced together: the one that is named first comes last.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, reduce

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession, functions as F, types as t

from spark.errors import InputError, UnreadableError, first_line
from spark.store.source import SNAPSHOT, CatalogSchema, Cells, Source, StoredTable, cells_in


class CatalogSource(Source):
    """Nothing tells which rows were written together: what is there is taken as it is.

    What it has seen is kept: make one again for each look.
    """

    def __init__(self, session: SparkSession, schema: CatalogSchema) -> None:
        self.session, self.schema, self.root = session, schema, str(schema)
        self._ids: dict[str, list[str]] = {}

    @cached_property
    def is_there(self) -> bool:
        """Whether the session knows such a schema."""
        return self.session.catalog.databaseExists(self.schema.quoted_name)

    def table(self, table: str) -> DataFrame | None:
        """All rows of a table; None when there is no such table.

        InputError when the schema isn't there, or the table can't be opened or has no column
        `snapshot` of strings.
        """
        if not self.is_there:
            raise InputError(
                f"there is no schema {self.root}: it is one of the session's catalogs, named as "
                "catalog.schema (spark.sql.catalog.NAME tells Spark of a catalog)"
            )
        name = self.schema.table(table)
        if not self.session.catalog.tableExists(name):
            return None
        rows = self.session.table(name)
        try:
            kind = next((field.dataType for field in rows.schema if field.name == SNAPSHOT), None)
        except Exception as error:
            raise self._unreadable_error(table, error) from None
        if kind is None:
            raise InputError(f"table {self.root}.{table} lacks the column {SNAPSHOT}")
        if not isinstance(kind, t.StringType):
            raise InputError(
                f"column {self.root}.{table}.{SNAPSHOT} is {kind.simpleString()} and must be string"
            )
        return rows

    def _unreadable_error(self, table: str, error: Exception) -> UnreadableError:
        return UnreadableError(f"table {self.root}.{table} can't be read: {first_line(error)}")

    def ids(self, table: str) -> list[str]:
        self.ids_of([table])
        return self._ids[table]

    def ids_of(self, tables: Iterable[str]) -> set[str]:
        wanted = list(tables)
        new = [table for table in wanted if table not in self._ids]
        self._ids |= self._looked_up(new) if new else {}
        return set().union(*(self._ids[table] for table in wanted))

    def _looked_up(self, tables: Collection[str]) -> dict[str, list[str]]:
        """The ids of all these tables, by one job."""
        ids_by_table: dict[str, list[str]] = {table: [] for table in tables}
        opened = {table: rows for table in tables if (rows := self.table(table)) is not None}
        if not opened:
            return ids_by_table
        named = [
            rows.select(F.lit(table).alias("table"), SNAPSHOT).distinct()
            for table, rows in opened.items()
        ]
        try:
            for row in reduce(DataFrame.unionAll, named).dropna().collect():
                ids_by_table[row.table].append(row.snapshot)
        except Exception as error:
            raise self._unreadable_error(min(opened), error) from None
        return {table: sorted(ids) for table, ids in ids_by_table.items()}

    def being_written(self, among: Collection[str]) -> set[str]:
        """A table that is written shows nothing of it before it is done."""
        return set()

    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        """None: a fault shows when they are read."""
        return None

    def tables_of(self, snapshot: str) -> Collection[str]:
        return ()

    def read(self, session: SparkSession, table: str, snapshot: str) -> StoredTable | None:
        """Without a row of that snapshot the table isn't there."""
        if snapshot not in self.ids(table):
            return None
        rows = self.table(table)
        if rows is None:
            return None
        return StoredTable(rows.where(F.col(SNAPSHOT) == snapshot).drop(SNAPSHOT), ())

    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[StoredTable]:
        rows = self.table(table)
        return (
            [] if rows is None else [StoredTable(rows.where(F.col(SNAPSHOT).isin(*snapshots)), ())]
        )

    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        counts: dict[tuple[str, str], Counter[Cells]] = {}
        for table in tables:
            for snapshot, cells, count in self._readable(table, snapshots, columns):
                counts.setdefault((table, snapshot), Counter())[cells] += count
        return counts

    def _readable(
        self, table: str, snapshots: Collection[str], columns: Sequence[str]
    ) -> Iterator[tuple[str, Cells, int]]:
        """Counts by one job if all can be read, else by a job for each snapshot."""
        try:
            yield from [*self._counts(table, snapshots, columns)]
        except UnreadableError:
            for snapshot in snapshots:
                with suppress(UnreadableError):
                    yield from [*self._counts(table, [snapshot], columns)]

    def _counts(
        self, table: str, snapshots: Collection[str], columns: Sequence[str]
    ) -> Iterator[tuple[str, Cells, int]]:
        """Snapshot, values and how often they are there."""
        rows = self.table(table)
        if rows is None:
            return
        of_snapshots = rows.where(F.col(SNAPSHOT).isin(*snapshots))
        cells = (_bytes(rows, name).alias(f"of_{name}") for name in columns)
        try:
            counted = of_snapshots.groupBy(SNAPSHOT, *cells).count().collect()
        except Exception as error:
            raise self._unreadable_error(table, error) from None
        for row in counted:
            yield row[SNAPSHOT], cells_in(row, columns), row["count"]


def _bytes(rows: DataFrame, name: str) -> Column:
    """The bytes of a column of texts; null where there is no such column."""
    return (F.col(name) if name in rows.columns else F.lit(None)).cast("binary")


OF_FILES = frozenset({"parquet", "orc", "avro", "json", "csv", "text", "xml", "hive"})
"""Spark's names for kinds of tables that are folders of files and no more."""


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
    stored, of_snapshot = session.table(name), F.col(SNAPSHOT) == snapshot
    if lacking := [column for column in rows.columns if column not in stored.columns]:
        raise InputError(
            f"table {schema}.{table} lacks the column {', '.join(lacking)}: add it with ALTER "
            "TABLE … ADD COLUMN"
        )
    types = {field.name: field.dataType for field in stored.schema}
    ordered = new.select(
        *(
            F.col(column) if column in new.columns else F.lit(None).cast(kind).alias(column)
            for column, kind in types.items()
        )
    )
    if not _is_of_files(session, schema, table):
        ordered.writeTo(name).overwrite(of_snapshot)
    elif not stored.where(of_snapshot).isEmpty() and ordered.isEmpty():
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
