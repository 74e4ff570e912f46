"""Times a command on ever more hourly snapshots of the demo's fleet, cold, and looks at the store.

    python -m tests.bench.many_snapshots --snapshots 48,480,8760

The store holds the demo's 48 snapshots again and again, under the ids of the hours that follow. Its
files are links to theirs, so a year takes no space of its own. `--command none` times only what
lists the store and finds its newest fleet.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

from spark.fleet import (
    MAX_AGE,
    Retention,
    Stored,
    compositions,
    contents_of,
    now_in_utc,
    pruning_of,
    scattered_in,
    time_of,
    whole,
)
from spark.jobs.demo import make_store
from spark.startup.quick_start import size_of
from spark.store import Folder
from tests.bench.stopwatch import Row, Stopwatch, bench, run_command
from tests.paths import ROOT

PARTS = ("*/snapshot={}", ".evenfleet/manifests/snapshot={}")
"""The folders of a snapshot in a store."""

OPTIONS = {
    "rates": ["--window", "10000d"],
}
"""What commands need beside the store and `--out`."""


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="evenfleet-bench-") as place:
        folder = Path(place)
        make_store(options.groups, str(folder / "made"), history=True)
        run_command([f"{ROOT}/bin/evenfleet", "snapshots", "made"], folder)  # installs what lacks
        for snapshots in map(int, options.snapshots.split(",")):
            lengthen(folder / "made", folder / "store", snapshots)
            timed = Stopwatch()
            if options.command != "none":
                words = [options.command, "store"]
                words += OPTIONS.get(options.command, ["--out", "out"])
                with timed(f"{options.command}, {snapshots} snapshots"):
                    output = run_command([f"{ROOT}/bin/evenfleet", *words], folder)
                assert f"Read {snapshots} snapshots" in output, output
            for name, look in looks(folder / "store").items():
                with timed(f"{name}, {snapshots} snapshots"):
                    look()
            yield from timed.rows()


def lengthen(made: Path, store: Path, snapshots: int) -> None:
    """Write a store with this many hourly snapshots, which repeat those of `made`."""
    shutil.rmtree(store, ignore_errors=True)
    ids = sorted(folder.name.partition("=")[2] for folder in (made / "groups").iterdir())
    first = time_of(ids[0])
    assert first is not None
    for hour in range(snapshots):
        new = f"{first + timedelta(hours=hour):%Y%m%dT%H%M%SZ}"
        for part in PARTS:
            for folder in made.glob(part.format(ids[hour % len(ids)])):
                below = folder.relative_to(made).with_name(f"snapshot={new}")
                shutil.copytree(folder, store / below, copy_function=os.link)


def looks(folder: Path) -> dict[str, Callable[[], object]]:
    """What commands ask a store first, without Spark."""
    place, name = Folder(folder), str(folder)

    def listed(last: int) -> object:
        seen = place.for_one_look()
        return contents_of(seen, [*Stored.in_source(seen).states][-last:])

    kept = Retention(timedelta(days=90), 1)
    return {
        "newest fleet": lambda: compositions(place, name, whole(place, name), MAX_AGE),
        "its size": lambda: size_of(name),
        "newest 24 listed": lambda: listed(24),
        "all listed": lambda: listed(1_000_000),
        "snapshots to remove": lambda: pruning_of(place, name, kept, now_in_utc()),
        "tables in many files": lambda: scattered_in(place),
    }


if __name__ == "__main__":
    bench(
        __doc__,
        rows_of,
        command={"default": "history", "help": "history, replay, rates or none"},
        snapshots={"default": "48,480", "help": "how many, separated by commas"},
        groups={"type": int, "default": 300},
    )
