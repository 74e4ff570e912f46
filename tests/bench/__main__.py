"""Runs all benchmarks in small sizes, and names the jobs that became slower by a fifth.

    python -m tests.bench                              compare with baseline.json: some minutes
    python -m tests.bench --only plan_fleet --update   measure that one, and keep its figures

Figures are processor times divided by that of a yardstick in the same process, so that they hold
on machines of any speed. A job that seems slower is measured once more, and the less counts. The
exit code is 1 where a job is slower, or a benchmark fails.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.paths import ROOT

SMALL = {
    "plan_fleet": "--groups 200 --runs 3",
    "audit_fleet": "--groups 100 --runs 3",
    "compare_fleet": "--groups 100 --runs 3",
    "report_fleet": "--groups 100 --runs 2",
    "whatif_fleet": "--groups 100 --runs 2",
    "replay_fleet": "--groups 60 --runs 2 --snapshots 6",
    "many_snapshots": "--groups 60 --snapshots 48",
    "cold_commands": "--runs 2 --only plan,compare,audit,explain,help",
    "weights_grid": "--groups 40",
    "java_grid": "--alone --quick",
    "replica_grid": "--brokers 30 --partitions 10000",
    "faults": "--faults 6",
}
"""What is measured, and the options of each; `faults` has no figures, but fails if one is wrong."""

BASELINE = Path(__file__).with_name("baseline.json")

SLOWER, NOISE = 1.2, 0.05
"""A job is slower if it takes a fifth more than before, and that is this part of a yardstick."""

Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=SMALL, help="repeatable")
    parser.add_argument("--update", action="store_true", help=f"write {BASELINE.name}")
    options = parser.parse_args()
    baseline: dict[str, Figures] = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    wrong = []
    for name in options.only or SMALL:
        figures, before = measured(name), {} if options.update else baseline.get(name, {})
        if figures is None:
            wrong.append(f"{name} failed.")
            continue
        if slower(figures, before):
            again = measured(name) or figures
            figures = {job: min(ratio, again.get(job, ratio)) for job, ratio in figures.items()}
        for job, ratio in figures.items():
            print(f"{name:16} {job:45} {ratio:8.2f}  before: {before.get(job, '-')}", flush=True)
        wrong += [f"{name}, {job}: {change}" for job, change in slower(figures, before).items()]
        baseline[name] = figures
        if options.update:
            text = json.dumps(
                {name: baseline[name] for name in SMALL if name in baseline}, indent=2
            )
            BASELINE.write_text(f"{text}\n", encoding="utf-8")
    sys.exit("\n".join(wrong) or 0)


def measured(name: str) -> Figures | None:
    """Processor time of each job in yardsticks, its rows added up; None if a benchmark fails."""
    with tempfile.TemporaryDirectory(prefix="evenfleet-bench-") as folder:
        file = Path(folder) / "figures.json"
        words = [f"tests.bench.{name}", *SMALL[name].split(), "--json", str(file)]
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            return None
        figures = json.loads(file.read_text(encoding="utf-8"))
    total: Counter[str] = Counter()
    for row in figures.get("rows", ()):
        total[row["what"]] += row.get("processor_s", 0)
    return {job: round(used / figures["yardstick_s"], 2) for job, used in total.items() if used}


def slower(figures: Figures, before: Figures) -> dict[str, str]:
    """The jobs that take longer than before, and how much."""
    return {
        job: f"{ratio / before[job]:.2f} times as long as before"
        for job, ratio in figures.items()
        if ratio > max(SLOWER * before.get(job, ratio), before.get(job, ratio) + NOISE)
    }


if __name__ == "__main__":
    main()
