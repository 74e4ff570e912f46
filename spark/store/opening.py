"""Folders of tables, and tables of a catalog, are opened here."""

import os
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

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
"""Arrow's names of settings of Spark's, all of which begin with `spark.hadoop.fs.s3a.`."""

_OF_OBSTORE = {
    "access_key": "access_key_id",
    "secret_key": "secret_access_key",
    "endpoint_override": "endpoint",
}
"""Obstore's names of those that it calls otherwise."""

_EXCLUSIVE = ("s3", "gs", "abfs", "abfss")
"""Object stores where a file can be put only where none is."""

Setting = Callable[[str], str | None]
"""A setting of Spark's by its name."""


class UnopenableError(InputError):
    """Nothing opens that folder."""

    def __init__(self, root: str, why: str) -> None:
        super().__init__(
            f"{root} can't be opened: {why}. Name a folder of this machine or of an object store, "
            "or use tables of a catalog"
        )


Opener = SparkSession | Folder
"""Opens a folder of tables: a session, or the folder itself that this process has opened."""


def source_of(opener: Opener, where: Where) -> Folder | CatalogSource:
    """The source of the tables of a store or of results; a catalog's is opened by a session."""
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


def open_folder(root: str, default: str = "file:", setting: Setting = lambda _: None) -> Folder:
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
        if system.type_name == "hdfs" and system.get_file_info("/").type == fs.FileType.NotFound:
            # Arrow calls a file missing where HDFS fails, and the root is always there
            raise OSError("HDFS doesn't answer, or refuses this user")
    except ValueError:
        raise UnopenableError(root, "there is no such file system") from None
    except (pa.ArrowException, OSError) as error:
        raise UnopenableError(root, first_line(error)) from None
    # what follows are settings of the file system; Spark's own S3 is s3a, however it is written
    plain = root.partition("?")[0]
    return Folder(_S3.sub("s3a://", plain), system, base, create=_creating(plain, setting))


def _system_of(root: str, setting: Setting) -> tuple[fs.FileSystem, str]:
    uri, of_spark = _S3.sub("s3://", root), _s3_settings(setting)
    if not (uri.startswith("s3://") and of_spark):
        system, base = fs.FileSystem.from_uri(uri)
        return system, str(base)
    scheme, _, endpoint = of_spark.pop("endpoint_override").partition("://")
    virtual = bool(endpoint) and not _has_path_style(setting)
    more = {"endpoint_override": endpoint} if endpoint else {}
    system = fs.S3FileSystem(scheme=scheme, force_virtual_addressing=virtual, **of_spark, **more)
    return system, uri.removeprefix("s3://")


def _s3_settings(setting: Setting) -> dict[str, str]:
    """Spark's settings for S3, by Arrow's names; the endpoint with its scheme."""
    every = {ours: setting(f"spark.hadoop.fs.s3a.{of}") for ours, of in _S3_SETTINGS.items()}
    by_name = {name: value for name, value in every.items() if value}
    if by_name and "://" not in (endpoint := by_name.get("endpoint_override", "")):
        plain = setting("spark.hadoop.fs.s3a.connection.ssl.enabled") == "false"
        by_name["endpoint_override"] = f"{'http' if plain else 'https'}://{endpoint}"
    return by_name


def _has_path_style(setting: Setting) -> bool:
    return setting("spark.hadoop.fs.s3a.path.style.access") == "true"


def _creating(root: str, setting: Setting) -> Callable[[str, bytes], bool] | None:
    """A function that puts a file where none is, or returns False; None where there is no client.

    Paths are Arrow's, whose first part is the bucket.
    """
    scheme, _, rest = _S3.sub("s3://", root).partition("://")
    if scheme not in _EXCLUSIVE or not find_spec("obstore"):
        return None
    obstore, stores = import_module("obstore"), import_module("obstore.store")
    given = _s3_settings(setting) if scheme == "s3" else {}
    config: dict[str, Any] = {_OF_OBSTORE.get(name, name): value for name, value in given.items()}
    if config.get("endpoint", "").endswith("://"):
        del config["endpoint"]
    if "endpoint" in config:
        config["virtual_hosted_style_request"] = not _has_path_style(setting)
    bucket = f"{scheme}://{rest.partition('/')[0]}"

    def create(path: str, content: bytes) -> bool:
        try:  # readers, who come here too, need no client
            store = stores.from_url(bucket, config=config, client_options={"allow_http": True})
            obstore.put(store, path.partition("/")[2], content, mode="create")
        except obstore.exceptions.AlreadyExistsError:
            return False
        except obstore.exceptions.BaseError as error:
            raise OSError(f"{path} can't be made: {first_line(error)}") from None
        return True

    return create


def check_writable(out: Where) -> None:
    """Raise InputError when a local folder can't be written, before any work is done.

    Where Hadoop is configured a path may mean another file system: that shows when it is written.
    """
    if isinstance(out, CatalogSchema):
        return
    local = out.removeprefix("file:")
    if "://" in local or "HADOOP_CONF_DIR" in os.environ:
        return
    nearest = Path(local).absolute()
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.is_dir():
        raise InputError(f"output {out} can't be written: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"output {out} can't be written: no permission for {nearest}")
    try:  # under /proc, or an automount, permission says nothing
        Path(mkdtemp(prefix=".", dir=nearest)).rmdir()
    except OSError:
        raise InputError(f"output {out} can't be written: {nearest} takes no folders") from None


def files_of(
    store: str, table: str, snapshot: str, session: SparkSession | None = None
) -> list[str]:
    """The committed files of one table of a snapshot or a result, for any program to read.

    With a `session` its settings say how `store` is reached. InputError where there is no such
    table, UnreadableError where one of its files is missing or broken.
    """
    place = folder_of(session, store) if session else open_folder(store)
    parts = place.parts(table, snapshot)
    if parts is None:
        raise InputError(f"{store} has no table {table} of snapshot {snapshot}")
    return [*parts.paths]
