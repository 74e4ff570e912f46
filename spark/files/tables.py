"""DataFrames to files, or to tables of a catalog: those of one snapshot."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError, RunError, first_line
from spark.files.catalog_tables import write_to_catalog
from spark.files.disk import writing
from spark.files.local_run import LocalRun
from spark.files.manifest import NOTHING, ColumnStatistics
from spark.files.source import CatalogSchema, Where
from spark.files.table_stores import run_of

NAMES = ("cluster", "group", "topic", "member_id", "previous_member_id")
"""Columns whose dictionaries outgrow their limit: looking each value up in one takes a third of the
time of writing. Sorted as they are, the compressor finds what repeats by itself."""

WRITTEN = {
    "parquet.page.write-checksum.enabled": "true",
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    **{f"parquet.enable.dictionary#{name}": "false" for name in NAMES},
}
"""Options of a writer."""

_UNWRITABLE = re.compile(
    "ParentNotDirectory|FileAlreadyExists|Mkdirs failed|AccessControl|AccessDenied"
    "|Permission denied|UnsupportedFileSystem|UnknownHost"
)


def in_one_file(rows: DataFrame, *keys: str) -> DataFrame:
    """Rows that `write_tables` puts into one file, in the order of `keys`."""
    return rows.repartition(1).sortWithinPartitions(*keys)


def write_tables(
    session: SparkSession,
    out: Where,
    snapshot: str,
    tables: Mapping[str, DataFrame],
    owned: Collection[str] = (),
    statistics: ColumnStatistics = NOTHING,
) -> None:
    """Write tables of a snapshot to `out`, in place of those that are there.

    `owned` are further tables that are gone afterwards if they aren't among `tables`. Of local
    files the manifest tells what is `tallied`.

    In a folder that is one step: until all are written the ones before stay as they are, and after
    a run that fails as well. RunError when another run was faster. In a catalog it is one step a
    table (see `write_to_catalog`).

    InputError when `out` can't be written.
    """
    if isinstance(out, CatalogSchema):
        write_to_catalog(session, out, snapshot, tables, owned)
        return
    with reaching(out), run_of(session, out, snapshot, {*owned, *tables}) as run:
        for name, table in tables.items():
            table.write.options(**WRITTEN).parquet(str(run.folder(name)))
        if isinstance(run, LocalRun):
            run.commit(tables, statistics=statistics)
        else:
            run.commit(tables)


@contextmanager
def reaching(out: str) -> Iterator[None]:
    """InputError where what is written within fails since `out` can't be written."""
    try:
        with writing(out):
            yield
    except (InputError, RunError):
        raise
    except Exception as error:
        if _UNWRITABLE.search(str(error)):
            raise InputError(f"{out} can't be written: {first_line(error)}") from None
        raise
