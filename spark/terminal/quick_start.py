"""What lets commands answer sooner: an archive of Java's classes, and small means."""

from __future__ import annotations

import sys
from collections import Counter
from heapq import nlargest
from pathlib import Path

from spark.files import Where

CLASSES = Path(sys.prefix) / "evenfleet-classes.jsa"
"""Java's archive of the classes that Spark loads (AppCDS), which `bin/setup.sh` makes once.

Java takes it if it was made by the same Java from the same jars, and else reads the jars as ever.
"""

SMALL = 24 * 2**20
"""Bytes of a snapshot's files up to which generated and compiled code isn't worth making."""

SMALL_TOGETHER = SMALL // 3
"""The same of all the snapshots of a store, which go through more work for each byte."""

LOOKED_AT = 24
"""So many of the newest snapshots tell how large those of a store are."""

SMALL_SETTINGS = {
    # nobody opens a page for seconds
    "spark.ui.enabled": "false",
    # expressions are walked over, instead of becoming Java classes that are compiled first
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # a query isn't planned anew after each of its stages
    "spark.sql.adaptive.enabled": "false",
}
"""Spark's settings where the start of a query takes longer than its work."""

QUIET = "-Xlog:disable"
"""Java tells on standard output why it can't take an archive."""

_SMALL_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Quickly compiled code, and one thread that collects garbage."""


def java_options(small: bool) -> list[str]:
    """Options of Java's for a session, whose store may be small."""
    archive = [QUIET, f"-XX:SharedArchiveFile={CLASSES}"] if CLASSES.is_file() else []
    return [*archive, *(_SMALL_JAVA if small else ())]


def is_small(store: Where, many: bool = False) -> bool:
    """Whether the newest snapshots of a store are small, as far as this process sees their files.

    With `many`, all its snapshots together. What Parquet's readers pass over counts for nothing.
    """
    if not isinstance(store, str):
        return False
    sizes: Counter[str] = Counter()
    try:
        for table in Path(store.removeprefix("file:")).glob("[!.]*"):
            snapshots = table.glob("snapshot=*")
            for snapshot in snapshots if many else nlargest(LOOKED_AT, snapshots):
                sizes[snapshot.name] += sum(
                    file.stat().st_size for file in snapshot.glob("*.parquet")
                )
    except OSError:  # it changes while it is looked at: whoever reads it will say what is wrong
        return False
    if many:
        return 0 < sizes.total() <= SMALL_TOGETHER
    return 0 < max(sizes.values(), default=0) <= SMALL
