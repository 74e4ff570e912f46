"""Times each command on the demo's fleet as a user runs it, cold, and where its time goes.

    python tests/bench/cold_commands.py --runs 2 --beside ../older-checkout --json cold.json

Every run is a new process of `bin/evenfleet`; processor time is that of all processes, Java's and
the workers' included (Linux only). `--beside` times another checkout, in turns with this one. Then
each command runs once more, watched from inside: how its time is divided, and how much it asks of
Spark. Phases are exclusive: `JVM` until Java answers, `session` until Spark does, `reading` while
tables are looked up and opened, `running` in Spark's jobs, `writing` the same for what is kept,
`planning` what lies between them once the session is there: making queries, mostly.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

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

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: whoever a command leaves behind becomes ours to wait for."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--beside", type=Path, help="another checkout, for comparison")
    parser.add_argument("--only", help=f"names, separated by commas: {', '.join(COMMANDS)}")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    selection = options.only.split(",") if options.only else list(COMMANDS)
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    checkouts = {"this": ROOT} | ({"other": options.beside} if options.beside else {})
    try:
        for checkout in checkouts.values():
            timed([f"{checkout}/bin/evenfleet", "--version"], folder)  # installs what is missing
        timed([f"{ROOT}/bin/evenfleet", "demo", "--out", "demo"], folder)
        rows = [
            row for name in selection for row in measured(name, checkouts, folder, options.runs)
        ]
        phases = [watched(name, folder) for name in selection]
    finally:
        shutil.rmtree(folder)
    show(rows)
    show(phases)
    if options.json:
        figures = {"times": rows, "phases": phases}
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


def measured(
    name: str, checkouts: dict[str, Path], folder: Path, runs: int
) -> list[dict[str, Any]]:
    """A row a checkout: medians of wall and processor time, in seconds."""
    times: dict[str, list[tuple[float, float]]] = {path: [] for path in checkouts}
    for _ in range(runs):
        for item, checkout in checkouts.items():
            times[item].append(timed([f"{checkout}/bin/evenfleet", *COMMANDS[name]], folder))
    rows = []
    for item, of_checkout in times.items():
        wall, processor = map(statistics.median, zip(*of_checkout, strict=True))
        rows.append(
            {
                "command": name,
                "checkout": item,
                "wall_s": round(wall, 2),
                "processor_s": round(processor, 2),
            }
        )
    return rows


def timed(words: list[str], folder: Path) -> tuple[float, float]:
    """Wall and processor seconds of a command in that folder, from nothing written there."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    used, started = _of_children(), time.perf_counter()
    with (folder / "said").open("w") as output:
        subprocess.run(words, cwd=folder, stdout=output, stderr=output, check=False)
        wall = time.perf_counter() - started
        while _wait_for_one():
            pass
    return wall, _of_children() - used


def _of_children() -> float:
    """Processor seconds of all children that were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _wait_for_one() -> bool:
    """Wait for one child; whether there was one."""
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def watched(name: str, folder: Path) -> dict[str, Any]:
    """The phases of a command, as `cold_phases` writes them."""
    report = folder / "phases.json"
    report.unlink(missing_ok=True)
    inside = [f"{ROOT}/.venv/bin/python", f"{Path(__file__).parent}/cold_phases.py", str(report)]
    timed([*inside, *COMMANDS[name]], folder)
    return {"command": name} | json.loads(report.read_text(encoding="utf-8"))


def show(rows: list[dict[str, Any]]) -> None:
    """Print rows below the names of their columns."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = [columns, *([str(row.get(column, "")) for column in columns] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    print()


if __name__ == "__main__":
    sys.exit(main())
