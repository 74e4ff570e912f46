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

from spark.files.arrow_store import NeedsSparkError
from spark.files.by_snapshot import write_by_snapshot
from spark.files.catalog_tables import CatalogSource, check_tables, remove_from_catalog
from spark.files.columns import NULL, coded, is_there, nothing, texts, whole_numbers
from spark.files.direct_store import DirectStore, ValueFilter
from spark.files.disk import read_whole, replace_text, writing
from spark.files.local_run import LocalRemoval, LocalRun, written_file
from spark.files.local_store import LocalStore
from spark.files.locked_run import sweep, written_by_others
from spark.files.manifest import File
from spark.files.merging import (
    ROWS_A_FILE,
    common_schema,
    fewest_files,
    merge,
    plain_columns,
    rows_in,
)
from spark.files.parts import read_parts
from spark.files.source import (
    REMOVED,
    SNAPSHOT,
    CatalogSchema,
    Source,
    StoredTable,
    Where,
    table_in,
)
from spark.files.spark_store import SparkStore
from spark.files.table_store import TableStore, TooLateError
from spark.files.table_stores import (
    DEFAULT_FS,
    Opener,
    direct_store,
    run_of,
    source_of,
    table_store_of,
)
from spark.files.tables import in_one_file, write_tables
