"""Which kind of place a name means, and what writes to a folder."""

import os
from collections.abc import Collection
from pathlib import Path

from pyspark.sql import SparkSession

from spark.files.arrow_store import ArrowStore, NeedsSparkError
from spark.files.catalog_tables import CatalogSource
from spark.files.direct_store import DirectStore
from spark.files.local_run import LocalRun
from spark.files.local_store import LocalStore
from spark.files.source import CatalogSchema, Where
from spark.files.spark_run import SparkRun
from spark.files.spark_store import SparkStore

DEFAULT_FS = "spark.hadoop.fs.defaultFS"
"""Spark's setting of the file system that a path without a scheme is of."""


Opener = SparkSession | DirectStore
"""What opens a folder of tables: a session, or the folder itself that this process has opened."""


def source_of(opener: Opener, where: Where) -> DirectStore | SparkStore | CatalogSource:
    """What the tables of a store or of results are read from; a catalog's by a session."""
    if not isinstance(where, CatalogSchema):
        return table_store_of(opener, where)
    assert not isinstance(opener, DirectStore), "tables of a catalog are opened by a session"
    return CatalogSource(opener, where)


def table_store_of(opener: Opener, root: str) -> DirectStore | SparkStore:
    """The place that a session means by a path, or the one that was opened.

    A path without a scheme is one of this machine unless Hadoop has another default, or the session
    is one of Spark Connect, whose server may be anywhere.
    """
    if isinstance(opener, DirectStore):
        return opener
    root = root.rstrip("/") or "/"
    if _is_connected(opener):
        return SparkStore(opener, root)
    default = opener.conf.get(DEFAULT_FS, None) or "file:"
    return _local_store(root, default) or SparkStore(opener, root)


def direct_store(root: str, default: str = "file:") -> DirectStore:
    """The place that this process can open by itself; `default` is that of `DEFAULT_FS`.

    Raises NeedsSparkError where it can't: only Spark may.
    """
    root = root.rstrip("/") or "/"
    if local_store := _local_store(root, default):
        return local_store
    if "://" not in root:
        raise NeedsSparkError(root)
    return ArrowStore.at(root)


def _local_store(root: str, default: str) -> LocalStore | None:
    """The folder of this machine that a path means, if it does."""
    if root.startswith("file:"):
        return LocalStore("/" + root.removeprefix("file:").lstrip("/"))
    elsewhere = "HADOOP_CONF_DIR" in os.environ or not default.startswith("file:")
    return None if "://" in root or elsewhere else LocalStore(Path(root))


def _is_connected(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


def run_of(
    session: SparkSession, root: str, snapshot: str, owned: Collection[str]
) -> LocalRun | SparkRun:
    """What one run writes there of that snapshot; it replaces all tables that it owns."""
    place = table_store_of(session, root)
    if isinstance(place, SparkStore):
        return SparkRun(place, snapshot, owned)
    assert isinstance(place, LocalStore), "a session opens what isn't local by Spark"
    return LocalRun(place, snapshot, owned)
