"""A program that writes or removes a snapshot again and again, killed one step later each time.

`python -m tests.spark.store.killed_at_each_step JOB BEFORE FOLDER STRIDE`: each try has a copy of
BEFORE, in FOLDER/0, FOLDER/1, …; the last one isn't killed. STRIDE leaves steps out.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from spark.store import File, Folder, Run, finish
from tests.paths import ROOT

SNAPSHOT = "20261121T060000Z"
OWNED = ("a", "b", "c")


def by_arrow(folder: Path) -> Folder:
    """The same folder as if it were in an object store."""
    return Folder(folder.as_uri(), fs.LocalFileSystem(), str(folder))


def put(run: Run, content: int, tables: Sequence[str]) -> dict[str, list[File]]:
    """Files of one row each, with `content` in it."""
    rows = pa.table({"x": [content]})
    return {table: [run.write(table, [rows], rows.schema)] for table in tables}


def write(place: Folder, content: int, tables: Sequence[str], snapshot: str = SNAPSHOT) -> None:
    with Run(place, OWNED, snapshot) as run:
        run.commit(put(run, content, tables))


def remove(place: Folder) -> None:
    with Run(place, OWNED) as run:
        assert run.remove(SNAPSHOT, place.manifest(SNAPSHOT))


JOBS: dict[str, Callable[[Folder], None]] = {
    "write": lambda place: write(place, 2, ("a", "b")),
    "remove": remove,
}


@contextmanager
def running_run(store: Path, folder: str) -> Iterator[None]:
    """A run that is writing that folder, as its lock tells."""
    run = store / ".evenfleet/runs/20261121T070000Z-x"
    (run / folder).mkdir(parents=True, exist_ok=True)
    lock = os.open(run, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield
    os.close(lock)


STRIDES = [7, pytest.param(1, marks=pytest.mark.ends)]


def stores_after_kills(job: str, before: Folder, folder: Path, stride: int) -> list[Folder]:
    """What each kill leaves, the earliest first, and then the job's end."""
    folder.mkdir()
    words = [sys.executable, "-m", __name__, job, before.root, folder, str(stride)]
    subprocess.run(words, cwd=ROOT, check=True)
    return [Folder(step) for step in sorted(folder.iterdir(), key=lambda step: int(step.name))]


def main(job: str, before: str, folder: str, stride: str) -> None:
    """Do a job until no step is left to be killed at."""
    step = 0
    while True:
        here = Path(folder) / str(step)
        shutil.copytree(before, here)
        child = os.fork()
        if child == 0:
            _die_before(step)
            JOBS[job](Folder(here))
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            return
        step += int(stride)


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
        (finish.shutil, "rmtree"),
        (pq, "ParquetWriter"),
    ):
        setattr(module, name, deadly(getattr(module, name)))


if __name__ == "__main__":
    main(*sys.argv[1:])
