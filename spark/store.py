"""A store: a folder of snapshots, `STORE/<table>/snapshot=<id>/*.parquet`.

Plans and comparisons are laid out in the same way.
"""

import re
from datetime import UTC, datetime
from urllib.parse import unquote

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError, first_line
from spark.schemas import TABLES

_ID = re.compile(r"\w[\w.-]*", re.ASCII)
_ID_OF_FILE = re.compile(r"/snapshot=([^/]+)/[^/]+\.parquet$")
_UNWRITABLE = re.compile(
    "ParentNotDirectory|FileAlreadyExists|Mkdirs failed|AccessControl|AccessDenied"
    "|Permission denied|UnsupportedFileSystem|UnknownHost"
)


def snapshot_id(stated: str | None = None) -> str:
    """`stated` if it can be the name of a folder anywhere, or now, in UTC, if it is None."""
    if stated is None:
        return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    if not _ID.fullmatch(stated):
        raise InputError(
            f"{stated!r} can't be the id of a snapshot: it is a time like 20261121T060000Z, or "
            "any letters, digits, '-', '_' and '.'"
        )
    return stated


def snapshots(session: SparkSession, store: str) -> list[str]:
    """The ids of the whole snapshots of a store, oldest first.

    A snapshot is whole when every required table has it.
    """
    required = [name for name, table in TABLES.items() if table.required]
    return sorted(set.intersection(*(set(ids(session, store, name)) for name in required)))


def newest(session: SparkSession, store: str, snapshot: str | None = None) -> str:
    """The id of the newest whole snapshot, or `snapshot` itself if the store has it."""
    present = snapshots(session, store)
    chosen = snapshot or next(reversed(present), None)
    if chosen is None or chosen not in present:
        raise InputError(_why_not(session, store, snapshot, present))
    return chosen


def _why_not(session: SparkSession, store: str, snapshot: str | None, present: list[str]) -> str:
    """Why there is no such snapshot, and what there is instead."""
    wanted = f"snapshot {snapshot}" if snapshot else "whole snapshot"
    found = {name: ids(session, store, name) for name, table in TABLES.items() if table.required}
    lacking = [name for name in found if snapshot not in found[name]]
    if snapshot and len(lacking) < len(found):
        return f"snapshot {snapshot} of store {store} isn't whole: it lacks {', '.join(lacking)}"
    if present:
        return f"store {store} has no {wanted}: the newest it has are {', '.join(present[-5:])}"
    empty = [name for name in found if not found[name]]
    lacks = f" (nothing is in {', '.join(empty)})" if empty else ""
    return f"store {store} has no {wanted}{lacks}: import or write one first"


def ids(session: SparkSession, store: str, table: str) -> list[str]:
    """The ids of the snapshots of which the table has a file, from the names of files alone."""
    try:
        files = (
            session.read.schema("nothing int")  # so that no file is opened for its schema
            .option("recursiveFileLookup", "true")
            .parquet(_folder(store, table))
            .inputFiles()
        )
    except Exception as error:
        if _is_not_there(error):
            return []
        raise InputError(f"store {store} can't be listed: {first_line(error)}") from None
    found = (_ID_OF_FILE.search(unquote(file)) for file in files)
    return sorted({match[1] for match in found if match})


def read_table(session: SparkSession, store: str, table: str, snapshot: str) -> DataFrame | None:
    """One table of one snapshot; None when it isn't there, InputError when it can't be read."""
    path = f"{_folder(store, table)}/snapshot={snapshot}"
    try:
        return session.read.parquet(path)
    except Exception as error:  # what Java throws about a broken file has no class in PySpark
        if _is_not_there(error):
            return None
        raise InputError(f"table {table} can't be read from {path}: {first_line(error)}") from None


def write_table(table: DataFrame, store: str, name: str, snapshot: str) -> None:
    """Write one table of one snapshot; a run that fails leaves none, the one before included."""
    path = f"{_folder(store, name)}/snapshot={snapshot}"
    try:
        table.write.mode("overwrite").parquet(path)
    except Exception as error:
        if _UNWRITABLE.search(str(error)):
            raise InputError(f"{path} can't be written: {first_line(error)}") from None
        raise


def _is_not_there(error: Exception) -> bool:
    return isinstance(error, AnalysisException) and error.getCondition() == "PATH_NOT_FOUND"


def _folder(store: str, table: str) -> str:
    return f"{store.rstrip('/')}/{table}"
