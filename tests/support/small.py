"""A store of two groups, which tests of commands work on, and what they read of results."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.support.fleets import SNAPSHOT, Fleet

EARLIER = "20261121T050000Z"


def small() -> Fleet:
    """Two partitions with a, who gives one to b; and a group that can't be planned."""
    fleet = Fleet().topic("t", 2)
    fleet.group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a"), ("t", 1, "a")])
    return fleet.group("nobody", {})


def troubled(*more: tuple[str, int, str]) -> Fleet:
    """Nobody owns a partition, which is a warning; with `TWO_OWNERS` one is critical."""
    fleet = Fleet().topic("t", 4)
    claims = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "b"), *more]
    return fleet.group("g", {"a": ["t"], "b": ["t"]}, claims).group("nobody", {})


TWO_OWNERS = ("t", 0, "b")


def rows(folder: Path, snapshot: str = SNAPSHOT) -> list[dict[str, Any]]:
    """Of a table that a command has written."""
    (part,) = (folder / f"snapshot={snapshot}").glob("*.parquet")
    return list(pq.ParquetFile(part).read().to_pylist())
