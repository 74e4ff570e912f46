"""What lets commands answer sooner: an archive of Java's classes, and small means."""

from __future__ import annotations

import sys
from collections import Counter
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


def is_small(store: Where, together: bool = False) -> bool:
    """Whether the largest snapshot of a store is small, as far as this process can see its files.

    Or all of them `together`. A file that Parquet's readers pass over counts for nothing.
    """
    if not isinstance(store, str):
        return False
    sizes: Counter[str] = Counter()
    try:
        for file in Path(store.removeprefix("file:")).glob("*/snapshot=*/*.parquet"):
            sizes[file.parent.name] += file.stat().st_size
    except OSError:  # it changes while it is looked at: whoever reads it will say what is wrong
        return False
    if together:
        return 0 < sizes.total() <= SMALL_TOGETHER
    return 0 < max(sizes.values(), default=0) <= SMALL
