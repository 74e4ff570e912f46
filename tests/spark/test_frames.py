"""Polars and copies of a process: one that has used it can still be copied, for what needs none."""

import subprocess
import sys

from tests.paths import ROOT

COPIES = """
import os
import pyarrow as pa
from spark.frames import ONE_THREAD, call
os.environ.setdefault(*ONE_THREAD)
import polars
from optimizer.process_copy import start_copy
from spark.groups.workers import _each_in_a_copy

def summed(rows):
    return rows.group_by("key").agg(polars.col("value").sum()).sort("key")

def by_polars():
    return call("__main__:summed", pa.table({"key": [1, 1, 2], "value": [3, 4, 5]}))["value"]

def in_a_copy(work):
    child, pipe = start_copy(lambda out: out.write(work()))
    with pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer

# as a worker is copied from the daemon, which has imported polars and never used it
print(in_a_copy(lambda: str(by_polars().to_list()).encode()).decode())
by_polars()
assert polars.thread_pool_size() == 1
# as groups are solved in a copy of a worker, which has made tables by polars before
print(_each_in_a_copy([[3], [4]], lambda groups: [group * group for group in groups]))
"""


def test_a_process_is_copied_before_and_after_it_uses_polars() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COPIES],
        capture_output=True, cwd=ROOT, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "[7, 5]\n[[9], [16]]\n"), ran.stderr
