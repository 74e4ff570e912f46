"""A fleet's rows become groups in Python workers, then results; no group stops another.

A strategy may crash, exit, or take all memory. Spark then tries the worker's task again. From the
second attempt on, a task solves its groups in a copy of its process, one after the other: the group
whose rows are missing when the copy ends has ended it, becomes `failed`, and all others are solved.
So nothing needs to outlive a worker or a machine, and many such groups in a task use up no further
attempt. The first attempt costs nothing.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby, islice
from typing import IO, TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from optimizer.process_copy import start_copy
from spark.groups.columns import Cells, Row, batch_of, schema_of
from spark.groups.cut import groups_of
from spark.groups.memory import limit_to_free_memory, portions
from spark.groups.rows import (
    SPAN,
    Columns,
    EncodedRow,
    Split,
    Trouble,
    by_part,
    joined,
    parts_of,
    start_of_last,
)

if TYPE_CHECKING:
    import pandas as pd

TABLE_ROWS = 50_000
"""Of a table that is cut into groups at once, unless a single group has more."""

T = TypeVar("T")

RowsOf = Callable[[Any], Iterable[T]]
"""Makes rows of some encoded groups (`spark.groups.encode`)."""

ROWS = 1000
"""Of a frame that a worker hands back, where a group has many rows."""


def in_workers(
    encoded: DataFrame,
    row: type[Row] | StructType,
    rows_of: RowsOf[Any],
    only_fleet: bool = True,
    in_frames: bool = False,
) -> DataFrame:
    """The rows that `rows_of` makes of `spark.groups.encode`'s groups, of some at a time.

    They are of a class, or tuples in the order of columns. Without `only_fleet` they are also of
    groups of further parts alone; of a history they are made of one group at a time, of all of its
    rows in order of time. Workers get batches of Arrow's, or with `in_frames` frames of pandas.
    """
    schema = row if isinstance(row, StructType) else schema_of(row)

    def cells_of(groups: Any) -> Iterable[Cells]:
        return (made.cells() if isinstance(made, Row) else made for made in rows_of(groups))

    parts = parts_of(encoded)
    # pandas makes nulls of what is no number, also where Spark knows of none
    shape = pa.schema([field.with_nullable(True) for field in to_arrow_schema(encoded.schema)])

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in _in_tables(parts, batches):
            wanted = [row for row in rows if row.is_there or not only_fleet]
            groups = [[*of] for _, of in groupby(wanted, lambda row: (row.cluster, row.group))]
            for portion in ([group] for group in groups) if SPAN in parts else portions(groups):
                cells = iter(rows_or_reasons(portion, cells_of))
                while chunk := [*islice(cells, ROWS)]:
                    yield batch_of(chunk, schema)

    def work_in_frames(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        batches = (pa.RecordBatch.from_pandas(frame, shape) for frame in frames)
        return map(_frame, work(batches))

    if in_frames:
        return encoded.mapInPandas(work_in_frames, schema)
    return encoded.mapInArrow(work, schema)


def _in_tables(parts: Columns, batches: Iterable[pa.RecordBatch]) -> Iterator[list[EncodedRow]]:
    """The groups of a task's rows, some at a time.

    What is cut has all rows of each of its groups, and is in memory without columns of others.
    """
    waiting: list[Split] = []
    rows = 0
    for batch in batches:
        table = pa.Table.from_batches([batch])
        rows += len(table)
        if rows >= TABLE_ROWS and (end := start_of_last(table)):
            waiting.append(by_part(table.slice(0, end), parts))
            yield groups_of(joined(waiting, parts))
            waiting, table = [], table.slice(end)
            rows = len(table)
        waiting.append(by_part(table, parts))
    if waiting:
        yield groups_of(joined(waiting, parts))


def _frame(batch: pa.RecordBatch) -> pd.DataFrame:
    """A frame with the columns of a batch, which copies none."""
    import pandas as pd  # noqa: PLC0415 - only workers have frames, and it loads slowly

    return batch.to_pandas(types_mapper=pd.ArrowDtype)


OFTEN: dict[int, str] = {
    signal.SIGKILL: ", most often for want of memory",
    signal.SIGXCPU: ", since compiled code doesn't return in time",
}
"""Most frequent causes of a signal."""


def rows_or_reasons(groups: Sequence[list[EncodedRow]], rows_of: RowsOf[T]) -> Iterable[T]:
    """The rows that `rows_of` makes of some groups, in their order; of a history each has several.

    A group that ends the process has the rows of one that can't be read, with the reason.
    """
    if not _is_tried_again():
        return rows_of([row for group in groups for row in group])
    return chain.from_iterable(_each_in_a_copy(groups, rows_of))


def _is_tried_again() -> bool:
    task = TaskContext.get()
    return task is not None and task.attemptNumber() > 0 and hasattr(os, "fork")


def _each_in_a_copy(groups: Sequence[list[EncodedRow]], rows_of: RowsOf[T]) -> list[list[T]]:
    """The rows of each group; a copy that ends early is followed by one for the groups behind."""
    solved: list[list[T]] = []
    while len(solved) < len(groups):
        why = _solve_in_a_copy(groups[len(solved) :], rows_of, solved)
        if len(solved) < len(groups):
            solved.append(_without(groups[len(solved)], rows_of, why))
    return solved


def _solve_in_a_copy(
    groups: Sequence[list[EncodedRow]], rows_of: RowsOf[T], solved: list[list[T]]
) -> str:
    """Append the rows of each group until the copy ends; what it ended by."""
    child, pipe = start_copy(lambda pipe: _answer(groups, rows_of, pipe))
    try:
        with pipe, suppress(EOFError, pickle.UnpicklingError):
            for _ in groups:
                solved.append(pickle.load(pipe))
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    return _exit_sentence(os.waitstatus_to_exitcode(status))


def _answer(groups: Sequence[list[EncodedRow]], rows_of: RowsOf[T], pipe: IO[bytes]) -> None:
    """The copy's whole life."""
    limit_to_free_memory()
    for group in groups:
        pipe.write(pickle.dumps(_rows(group, rows_of)))
        pipe.flush()


def _rows(group: list[Any], rows_of: RowsOf[T]) -> list[T]:
    """A strategy may also raise what isn't an error, such as SystemExit."""
    try:
        return [*rows_of(group)]
    except BaseException as error:
        return _without(group, rows_of, f"{type(error).__name__}: {error}".rstrip(": "))


def _without(group: list[Any], rows_of: RowsOf[T], why: str) -> list[T]:
    ended = Trouble("failed", f"solving it ended the worker ({why})")
    return [*rows_of([row._replace(trouble=ended) for row in group])]


def _exit_sentence(code: int) -> str:
    """Why a process ended, by its exit code, or minus the signal."""
    if code == 1:
        return "exit code 1, also where compiled code doesn't return in time"
    if code >= 0:
        return f"exit code {code}"
    return f"{signal.Signals(-code).name}{OFTEN.get(-code, '')}"
