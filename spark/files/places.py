"""Which kind of place a name means, and what writes to a folder."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from pyspark.sql import SparkSession

from spark.files.catalog_source import CatalogSource
from spark.files.local_place import LocalPlace
from spark.files.local_run import LocalRun
from spark.files.spark_place import SparkPlace
from spark.files.spark_run import SparkRun
from spark.files.where import CatalogSchema, Where


def source_of(session: SparkSession, where: Where) -> LocalPlace | SparkPlace | CatalogSource:
    """What the tables of a store or of results are read from."""
    if isinstance(where, CatalogSchema):
        return CatalogSource(session, where)
    return place_of(session, where)


def place_of(session: SparkSession, root: str) -> LocalPlace | SparkPlace:
    """The place that a session means by a path.

    A path without a scheme is one of this machine unless Hadoop has another default, or the session
    is one of Spark Connect, whose server may be anywhere.
    """
    root = root.rstrip("/") or "/"
    if _is_connected(session):
        return SparkPlace(session, root)
    if root.startswith("file:"):
        return LocalPlace("/" + root.removeprefix("file:").lstrip("/"))
    default = session.conf.get("spark.hadoop.fs.defaultFS", None) or "file:"
    elsewhere = "HADOOP_CONF_DIR" in os.environ or not default.startswith("file:")
    if "://" in root or elsewhere:
        return SparkPlace(session, root)
    return LocalPlace(Path(root))


def _is_connected(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


def run_of(
    session: SparkSession, root: str, snapshot: str, owned: Collection[str]
) -> LocalRun | SparkRun:
    """What one run writes there of that snapshot; it replaces all tables that it owns."""
    place = place_of(session, root)
    if isinstance(place, LocalPlace):
        return LocalRun(place, snapshot, owned)
    return SparkRun(place, snapshot, owned)
