"""Times a command on ever more hourly snapshots of the demo's fleet, cold.

    python -m tests.bench.many_snapshots --snapshots 48,480,8760

The store holds the demo's 48 snapshots again and again, under the ids of the hours that follow. Its
files are links to theirs, so a year takes no space of its own. Seconds of wall time, and of all
processes on processors.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from spark.fleet import time_of
from spark.jobs.demo import make_store
from tests.bench.cold_commands import ROOT, SUBREAPER, show, timed

PARTS = ("*/snapshot={}", ".evenfleet/manifests/snapshot={}")
"""The folders of a snapshot in a store."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--command", default="history", help="history, replay, compare or rates")
    parser.add_argument("--snapshots", default="48,480", help="how many, separated by commas")
    parser.add_argument("--groups", type=int, default=300)
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        make_store(options.groups, str(folder / "made"), history=True)
        rows = []
        for snapshots in map(int, options.snapshots.split(",")):
            lengthened(folder / "made", folder / "store", snapshots)
            words = [options.command, "store", *_options_of(options.command)]
            wall, processor = timed([f"{ROOT}/bin/evenfleet", *words], folder)
            said = (folder / "said").read_text("utf-8")
            assert f"Read {snapshots} snapshots" in said, said
            rows.append(
                {
                    "snapshots": snapshots,
                    "wall_s": round(wall, 1),
                    "processor_s": round(processor, 1),
                }
            )
        show(rows)
    finally:
        shutil.rmtree(folder)


def _options_of(command: str) -> list[str]:
    if command == "rates":
        return ["--window", "10000d"]
    every = ["--snapshot", "all"] if command == "compare" else []
    return [*every, "--out", "out"]


def lengthened(made: Path, store: Path, snapshots: int) -> None:
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


if __name__ == "__main__":
    main()
