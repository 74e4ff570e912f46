"""Where results go and come from."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError
from spark.fleet.store import read_table, snapshots


def check_writable(out: str) -> None:
    """Raise InputError when a local folder can't be written, before any work is done.

    Where Hadoop is configured a path may mean another file system: that shows when it is written.
    """
    local = out.removeprefix("file:")
    if "://" in local or "HADOOP_CONF_DIR" in os.environ:
        return
    nearest = Path(local).absolute()
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.is_dir():
        raise InputError(f"output {out} can't be written: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"output {out} can't be written: no permission for {nearest}")


def check_no_store(session: SparkSession, out: str) -> None:
    """Raise InputError when `out` has snapshots: a plan's tables would replace theirs."""
    if snapshots(session, out):
        raise InputError(
            f"output {out} is a store, whose tables a plan would overwrite: choose another folder"
        )


def read_result(session: SparkSession, out: str, name: str, snapshot: str) -> DataFrame:
    """One table of a plan; InputError when it isn't there or can't be read."""
    table = read_table(session, out, name, snapshot)
    if table is None:
        raise InputError(f"plan {out} has no table {name} of snapshot {snapshot}: make it anew")
    return table
