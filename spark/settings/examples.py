"""The files of conf/ that come with the package: settings, scenarios, dashboard and alerts."""

from __future__ import annotations

from pathlib import Path

from spark.errors import InputError

CONF = Path(__file__).with_name("conf")
"""In a checkout links to the files of conf/, in a wheel copies of them."""


def example_file(name: str) -> Path:
    """The file of this name, which may lack its ending; InputError lists those that there are."""
    files = [*sorted(CONF.glob("*.*")), *sorted(CONF.glob("*/*"))]
    for path in files:
        if name in (path.name, path.stem):
            return path
    names = ", ".join(path.stem for path in files)
    raise InputError(f"no example {name!r}: choose one of {names}")
