"""Makes commands fail in every way at random moments, and looks what is left.

    python -m tests.bench.faults --faults 200 --seed 1 --json faults.json

Each round runs a command on a small fleet while something goes wrong: it is killed or interrupted,
its disk is full, a file that it reads is broken, a name is odd, or it runs twice at once. Then what
was there before must be there, or what the command makes, all of it; the command must have ended
with a sentence; and a table shows how often which happened. Full disks need the rights to mount
small ones (else those rounds are left out), and `collect` needs a broker's jars.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.bench.faults.jobs import Job, jobs_in
from tests.bench.faults.troubles import TROUBLES, Trouble


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="names of jobs, separated by commas")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with (
        tempfile.TemporaryDirectory(prefix="evenfleet-faults-") as folder,
        jobs_in(Path(folder), options.only.split(",") if options.only else None) as jobs,
    ):
        report, wrong = _rounds(jobs, options.faults, chance)
    _print(report, wrong)
    if options.json:
        rows = [{"job": j, "trouble": t, "end": e, "rounds": n} for (j, t, e), n in report.items()]
        Path(options.json).write_text(json.dumps({"rounds": rows, "wrong": wrong}, indent=2))
    sys.exit(1 if wrong else 0)


def _rounds(
    jobs: list[Job], faults: int, chance: random.Random
) -> tuple[Counter[tuple[str, str, str]], list[str]]:
    """How often each job ended how in which trouble, and a sentence for all that was wrong."""
    report: Counter[tuple[str, str, str]] = Counter()
    wrong: list[str] = []
    turns = [(job, trouble) for job in jobs for trouble in TROUBLES if trouble.suits(job)]
    for turn in range(faults):
        if turn % len(turns) == 0:
            chance.shuffle(turns)
        job, trouble = turns[turn % len(turns)]
        started = time.perf_counter()
        end, faults_found = _round(job, trouble, chance)
        report[job.name, trouble.name, end] += 1
        wrong += [f"round {turn}: {job.name}, {trouble.name}: {fault}" for fault in faults_found]
        took = time.perf_counter() - started
        print(f"{turn + 1:4} {job.name:10} {trouble.name:16} {end} ({took:.0f} s)", flush=True)
        for fault in faults_found:
            print(f"     WRONG: {fault}", flush=True)
    return report, wrong


def _round(job: Job, trouble: Trouble, chance: random.Random) -> tuple[str, list[str]]:
    """How a round ended, and what was wrong with that."""
    before = job.state()
    ended = trouble.meet(job, chance)
    faults = [fault for item in ended for fault in item.faults(trouble)]
    after = job.state()
    if isinstance(after, str):
        faults.append(after)
        return "broken", faults
    new = job.would_be(before)
    if after == before:
        end = "as before"
    elif after in new:
        end = "as it should become"
    else:
        end = "something else"
        faults.append(f"neither what was there nor what should come: {after!r}"[:300])
    job.settle()
    return f"{end}, exit {' and '.join(str(item.code) for item in ended)}", faults


def _print(told: Counter[tuple[str, str, str]], wrong: list[str]) -> None:
    print(f"\n{'job':10} {'trouble':16} {'rounds':>6}  end")
    for (job, trouble, end), rounds in sorted(told.items()):
        print(f"{job:10} {trouble:16} {rounds:6}  {end}")
    print(f"\n{sum(told.values())} rounds, {len(wrong)} wrong")
    for name in wrong:
        print(name)


if __name__ == "__main__":
    main()
