"""A folder of tables that only Spark can open: HDFS, an object store, a server's own disk."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

from pyspark.sql import Row, SparkSession, functions as F

from spark.errors import InputError, UnreadableError, first_line, unreadable_file
from spark.files.manifest import HIDDEN, LARGEST_MANIFEST, File, Manifest
from spark.files.parts import LITERAL, is_not_there
from spark.files.source import REMOVED, Cells, cells_in
from spark.files.table_store import TableStore, rewritten

_GLOB = re.compile(r"[\\{}\[\]*?]")
_FILE = re.compile(r"/([^/]+)/snapshot=([^/]+)/([^/]+)$")

_ASIDE = re.compile(r"/runs/([^/]+)/([^/]+)/snapshot=([^/]+)/[^/]+$")


class Seen(NamedTuple):
    """A file with rows in it, as Spark sees it."""

    bytes: int
    rows: int


class SparkStore(TableStore):
    """What Spark tells without Hadoop's own classes, which not every session has.

    What it has read of manifests and files is kept: make one again for each look.
    """

    def __init__(self, session: SparkSession, root: str) -> None:
        self.session, self.root = session, root
        self._ids: dict[str, set[str]] = {}
        self._seen: dict[str, dict[str, Seen]] = {}

    def ids(self, table: str) -> list[str]:
        in_place = self._in_place(table)
        return sorted(in_place | {text for text in self._texts if self.has(table, text)})

    def _in_place(self, table: str) -> set[str]:
        """The ids of the snapshots that the table has where everybody looks."""
        if table not in self._ids:
            result = map(_FILE.search, self._listed(table))
            self._ids[table] = {item[2] for item in result if item}
        return self._ids[table]

    def _listed(self, table: str) -> list[str]:
        """The paths of all files of a table, hidden ones left out."""
        lookup = {"recursiveFileLookup": "true"}
        return self._files(f"{self.root}/{table}", lookup) or []

    def _files(self, folder: str, options: Mapping[str, str]) -> list[str] | None:
        """The paths of the files in a folder, as named; None if there is no such folder."""
        try:
            reader = self.session.read.schema("nothing int").options(**LITERAL | dict(options))
            return [unquote(file) for file in reader.parquet(folder).inputFiles()]
        except Exception as error:
            if is_not_there(error):
                return None
            raise InputError(f"{self.root} can't be listed: {first_line(error)}") from None

    def _names(self, snapshot: str, table: str) -> bool:
        try:
            manifest = self.manifest(snapshot)
        except UnreadableError:
            return False
        return manifest is not None and table in manifest.tables

    def being_written(self, among: Collection[str]) -> set[str]:
        return set(filter(self._is_written, among)) if self._is_any_written else set()

    @cached_property
    def _is_any_written(self) -> bool:
        return self._is_written("*")

    def _is_written(self, snapshot: str) -> bool:
        root = _GLOB.sub(r"\\\g<0>", self.root)
        folder = f"{root}/*/snapshot={snapshot}/_temporary"
        return self._files(folder, {"__globPaths__": "true"}) is not None

    def has(self, table: str, snapshot: str) -> bool:
        if snapshot in self._in_place(table):
            return True
        return self._names(snapshot, table) and self.parts(table, snapshot, False) is not None

    def is_gone(self, snapshot: str, tables: Collection[str]) -> bool:
        try:
            manifest = self.manifest(snapshot)
        except UnreadableError:
            return False
        return manifest is not None and set(manifest.removed) >= set(tables)

    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        """Each look takes a while: it shows when they are read."""
        return REMOVED if self.is_gone(snapshot, tables) else None

    def paths(self, table: str, snapshots: Collection[str]) -> dict[str, tuple[str, ...]]:
        in_place = self._in_place(table)
        own_paths = {
            snapshot: (self.folder(table, snapshot),)
            for snapshot in snapshots
            if snapshot in in_place
        }
        return own_paths | super().paths(
            table, [snapshot for snapshot in snapshots if snapshot not in in_place]
        )

    @cached_property
    def _texts(self) -> dict[str, list[Row]]:
        """The manifests of each snapshot, the one that was there first at the front."""
        where = f"{self.root}/{HIDDEN}/manifests"
        options = LITERAL | {"recursiveFileLookup": "true", "wholetext": "true"}
        metadata = ("_metadata.file_path", "_metadata.file_modification_time")
        try:
            files = self.session.read.options(**options).format("binaryFile").load(where)
            # known of files as they are listed, so that none is opened for it
            large = files.where(f"_metadata.file_size > {LARGEST_MANIFEST}").select("path").head()
            if large:
                most = f"at most {LARGEST_MANIFEST:,} bytes are read"
                raise UnreadableError(f"{large.path} can't be read: it is too large: {most}")
            rows = self.session.read.options(**options).text(where).select("value", *metadata)
            ordered = rows.orderBy("file_modification_time", "file_path").collect()
        except UnreadableError:
            raise
        except Exception as error:
            if is_not_there(error):
                return {}
            raise InputError(f"{self.root} can't be listed: {first_line(error)}") from None
        texts: dict[str, list[Row]] = {}
        for row in ordered:
            if found_text := _FILE.search(unquote(row.file_path)):
                texts.setdefault(found_text[2], []).append(row)
        return texts

    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        parts = {
            (table, snapshot): paths
            for table in tables
            for snapshot, paths in self.paths(table, snapshots).items()
        }
        while parts:
            try:
                rows = self._counted([path for paths in parts.values() for path in paths], columns)
            except Exception as error:
                broken = _FILE.search(unquote(unreadable_file(error) or ""))
                if not broken or (broken[1], broken[2]) not in parts:
                    raise
                del parts[broken[1], broken[2]]
            else:
                result: dict[tuple[str, str], Counter[Cells]] = {part: Counter() for part in parts}
                for row in rows:
                    part = (unquote(row["table"]), unquote(row["snapshot"]))
                    result[part][cells_in(row, columns)] += row["count"]
                return result
        return {}

    def _counted(self, paths: Sequence[str], columns: Sequence[str]) -> list[Row]:
        schema = ", ".join(f"{column} string" for column in columns) or "nothing int"
        files = self.session.read.schema(schema).options(**LITERAL).parquet(*paths)
        by = [F.regexp_extract("_metadata.file_path", _FILE.pattern, n) for n in (1, 2)]
        cells = [F.col(column).cast("binary").alias(f"of_{column}") for column in columns]
        return (
            files.groupBy(by[0].alias("table"), by[1].alias("snapshot"), *cells).count().collect()
        )

    def runs(self) -> set[tuple[str, str, str]]:
        """What runs have left aside: run, table and snapshot."""
        result = map(_ASIDE.search, self._listed(f"{HIDDEN}/runs"))
        return {(item[1], item[2], item[3]) for item in result if item}

    def manifest(self, snapshot: str) -> Manifest | None:
        result = (Manifest.from_text(row.value, row.file_path) for row in self._of(snapshot))
        return max(result, key=lambda manifest: manifest.version, default=None)

    def _of(self, snapshot: str) -> list[Row]:
        return self._texts.get(snapshot, [])

    def files_in(self, folder: str) -> dict[str, str] | None:
        paths = self._files(folder, {})
        if paths is None:
            return None
        names = (path.rpartition("/")[2] for path in sorted(paths))
        return {name: f"{folder}/{name}" for name in names if name.endswith(".parquet")}

    def modified(self, folder: str) -> dict[str, float]:
        files = self.session.read.options(**LITERAL).format("binaryFile").load(folder)
        rows = files.select("path", "modificationTime").collect()
        return {
            unquote(row.path).rpartition("/")[2]: row.modificationTime.timestamp() for row in rows
        }

    def manifest_modified(self, snapshot: str) -> float | None:
        result = [row.file_modification_time.timestamp() for row in self._of(snapshot)]
        return max(result, default=None)

    def changed(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        if file is None or not thoroughly:
            return None
        folder, _, name = path.rpartition("/")
        result = self.seen(folder).get(name)
        if result is None and file.rows:
            raise UnreadableError(f"{path} can't be read: it has no rows, {file.rows} were written")
        if result is None or result.bytes == file.bytes:
            return None
        return rewritten(path, result.rows, file)

    def seen(self, folder: str) -> dict[str, Seen]:
        """The files of a folder that have rows, by name; of a Parquet file only the footer is read.

        UnreadableError if one is broken.
        """
        if folder not in self._seen:
            of_file = ("_metadata.file_name", "_metadata.file_size")
            files = self.session.read.schema("nothing int").options(**LITERAL).parquet(folder)
            try:
                rows = files.groupBy(*of_file).count().collect()
            except Exception as error:
                raise UnreadableError(f"{folder} can't be read: {first_line(error)}") from None
            self._seen[folder] = {
                unquote(row.file_name): Seen(row.file_size, row["count"]) for row in rows
            }
        return self._seen[folder]
