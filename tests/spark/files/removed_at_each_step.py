"""A program that removes a snapshot again and again, and is killed one step later each time.

`python -m tests.spark.files.removed_at_each_step BEFORE FOLDER`: each try has a copy of BEFORE, in
FOLDER/0, FOLDER/1, …; the last one isn't killed.
"""

from __future__ import annotations

import sys

from spark.files import LocalRemoval, LocalStore
from tests.spark.files.killed_at_each_step import OWNED, SNAPSHOT, at_each_step


def remove(place: LocalStore) -> None:
    """Remove the one snapshot that is to go."""
    with LocalRemoval(place, OWNED) as run:
        assert run.remove(SNAPSHOT, place.manifest(SNAPSHOT))


if __name__ == "__main__":
    at_each_step(*sys.argv[1:], remove)
