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

from spark.files.arrow_store import NeedsSparkError as NeedsSparkError
from spark.files.catalog_tables import (
    CatalogSource as CatalogSource,
    check_tables as check_tables,
    remove_from_catalog as remove_from_catalog,
)
from spark.files.columns import (
    NULL as NULL,
    coded as coded,
    is_there as is_there,
    nothing as nothing,
    texts as texts,
    whole_numbers as whole_numbers,
)
from spark.files.direct_store import DirectStore as DirectStore, ValueFilter as ValueFilter
from spark.files.disk import replace_text as replace_text, writing as writing
from spark.files.local_run import (
    LocalRemoval as LocalRemoval,
    LocalRun as LocalRun,
    written_file as written_file,
)
from spark.files.local_store import LocalStore as LocalStore
from spark.files.locked_run import sweep as sweep, written_by_others as written_by_others
from spark.files.manifest import File as File
from spark.files.merging import (
    ROWS_A_FILE as ROWS_A_FILE,
    common_schema as common_schema,
    fewest_files as fewest_files,
    merge as merge,
    rows_in as rows_in,
)
from spark.files.parts import read_parts as read_parts
from spark.files.source import (
    REMOVED as REMOVED,
    SNAPSHOT as SNAPSHOT,
    CatalogSchema as CatalogSchema,
    Source as Source,
    StoredTable as StoredTable,
    Where as Where,
    table_in as table_in,
)
from spark.files.spark_store import SparkStore as SparkStore
from spark.files.table_store import TableStore as TableStore, TooLateError as TooLateError
from spark.files.table_stores import (
    DEFAULT_FS as DEFAULT_FS,
    Opener as Opener,
    direct_store as direct_store,
    run_of as run_of,
    source_of as source_of,
    table_store_of as table_store_of,
)
from spark.files.tables import (
    in_one_file as in_one_file,
    write_by_snapshot as write_by_snapshot,
    write_tables as write_tables,
)
