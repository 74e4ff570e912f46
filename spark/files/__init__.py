"""Tables in files: written aside and put in place as one step, and read as they were written.

A schema of a catalog, whose tables have a column `snapshot`, can stand for such a folder.

A folder of results or snapshots has its tables as `TABLE/snapshot=ID/*.parquet`, which any program
reads, and a hidden folder `.evenfleet` beside them:

* `manifests/snapshot=ID/`: which files are the tables of that snapshot, with their sizes, rows and
  checksums. The newest manifest is the truth; it appears as a whole or not at all.
* `runs/RUN/TABLE/snapshot=ID/`: what a run has written that isn't in its place yet. What no
  manifest names is what a run left behind that was cut short; the next run removes it.
* `runs/RUN/removing/snapshot=ID`: that a run removes that snapshot; its manifest says so as well.
"""

from __future__ import annotations

from spark.files.arrow_place import NotOurOwnError
from spark.files.by_snapshot import write_by_snapshot
from spark.files.catalog_source import CatalogSource
from spark.files.catalog_tables import check_tables, remove_from_catalog
from spark.files.columns import NULL, coded, is_there, nothing, texts, whole_numbers
from spark.files.disk import writing
from spark.files.literal import LITERAL
from spark.files.local_place import LocalPlace
from spark.files.local_run import LocalRun, written_file
from spark.files.locked_run import sweep, written_by_others
from spark.files.manifest import File, Manifest
from spark.files.merging import ROWS_A_FILE, common_schema, fewest_files, merge, rows_in
from spark.files.own_place import OwnPlace, Wanted
from spark.files.parts import Parts, read_parts
from spark.files.place import Place
from spark.files.places import DEFAULT_FS, Opener, own_place, place_of, run_of, source_of
from spark.files.removal import LocalRemoval
from spark.files.source import REMOVED, SNAPSHOT, Source, Stated
from spark.files.spark_place import SparkPlace
from spark.files.tables import write_tables
from spark.files.text_file import replace_text
from spark.files.told_cells import Tallied
from spark.files.too_late import TooLateError
from spark.files.where import CatalogSchema, Where, table_in

__all__ = [
    "DEFAULT_FS",
    "LITERAL",
    "NULL",
    "REMOVED",
    "ROWS_A_FILE",
    "SNAPSHOT",
    "CatalogSchema",
    "CatalogSource",
    "File",
    "LocalPlace",
    "LocalRemoval",
    "LocalRun",
    "Manifest",
    "NotOurOwnError",
    "Opener",
    "OwnPlace",
    "Parts",
    "Place",
    "Source",
    "SparkPlace",
    "Stated",
    "Tallied",
    "TooLateError",
    "Wanted",
    "Where",
    "check_tables",
    "coded",
    "common_schema",
    "fewest_files",
    "is_there",
    "merge",
    "nothing",
    "own_place",
    "place_of",
    "read_parts",
    "remove_from_catalog",
    "replace_text",
    "rows_in",
    "run_of",
    "source_of",
    "sweep",
    "table_in",
    "texts",
    "whole_numbers",
    "write_by_snapshot",
    "write_tables",
    "writing",
    "written_by_others",
    "written_file",
]
