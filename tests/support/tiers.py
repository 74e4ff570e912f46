"""The tiers of the tests: what `bin/test` runs, and what only `bin/test --all` does.

A test without a mark is in the default tier. Each mark stands for a reason to be out of it.
"""

import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tests.paths import ROOT

MARKS = {
    "live": "needs brokers, or Java's jar",
    "ends": "kills, full disks, clusters, wheels, notebooks, browsers: real surroundings",
    "wide": "the rest of random grids and of records, which the default tier runs a part of",
}

FOLDERS = {
    "tests/live": "live",
    "tests/spark/cluster": "ends",
    "tests/spark/connect": "ends",
}
"""Folders whose tests all have a mark; single files have it as `pytestmark`."""

DEFAULT = f"not ({' or '.join(MARKS)})"
"""What `-m` says of the default tier."""


def tiered(cases: Sequence[Any], default: int) -> list[Any]:
    """Cases for `parametrize`: `default` of them, evenly apart, and the others marked `wide`."""
    step = max(len(cases) / default, 1)
    kept = {int(number * step) for number in range(default)}
    return [
        case if at in kept else pytest.param(case, marks=pytest.mark.wide)
        for at, case in enumerate(cases)
    ]


def asks_for_all(changed: Iterable[str]) -> list[str]:
    """The paths of tests/tiers.toml below which something has changed."""
    table = tomllib.loads((ROOT / "tests/tiers.toml").read_text("utf-8"))["all"]
    changed = list(changed)
    return [path for path in table if any(f"{name}/".startswith(f"{path}/") for name in changed)]
