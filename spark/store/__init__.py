"""Tables in folders or in schemas of a catalog: written as one step, read as they were written.

A folder of results or snapshots has its tables as `TABLE/snapshot=ID/*.parquet`, which any program
reads, and a hidden folder `.evenfleet` beside them:

* `manifests/snapshot=ID/`: which files are the tables of that snapshot, with their sizes, rows and
  checksums. The newest manifest is the truth; it appears as a whole or not at all.
* `runs/RUN/TABLE/snapshot=ID/`: what a run has written that isn't in its place yet. What no
  manifest names is what a run left behind that was cut short; the next run removes it.
* `runs/RUN/removing/snapshot=ID`: that a run removes that snapshot; its manifest says so as well.

`listing` lists a folder, `table_files` says which files are a table, `folder` reads their rows,
`commit` puts files there, `finish` brings these to their place, `write` has DataFrames written,
`catalog` does all this with tables of a catalog.
"""

from spark.store.catalog import CatalogSource, check_tables, remove_from_catalog
from spark.store.columns import (
    NULL,
    as_one,
    codes_of,
    is_there,
    numbers_in,
    take,
    texts,
    whole_numbers,
)
from spark.store.commit import Run, TooLateError
from spark.store.disk import read_whole, replace_text, writing
from spark.store.finish import sweep, written_by_others
from spark.store.folder import Folder
from spark.store.manifest import File
from spark.store.opening import (
    DEFAULT_FS,
    Opener,
    UnopenableError,
    check_writable,
    files_of,
    folder_of,
    open_folder,
    source_of,
)
from spark.store.parquet import ROWS_A_FILE, ValueFilter
from spark.store.source import (
    REMOVED,
    SNAPSHOT,
    CatalogSchema,
    Source,
    StoredTable,
    Where,
)
from spark.store.write import in_one_file, write_by_snapshot, write_tables
