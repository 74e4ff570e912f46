"""How long a store of a year by the hour takes to be listed, and the newest of it to be found.

    python -m tests.bench.year_of_snapshots --snapshots 8760

Small files, as many as there would be: what is measured is how many are looked at, and how. Times
are of processors, the start of the command left out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from spark.demo import demo_fleet
from spark.files import LocalStore
from spark.fleet import (
    MAX_AGE,
    Retention,
    Stored,
    compositions,
    contents_of,
    now_in_utc,
    pruning_of,
    scattered_in,
    whole,
    write_store,
)
from spark.terminal.quick_start import size_of
from tests.bench.many_snapshots import lengthened

NEWEST = datetime(2026, 11, 21, 6, tzinfo=UTC)


def make(store: Path, snapshots: int) -> None:
    """One snapshot of ours, and copies of it with their manifests."""
    oldest = NEWEST - timedelta(hours=snapshots - 1)
    made = store.with_name("made")
    write_store(demo_fleet(6, seed=5), made, f"{oldest:%Y%m%dT%H%M%SZ}")
    lengthened(made, store, snapshots)


def main() -> None:
    """Print the seconds of each look."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--snapshots", type=int, default=8760)
    with tempfile.TemporaryDirectory(prefix="evenfleet-year-") as folder:
        store = Path(folder) / "store"
        make(store, parser.parse_args().snapshots)
        for name, job in _jobs(store).items():
            started = time.process_time()
            job()
            print(f"{name:40} {time.process_time() - started:6.2f} s")


def _jobs(store: Path) -> dict[str, Callable[[], object]]:
    place = LocalStore(store)

    def listed(last: int) -> object:
        seen = place.for_one_look()
        states = Stored.in_source(seen).states
        return contents_of(seen, [*states][-last:])

    return {
        "the newest fleet": lambda: compositions(
            place, str(store), whole(place, str(store)), MAX_AGE
        ),
        "how large it is": lambda: size_of(str(store)),
        "a list of the newest 24": lambda: listed(24),
        "a list of all": lambda: listed(1_000_000),
        "what has had its time": lambda: pruning_of(
            place, str(store), Retention(timedelta(days=90), 1), now_in_utc()
        ),
        "what lies in too many files": lambda: scattered_in(place),
    }


if __name__ == "__main__":
    main()
