"""A group that ends the process it is solved in becomes `failed`; all others are solved.

A strategy may crash, exit, or take all memory. Spark then tries the worker's task again. From the
second attempt on, a task solves its groups in a copy of its process, one after the other: the group
whose rows are missing when the copy ends has ended it. So nothing needs to outlive a worker or a
machine, and many such groups in a task use up no further attempt. The first attempt costs nothing.
"""

import os
import pickle
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import IO, Any, TypeVar

from pyspark import TaskContext

from optimizer.process_copy import copied
from spark.groups.encoded_row import EncodedRow, Trouble
from spark.groups.memory import limit_to_free_memory

T = TypeVar("T")

OFTEN: dict[int, str] = {
    signal.SIGKILL: ", most often for want of memory",
    signal.SIGXCPU: ", since compiled code doesn't return in time",
}
"""What most often lies behind a signal."""

RowsOf = Callable[[Any], Iterable[T]]
"""Makes rows of some encoded groups (`spark.groups.encode`)."""


def outlived(groups: Sequence[list[EncodedRow]], rows_of: RowsOf[T]) -> Iterable[T]:
    """What `rows_of` makes of some groups, in their order; of a history each has several rows.

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
    child, pipe = copied(lambda pipe: _answer(groups, rows_of, pipe))
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
