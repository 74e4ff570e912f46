"""A folder of tables that this process can open by itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pyarrow.parquet as pq

from spark.errors import InputError, UnreadableError
from spark.files.checksum import checksum
from spark.files.footers import Footers, footers_of
from spark.files.manifest import HIDDEN, File, Manifest
from spark.files.own_place import OwnPlace, is_part
from spark.files.parts import Parts

LEAST = 12
"""Bytes of the smallest Parquet file: magic numbers at both ends, and the footer's length."""

_OF_SNAPSHOT = re.compile(r"snapshot=(.+)", re.DOTALL)


class LocalPlace(OwnPlace):
    """Its files are looked at one by one, each byte of what is read."""

    def __init__(self, root: Path | str) -> None:
        self.root = str(root).rstrip("/") or "/"
        self.path = Path(self.root)

    def opened(self, path: str) -> pq.ParquetFile:
        return pq.ParquetFile(path, page_checksum_verification=True)

    def ids(self, table: str) -> list[str]:
        in_place = set(filter(None, map(_id_of, _folders(self.path / table))))
        there = {one for one in in_place if self.files_in(self.folder(table, one))}
        runs = self.path / HIDDEN / "runs"
        aside = {_id_of(folder) for run in _folders(runs) for folder in _folders(run / table)}
        return sorted(there | {one for one in aside - {None} if one and self._is_there(table, one)})

    def being_written(self, among: Collection[str]) -> set[str]:
        tables = _folders(self.path)
        return {
            snapshot
            for snapshot in among
            for table in tables
            if (table / f"snapshot={snapshot}" / "_temporary").exists()
        }

    def manifest(self, snapshot: str) -> Manifest | None:
        folder = self.path / HIDDEN / "manifests" / f"snapshot={snapshot}"
        try:
            texts = {
                path: path.read_text() for path in folder.iterdir() if path.name[0] not in "._"
            }
        except FileNotFoundError:  # or one that was replaced after it was listed
            return self.manifest(snapshot) if folder.is_dir() else None
        except (OSError, ValueError) as error:
            raise UnreadableError(f"{folder} can't be read: {error}") from None
        found = [Manifest.from_text(text, str(path)) for path, text in sorted(texts.items())]
        return max(found, key=lambda manifest: manifest.version, default=None)

    def files_in(self, folder: str) -> dict[str, str] | None:
        try:
            names = sorted(path.name for path in Path(folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"{folder} can't be listed: {error.strerror}") from None
        return {name: f"{folder}/{name}" for name in names if is_part(name)}

    def changed(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        size = Path(path).stat().st_size
        if size < LEAST:
            raise UnreadableError(f"{path} can't be read: it has {size} bytes, which is no Parquet")
        if file is None:
            return None
        if size != file.bytes:
            return self.resized(path, size, file)
        if thoroughly and file.crc32 and checksum(Path(path)) != file.crc32:
            raise UnreadableError(f"{path} can't be read: its bytes aren't those that were written")
        return None

    def footers(self, parts: Parts) -> Footers | None:
        return footers_of(self.files_of(parts.paths))


def _folders(parent: Path) -> list[Path]:
    """The folders in a folder that aren't hidden; none if that isn't one."""
    try:
        return [path for path in parent.iterdir() if path.name[0] not in "._" and path.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"{parent} can't be listed: {error.strerror}") from None


def _id_of(folder: Path) -> str | None:
    found = _OF_SNAPSHOT.fullmatch(folder.name)
    return found[1] if found else None
