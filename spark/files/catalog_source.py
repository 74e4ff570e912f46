"""Tables of one of the session's catalogs, with a column `snapshot`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, reduce

from pyspark.sql import Column, DataFrame, SparkSession, functions as F, types as t

from spark.errors import InputError, UnreadableError, first_line
from spark.files.source import SNAPSHOT, Cells, Source, Stated, cells_in
from spark.files.where import CatalogSchema


class CatalogSource(Source):
    """Nothing tells which rows were written together: what is there is taken as it is.

    What it has seen is kept: make one anew for each look.
    """

    def __init__(self, session: SparkSession, schema: CatalogSchema) -> None:
        self.session, self.schema, self.root = session, schema, str(schema)
        self._ids: dict[str, list[str]] = {}

    @cached_property
    def is_there(self) -> bool:
        """Whether the session knows such a schema."""
        return self.session.catalog.databaseExists(self.schema.quoted)

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
            kind = next((item.dataType for item in rows.schema if item.name == SNAPSHOT), None)
        except Exception as error:
            raise self._unreadable(table, error) from None
        if kind is None:
            raise InputError(f"table {self.root}.{table} lacks the column {SNAPSHOT}")
        if not isinstance(kind, t.StringType):
            raise InputError(
                f"column {self.root}.{table}.{SNAPSHOT} is {kind.simpleString()} and must be string"
            )
        return rows

    def _unreadable(self, table: str, error: Exception) -> UnreadableError:
        return UnreadableError(f"table {self.root}.{table} can't be read: {first_line(error)}")

    def ids(self, table: str) -> list[str]:
        return self.ids_of([table])[table]

    def ids_of(self, tables: Iterable[str]) -> dict[str, list[str]]:
        wanted = list(tables)
        new = [table for table in wanted if table not in self._ids]
        self._ids |= self._looked_up(new) if new else {}
        return {table: self._ids[table] for table in wanted}

    def _looked_up(self, tables: Collection[str]) -> dict[str, list[str]]:
        """The ids of all these tables, by one job."""
        result: dict[str, list[str]] = {table: [] for table in tables}
        opened = {table: rows for table in tables if (rows := self.table(table)) is not None}
        if not opened:
            return result
        named = [
            rows.select(F.lit(table).alias("table"), SNAPSHOT).distinct()
            for table, rows in opened.items()
        ]
        try:
            for row in reduce(DataFrame.unionAll, named).dropna().collect():
                result[row.table].append(row.snapshot)
        except Exception as error:
            raise self._unreadable(min(opened), error) from None
        return {table: sorted(ids) for table, ids in result.items()}

    def being_written(self, among: Collection[str]) -> set[str]:
        """A table that is written shows nothing of it before it is done."""
        return set()

    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        """It shows when they are read."""
        return None

    def written(self, snapshot: str) -> Collection[str]:
        return ()

    def read(self, session: SparkSession, table: str, snapshot: str) -> Stated | None:
        """Without a row of that snapshot the table isn't there."""
        if snapshot not in self.ids(table):
            return None
        rows = self.table(table)
        if rows is None:
            return None
        return Stated(rows.where(F.col(SNAPSHOT) == snapshot).drop(SNAPSHOT), ())

    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[Stated]:
        rows = self.table(table)
        return [] if rows is None else [Stated(rows.where(F.col(SNAPSHOT).isin(*snapshots)), ())]

    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        result: dict[tuple[str, str], Counter[Cells]] = {}
        for table in tables:
            for snapshot, cells, count in self._readable(table, snapshots, columns):
                result.setdefault((table, snapshot), Counter())[cells] += count
        return result

    def _readable(
        self, table: str, snapshots: Collection[str], columns: Sequence[str]
    ) -> Iterator[tuple[str, Cells, int]]:
        """What is counted in one job if that can be; if not, what can be read is sought."""
        try:
            yield from [*self._counted(table, snapshots, columns)]
        except UnreadableError:
            for snapshot in snapshots:
                with suppress(UnreadableError):
                    yield from [*self._counted(table, [snapshot], columns)]

    def _counted(
        self, table: str, snapshots: Collection[str], columns: Sequence[str]
    ) -> Iterator[tuple[str, Cells, int]]:
        """Snapshot, values and how often they are there."""
        rows = self.table(table)
        if rows is None:
            return
        selection = rows.where(F.col(SNAPSHOT).isin(*snapshots))
        cells = (_bytes(rows, name).alias(f"of_{name}") for name in columns)
        try:
            counted = selection.groupBy(SNAPSHOT, *cells).count().collect()
        except Exception as error:
            raise self._unreadable(table, error) from None
        for row in counted:
            yield row[SNAPSHOT], cells_in(row, columns), row["count"]


def _bytes(rows: DataFrame, name: str) -> Column:
    """The bytes of a column of texts; null where there is no such column."""
    return (F.col(name) if name in rows.columns else F.lit(None)).cast("binary")
