"""Times each command on the demo's fleet as a user runs it, cold.

    python -m tests.bench.cold_commands --runs 2 --beside ../older-checkout --json cold.json

Every run is a new process of `bin/evenfleet`; processor time is that of all processes, Java's and
the workers' included (Linux only). `--beside` times another checkout, in turns with this one.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.stopwatch import Row, Stopwatch, bench, run_command
from tests.paths import ROOT

STORE, PLAN = "demo/store", "demo/plan"

COMMANDS = {
    "plan": ["plan", STORE, "--out", "out/plan"],
    "verify": ["verify", STORE, PLAN],
    "compare": ["compare", STORE, "--out", "out/compare"],
    "audit": ["audit", STORE, "--out", "out/audit"],
    "explain": ["explain", STORE, "--cluster", "prod-eu-west", "--group", "billing-archiver"],
    "snapshots": ["snapshots", STORE],
    "graph": ["graph", STORE, "--question", "reach", "--broker", "1"],
    "config": ["config", "--group", "payments-1", "--cluster", "prod-eu-west"],
    "help": ["--help"],
    "bad input": ["plan", "nowhere", "--out", "out/nothing"],
    "demo": ["demo", "--out", "out/demo"],
}


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    """A row a command and checkout."""
    checkouts = {"": ROOT} | ({", other checkout": options.beside} if options.beside else {})
    with tempfile.TemporaryDirectory(prefix="evenfleet-bench-") as place:
        folder = Path(place)
        for checkout in checkouts.values():
            run_command([f"{checkout}/bin/evenfleet", "snapshots"], folder)  # installs what lacks
        run_command([f"{ROOT}/bin/evenfleet", "demo", "--out", "demo"], folder)
        for name in options.only.split(","):
            timed = Stopwatch()
            for _ in range(options.runs):
                for suffix, checkout in checkouts.items():
                    with timed(name + suffix):
                        run_command([f"{checkout}/bin/evenfleet", *COMMANDS[name]], folder)
            yield from timed.rows()


if __name__ == "__main__":
    bench(
        __doc__,
        rows_of,
        runs={"type": int, "default": 1},
        beside={"type": Path, "metavar": "CHECKOUT", "help": "another one, for comparison"},
        only={
            "default": ",".join(COMMANDS),
            "help": "names, separated by commas; all: %(default)s",
        },
    )
