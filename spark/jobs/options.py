"""Options that several commands have, and the session that they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark.config import Settings
from spark.console import Format
from spark.errors import InputError
from spark.session import session

CHECK_FAILED = 1
"""Exit code of a command that found what it looks for."""

Store = Annotated[str, typer.Argument(help="Folder of snapshots.", show_default=False)]
Out = Annotated[str, typer.Option(help="Folder for the result.", show_default=False)]
Snapshot = Annotated[
    str | None, typer.Option(help="Id like 20261121T060000Z.", show_default="the newest")
]
Master = Annotated[
    str | None, typer.Option(help="Spark master.", show_default="all cores of this machine")
]
Conf = Annotated[
    list[str] | None, typer.Option(help="KEY=VALUE for Spark; repeatable.", show_default=False)
]
Config = Annotated[
    Path | None, typer.Option(help="Settings as in conf/evenfleet.toml.", show_default=False)
]
Form = Annotated[Format, typer.Option("--format", help="How tables are printed.")]


@contextmanager
def opened(
    master: str | None, conf: list[str] | None, settings: Settings
) -> Iterator[SparkSession]:
    """The session of one command; options come last and win over the configuration file."""
    wrong = [option for option in conf or [] if option.find("=") < 1]
    if wrong:
        raise InputError(f"--conf {wrong[0]!r} is not of the form KEY=VALUE")
    stated = settings.spark | dict(option.split("=", 1) for option in conf or [])
    with session(master, stated) as spark:
        yield spark
