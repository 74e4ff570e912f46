"""A program that writes a snapshot again and again, and is killed one step later each time.

`python -m tests.spark.files.killed_at_each_step BEFORE FOLDER`: each try has a copy of BEFORE, in
FOLDER/0, FOLDER/1, …; the last one isn't killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.files import LocalRun, LocalStore, locked_run

SNAPSHOT = "20261121T060000Z"
OWNED = ("a", "b", "c")


def write(place: LocalStore, content: int, tables: tuple[str, ...]) -> None:
    """Tables of one row each, with `content` in it."""
    with LocalRun(place, SNAPSHOT, OWNED) as run:
        for table in tables:
            run.folder(table).mkdir(parents=True)
            pq.write_table(pa.table({"x": [content]}), run.folder(table) / f"part-{run.id}.parquet")
        run.commit(tables)


def at_each_step(before: str, folder: str, job: Callable[[LocalStore], None]) -> None:
    """Do a job until no step is left to be killed at."""
    step = 0
    while True:
        here = Path(folder) / str(step)
        shutil.copytree(before, here)
        child = os.fork()
        if child == 0:
            _die_before(step)
            job(LocalStore(here))
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            return
        step += 1


def _die_before(step: int) -> None:
    """Have this process killed at the n-th call of what changes files."""
    left = [step]

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return function(*arguments, **options)

        return call

    for module, name in (
        *((os, name) for name in ("link", "rename", "mkdir", "unlink", "rmdir", "fsync", "open")),
        (locked_run.shutil, "move"),
        (locked_run.shutil, "rmtree"),
        (pq, "write_table"),
    ):
        setattr(module, name, deadly(getattr(module, name)))


if __name__ == "__main__":
    at_each_step(*sys.argv[1:], lambda place: write(place, 2, ("a", "b")))
