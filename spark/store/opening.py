"""What opens a folder of tables, or the tables of a catalog."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import SparkSession

from spark.errors import InputError, first_line
from spark.store.catalog import CatalogSource
from spark.store.folder import Folder
from spark.store.source import CatalogSchema, Where

DEFAULT_FS = "spark.hadoop.fs.defaultFS"
"""Spark's setting of the file system that a path without a scheme is of."""

_S3 = re.compile(r"s3[an]?://")

_S3_SETTINGS = {
    "access_key": "access.key",
    "secret_key": "secret.key",
    "session_token": "session.token",
    "endpoint_override": "endpoint",
    "region": "endpoint.region",
}
"""What Arrow calls settings of Spark's, all of which begin with `spark.hadoop.fs.s3a.`."""


class UnopenableError(InputError):
    """Nothing opens that folder."""

    def __init__(self, root: str, why: str) -> None:
        super().__init__(
            f"{root} can't be opened: {why}. Name a folder of this machine or of an object store, "
            "or use tables of a catalog"
        )


Opener = SparkSession | Folder
"""What opens a folder of tables: a session, or the folder itself that this process has opened."""


def source_of(opener: Opener, where: Where) -> Folder | CatalogSource:
    """What the tables of a store or of results are read from; a catalog's by a session."""
    if not isinstance(where, CatalogSchema):
        return folder_of(opener, where)
    assert not isinstance(opener, Folder), "tables of a catalog are opened by a session"
    return CatalogSource(opener, where)


def folder_of(opener: Opener, root: str) -> Folder:
    """The folder that a session means by a path, or the one that was opened.

    UnopenableError as `open_folder`.
    """
    if isinstance(opener, Folder):
        return opener

    def setting(name: str) -> str | None:
        value: str | None = opener.conf.get(name, None)
        return value

    return open_folder(root, setting(DEFAULT_FS) or "file:", setting)


def open_folder(
    root: str,
    default: str = "file:",
    setting: Callable[[str], str | None] = lambda _: None,
) -> Folder:
    """The folder that a path means; `default` is that of `DEFAULT_FS`, `setting` any of Spark's.

    Raises UnopenableError where Arrow has no such file system or can't look.
    """
    root = root.rstrip("/") or "/"
    if root.startswith("file:"):
        return Folder("/" + root.removeprefix("file:").lstrip("/"))
    if "://" not in root:
        if "HADOOP_CONF_DIR" in os.environ:
            why = "with HADOOP_CONF_DIR a path may mean another file system than this machine's"
            raise UnopenableError(root, f"{why}: write file:{Path(root).absolute()}")
        if default.startswith("file:"):
            return Folder(root)
        root = f"{default.rstrip('/')}/{root.lstrip('/')}"
    try:
        system, base = _system_of(root, setting)
        system.get_file_info(base)
    except ValueError:
        raise UnopenableError(root, "there is no such file system") from None
    except (pa.ArrowException, OSError) as error:
        raise UnopenableError(root, first_line(error)) from None
    # what follows are settings of the file system; Spark's own S3 is s3a, however it is written
    return Folder(_S3.sub("s3a://", root.partition("?")[0]), system, base)


def _system_of(root: str, setting: Callable[[str], str | None]) -> tuple[fs.FileSystem, str]:
    uri = _S3.sub("s3://", root)
    of_spark = {
        ours: value
        for ours, theirs in _S3_SETTINGS.items()
        if (value := setting(f"spark.hadoop.fs.s3a.{theirs}"))
    }
    if not (uri.startswith("s3://") and of_spark):
        system, base = fs.FileSystem.from_uri(uri)
        return system, str(base)
    scheme, separator, endpoint = of_spark.get("endpoint_override", "").rpartition("://")
    if endpoint:
        of_spark["endpoint_override"] = endpoint
    plain = setting("spark.hadoop.fs.s3a.connection.ssl.enabled") == "false"
    virtual = endpoint and setting("spark.hadoop.fs.s3a.path.style.access") != "true"
    system = fs.S3FileSystem(
        scheme=scheme if separator else "http" if plain else "https",
        force_virtual_addressing=bool(virtual),
        **of_spark,
    )
    return system, uri.removeprefix("s3://")
