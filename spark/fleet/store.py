"""A store: a folder of snapshots, `STORE/<table>/snapshot=<id>/*.parquet`.

Plans and comparisons are laid out in the same way.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import unquote

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark.errors import InputError, UnreadableError, first_line, unreadable_file
from spark.fleet.kinds import kind_of_group
from spark.fleet.schemas import TABLES
from spark.fleet.states import MEMBERLESS_STATES

ID = re.compile(r"\w[\w.-]*", re.ASCII)
ID_OF_FILE = re.compile(r"/snapshot=([^/]+)/[^/]+\.parquet$")
"""Finds the id in the path of a snapshot's file."""

BEING_WRITTEN = "it is being written, or its writing was cut short"

_UNWRITABLE = re.compile(
    "ParentNotDirectory|FileAlreadyExists|Mkdirs failed|AccessControl|AccessDenied"
    "|Permission denied|UnsupportedFileSystem|UnknownHost"
)


def snapshot_id(stated: str | None = None) -> str:
    """`stated` if it can be the name of a folder anywhere, or now, in UTC, if it is None."""
    if stated is None:
        return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    if not ID.fullmatch(stated):
        raise InputError(
            f"{stated!r} can't be the id of a snapshot: it is a time like 20261121T060000Z, or "
            "any letters, digits, '-', '_' and '.'"
        )
    return stated


def snapshots(session: SparkSession, store: str) -> list[str]:
    """The ids of the whole snapshots of a store, oldest first.

    A snapshot is whole when every required table has it, and none of them is being written.
    """
    required = [name for name, table in TABLES.items() if table.required]
    found = set.intersection(*(set(ids(session, store, name)) for name in required))
    return sorted(found.difference(_being_written(session, store, found)))


def unfinished(session: SparkSession, store: str) -> dict[str, str]:
    """The ids of the snapshots that aren't whole, oldest first, and why they aren't."""
    found = {name: set(ids(session, store, name)) for name in TABLES}
    every = set.union(*found.values())
    writing = _being_written(session, store, every)
    lacking = {
        one: [name for name, table in TABLES.items() if table.required and one not in found[name]]
        for one in sorted(every)
    }
    return {
        one: BEING_WRITTEN if one in writing else f"it lacks {', '.join(names)}"
        for one, names in lacking.items()
        if names or one in writing
    }


def _being_written(session: SparkSession, store: str, among: set[str]) -> set[str]:
    """Those with a folder of files that Spark has not yet put in their place."""

    def has_one(snapshot: str) -> bool:
        return _is_there(session, f"{_folder(store, '*')}/snapshot={snapshot}/_temporary")

    return set(filter(has_one, among)) if has_one("*") else set()


def _is_there(session: SparkSession, path: str) -> bool:
    try:
        session.read.schema("nothing int").parquet(path)
    except Exception as error:
        if is_not_there(error):
            return False
        raise InputError(f"{path} can't be listed: {first_line(error)}") from None
    return True


def whole(session: SparkSession, store: str, snapshot: str | None = None) -> list[str]:
    """The ids of the whole snapshots, oldest first; with `snapshot`, the last is that one.

    Raises InputError when there is none, or not that one.
    """
    present = snapshots(session, store)
    if not present or (snapshot and snapshot not in present):
        raise InputError(_why_not(session, store, snapshot, present))
    return [one for one in present if one <= snapshot] if snapshot else present


def _why_not(session: SparkSession, store: str, snapshot: str | None, present: list[str]) -> str:
    """Why there is no such snapshot, and what there is instead."""
    if snapshot and (why := unfinished(session, store).get(snapshot)):
        return f"snapshot {snapshot} of store {store} isn't whole: {why}"
    wanted = f"snapshot {snapshot}" if snapshot else "whole snapshot"
    found = {name: ids(session, store, name) for name, table in TABLES.items() if table.required}
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
        if is_not_there(error):
            return []
        raise InputError(f"store {store} can't be listed: {first_line(error)}") from None
    found = (ID_OF_FILE.search(unquote(file)) for file in files)
    return sorted({match[1] for match in found if match})


def row_counts(session: SparkSession, store: str, table: str) -> tuple[dict[str, int], set[str]]:
    """How many rows of the table each snapshot has, and the snapshots that can't be read."""
    rows, unreadable = _counted(session, store, table, "nothing int")
    return {row["snapshot"]: row["count"] for row in rows}, unreadable


def kinds_of_groups(session: SparkSession, store: str) -> dict[str, dict[str, int]]:
    """How many groups that aren't consumer groups each snapshot has that can be read, by kind.

    Whether a group has members is told by its state here.
    """
    has_members = f"coalesce(state, '') not in {MEMBERLESS_STATES}"
    kind = F.expr(kind_of_group(has_members)).alias("kind")
    schema = "type string, strategy string, state string"
    rows, _ = _counted(session, store, "groups", schema, kind)
    kinds: dict[str, dict[str, int]] = {}
    for row in sorted(row for row in rows if row["kind"]):
        kinds.setdefault(row["snapshot"], {})[row["kind"]] = row["count"]
    return kinds


def _counted(
    session: SparkSession, store: str, table: str, schema: str, *by: Column
) -> tuple[list[Row], set[str]]:
    """Numbers of rows by snapshot, and by what else, and the snapshots that can't be read."""
    found = F.regexp_extract("_metadata.file_path", ID_OF_FILE.pattern, 1)
    unreadable: set[str] = set()
    while True:
        try:
            files = session.read.schema(schema).option("recursiveFileLookup", "true")
            rows = files.parquet(_folder(store, table)).where(~found.isin("", *unreadable))
            return rows.groupBy(found.alias("snapshot"), *by).count().collect(), unreadable
        except Exception as error:
            if is_not_there(error):
                return [], unreadable
            broken = ID_OF_FILE.search(unquote(unreadable_file(error) or ""))
            if not broken or broken[1] in unreadable:
                raise
            unreadable.add(broken[1])


def read_table(session: SparkSession, store: str, table: str, snapshot: str) -> DataFrame | None:
    """One table of one snapshot; None when it isn't there, InputError when it can't be read."""
    path = f"{_folder(store, table)}/snapshot={snapshot}"
    try:
        return session.read.parquet(path)
    except Exception as error:  # what Java throws about a broken file has no class in PySpark
        if is_not_there(error):
            return None
        raise UnreadableError(
            f"table {table} can't be read from {path}: {first_line(error)}"
        ) from None


def write_table(table: DataFrame, store: str, name: str, snapshot: str) -> None:
    """Write one table of one snapshot; a run that fails leaves none, the one before included."""
    path = f"{_folder(store, name)}/snapshot={snapshot}"
    try:
        table.write.mode("overwrite").parquet(path)
    except Exception as error:
        if _UNWRITABLE.search(str(error)):
            raise InputError(f"{path} can't be written: {first_line(error)}") from None
        raise


def is_not_there(error: Exception) -> bool:
    """Whether Spark says that it found no such path."""
    return isinstance(error, AnalysisException) and error.getCondition() == "PATH_NOT_FOUND"


def _folder(store: str, table: str) -> str:
    return f"{store.rstrip('/')}/{table}"
