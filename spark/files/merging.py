"""The many small files of a table of a snapshot, rewritten as few."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark.errors import UnreadableError, first_line

ROWS_A_FILE = 250_000
"""Small enough that a large table comes as several files, which Spark reads in parallel."""


def fewest_files(rows: int) -> int:
    """The number of files, and of rows in them."""
    return max(1, -(-rows // ROWS_A_FILE))


def common_schema(paths: Sequence[str]) -> pa.Schema | None:
    """The columns of all these files; None if they don't have the same, in the same order.

    What one of them says that is never null may be null in another. UnreadableError if one is
    broken or gone.
    """
    result = []
    for path in paths:
        with _reading(path):
            result.append(pq.read_schema(path))
    first = result[0]
    if any(plain_columns(item) != plain_columns(first) for item in result):
        return None
    fields = [
        field.with_nullable(any(item.field(at).nullable for item in result))
        for at, field in enumerate(first)
    ]
    text = first.metadata if all(item.metadata == first.metadata for item in result) else None
    return pa.schema(fields, text)


def rows_in(opened: Callable[[str], pq.ParquetFile], paths: Sequence[str]) -> int:
    """The rows of some files, as these say; UnreadableError if one is broken or gone."""
    rows = 0
    for path in paths:
        with _reading(path):
            rows += opened(path).metadata.num_rows
    return rows


def plain_columns(schema: pa.Schema) -> list[tuple[str, pa.DataType]]:
    """Names and types; writers call the elements of a list differently."""

    def plain(kind: pa.DataType) -> pa.DataType:
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    return [(field.name, plain(field.type)) for field in schema]


def merge(
    opened: Callable[[str], pq.ParquetFile],
    paths: Sequence[str],
    schema: pa.Schema,
    folder: Path,
    run: str,
) -> int:
    """Write the rows of some files to a folder, in their order; how many there are.

    UnreadableError if one is broken or gone.
    """
    folder.mkdir(parents=True)
    written = 0
    for part, rows in enumerate(_in_parts(opened, paths, schema)):
        pq.write_table(
            rows,
            folder / f"part-{part:05d}-{run}.parquet",
            write_page_checksum=True,
            compression="zstd",
        )
        written += len(rows)
    return written


def _in_parts(
    opened: Callable[[str], pq.ParquetFile], paths: Sequence[str], schema: pa.Schema
) -> Iterator[pa.Table]:
    """The rows as tables of `ROWS_A_FILE`, the last of which may have fewer, or none."""
    held = schema.empty_table()
    for path in paths:
        with _reading(path):
            groups = opened(path).num_row_groups
        for group in range(groups):
            with _reading(path), opened(path) as file:
                held = pa.concat_tables([held, file.read_row_group(group).cast(schema)])
            while len(held) > ROWS_A_FILE:
                yield held.slice(0, ROWS_A_FILE).combine_chunks()
                held = held.slice(ROWS_A_FILE)
    yield held.combine_chunks()


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(f"{path} can't be read: {first_line(error)}") from None
