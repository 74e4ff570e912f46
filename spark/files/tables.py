"""DataFrames to files and back."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError, RunError, UnreadableError, first_line
from spark.files.disk import writing
from spark.files.literal import LITERAL, is_not_there
from spark.files.place import Parts
from spark.files.places import run_of

_NAMES = ("cluster", "group", "topic", "member_id", "previous_member_id")
"""Columns whose dictionaries outgrow their limit: looking each value up in one takes a third of the
time of writing. Sorted as they are, the compressor finds what repeats by itself."""

WRITTEN = {
    "parquet.page.write-checksum.enabled": "true",
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    **{f"parquet.enable.dictionary#{name}": "false" for name in _NAMES},
}
"""Options of a writer."""

CHECKED = LITERAL | {"parquet.page.verify-checksum.enabled": "true"}
"""Options of a reader that takes no page whose bytes aren't those that were written."""

_UNWRITABLE = re.compile(
    "ParentNotDirectory|FileAlreadyExists|Mkdirs failed|AccessControl|AccessDenied"
    "|Permission denied|UnsupportedFileSystem|UnknownHost"
)


def write_tables(
    session: SparkSession,
    out: str,
    snapshot: str,
    tables: Mapping[str, DataFrame],
    owned: Collection[str] = (),
) -> None:
    """Write tables of a snapshot below `out`, in place of those that are there, as one step.

    Until all are written the ones before stay as they are, and after a run that fails as well.
    `owned` are further tables that are gone afterwards if they aren't among `tables`. Raises
    InputError when `out` can't be written, and RunError when another run was faster.
    """
    try:
        with writing(out), run_of(session, out, snapshot, {*owned, *tables}) as run:
            for name, table in tables.items():
                table.write.options(**WRITTEN).parquet(str(run.folder(name)))
            run.commit(tables)
    except (InputError, RunError):
        raise
    except Exception as error:
        if _UNWRITABLE.search(str(error)):
            raise InputError(f"{out} can't be written: {first_line(error)}") from None
        raise


def read_parts(session: SparkSession, table: str, parts: Parts) -> DataFrame | None:
    """The rows of a table; None when it isn't there any more, UnreadableError if it is broken."""
    try:
        return session.read.options(**CHECKED).parquet(*parts.paths)
    except Exception as error:  # what Java throws about a broken file has no class in PySpark
        if is_not_there(error):
            return None
        raise UnreadableError(
            f"table {table} can't be read from {parts.paths[0]}: {first_line(error)}"
        ) from None
