"""Settings with which commands answer sooner: an archive of Java's classes, and small means."""

import sys
from collections import Counter
from enum import Enum, auto
from heapq import nlargest
from pathlib import Path

CLASSES = Path(sys.prefix) / "evenfleet-classes.jsa"
"""Java's archive of the classes that Spark loads (AppCDS), made once (`class_archive`).

Java takes it if it was made by the same Java from the same jars, and else reads the jars as ever.
"""


class StoreSize(Enum):
    """How much a store is for Spark: what pays off to be made before it is read."""

    SMALL = auto()
    """Neither generated code nor what Java compiles it to best."""
    MEDIUM = auto()
    """Generated code, which Java compiles quickly: queries over many snapshots make much of it."""
    LARGE = auto()
    """Default settings of Java, and of Spark but for how it lists folders."""
    UNSEEN = auto()
    """Default settings: it isn't on this machine, or changes while it is examined."""


SMALL = 24 * 2**20
"""Bytes of a snapshot's files up to which it is small."""

SMALL_TOGETHER = SMALL // 3
"""Bytes of all the snapshots of a small store, which go through more work for each byte."""

MEDIUM_TOGETHER = 64 * 2**20
"""Bytes of all the snapshots of a store up to which it is of medium size."""

LOOKED_AT = 24
"""Newest snapshots that show how large those of a store are."""

LARGE_SETTINGS = {
    # folders of this machine are listed at once, without a task for each snapshot of a table
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    # rows that come from the driver aren't part of plans, which Spark compares again and again
    "spark.sql.execution.arrow.localRelationThreshold": "0b",
}
"""Spark's settings where a store is on this machine, however large."""

MEDIUM_SETTINGS = LARGE_SETTINGS | {
    # each join, sum and sort takes a page at least, of up to 64 MB that Java has to clear; those of
    # tables that are sent to all tasks fill the heap
    "spark.buffer.pageSize": "1m",
    # nobody opens a page for seconds
    "spark.ui.enabled": "false",
    # a query isn't planned again after each of its stages
    "spark.sql.adaptive.enabled": "false",
}
"""Spark's settings where a store on this machine is of medium size at most."""

SMALL_SETTINGS = MEDIUM_SETTINGS | {
    # expressions are walked over, instead of becoming Java classes that are compiled first
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Spark's settings where the start of a query takes longer than its work."""

QUIET = "-Xlog:disable"
"""Java tells on standard output why it can't take an archive."""

_QUICK_JAVA = (
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=192m",
    "-XX:+UseSerialGC",
)
"""Quickly compiled code, with room for the code of several commands in one session (the default of
48 MB fills up, and Java then compiles no more); and one thread that collects garbage."""


SETTINGS = {
    StoreSize.SMALL: SMALL_SETTINGS,
    StoreSize.MEDIUM: MEDIUM_SETTINGS,
    StoreSize.LARGE: LARGE_SETTINGS,
    StoreSize.UNSEEN: {},
}


def java_options(size: StoreSize) -> list[str]:
    """Options of Java's for a session."""
    archive = [QUIET, f"-XX:SharedArchiveFile={CLASSES}"] if CLASSES.is_file() else []
    return [*archive, *(_QUICK_JAVA if size in (StoreSize.SMALL, StoreSize.MEDIUM) else ())]


def size_of(store: object, many: bool = False) -> StoreSize:
    """How large the newest snapshots of a store are, as far as this process sees their files.

    With `many`, all its snapshots together. What Parquet's readers pass over counts for nothing.
    """
    if not isinstance(store, str):
        return StoreSize.UNSEEN
    sizes: Counter[str] = Counter()
    try:
        for table in Path(store.removeprefix("file:")).glob("[!.]*"):
            snapshots = table.glob("snapshot=*")
            for snapshot in snapshots if many else nlargest(LOOKED_AT, snapshots):
                sizes[snapshot.name] += sum(
                    file.stat().st_size for file in snapshot.glob("*.parquet")
                )
    except OSError:  # it changes while it is examined: whoever reads it will say what is wrong
        return StoreSize.UNSEEN
    seen = sizes.total() if many else max(sizes.values(), default=0)
    if not seen:
        return StoreSize.UNSEEN
    if seen <= (SMALL_TOGETHER if many else SMALL):
        return StoreSize.SMALL
    return StoreSize.MEDIUM if many and seen <= MEDIUM_TOGETHER else StoreSize.LARGE
