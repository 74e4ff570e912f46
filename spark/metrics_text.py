"""Prometheus's text format 0.0.4, for node_exporter's textfile collector."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from spark.errors import InputError
from spark.text import shorten

Sample = tuple[Mapping[str, str], float]
"""Labels and a value."""

Family = tuple[str, str, Iterable[Sample]]
"""A metric's name, what it is, and its series."""


def metrics_text(families: Iterable[Family]) -> str:
    """The text of a file of gauges; a label's value of any length and any characters is taken."""
    return "".join(line for family in families for line in _lines(*family))


def _lines(name: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}\n# TYPE {name} gauge\n"
    for labels, value in samples:
        label_text = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
        yield f"{name}{{{label_text}}} {float(value):.12g}\n"


def _escape(text: str) -> str:
    """A label's value, as the text format wants it; a long one is shortened, and stays its own."""
    return shorten(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def check_metrics(path: Path) -> None:
    """Raise InputError when the file can't be written, before any work is done."""
    if not path.parent.is_dir():
        raise InputError(f"metrics {path} can't be written: {path.parent} is not a folder")
    if path.is_dir():
        raise InputError(f"metrics {path} can't be written: it is a folder")
    if path.suffix != ".prom":
        raise InputError(
            f"metrics {path} would not be read: node_exporter's textfile collector takes files "
            f"named *.prom alone; name it {path.with_suffix('.prom').name}"
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"metrics {path} can't be written: no permission for {path.parent}")
