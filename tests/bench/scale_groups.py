"""Times policies over recorded rates, and the bound, without Spark: days and groups, in processes.

Rates are made up: hourly, with days and nights, 24 partitions a group, a third of the groups too
small for their rates. Shows that time grows in proportion to days and to groups.

    python tests/bench/scale_groups.py --groups 300 --days 30 --processes 2
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from optimizer.scaling import OFFERED, Assignments, Pauses, Process, least_costs, replay

PARTITIONS, HOUR, PEAK_RATE = 24, 3600.0, 500.0
STRATEGIES = ("range", "cooperative-sticky", "uniform")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--groups", type=int, default=300)
    options.add_argument("--days", type=int, default=30)
    options.add_argument("--processes", type=int, default=2)
    inputs = options.parse_args()
    for groups, days in (
        (inputs.groups // 2, inputs.days),
        (inputs.groups, max(1, inputs.days // 2)),
        (inputs.groups, inputs.days),
    ):
        seconds, used = timed(groups, days, inputs.processes)
        print(f"{groups} groups, {days} days: {seconds:.1f} s, {used:.1f} s of processor time")


def timed(groups: int, days: int, processes: int) -> tuple[float, float]:
    """Wall and processor seconds."""
    start = time.perf_counter()
    shares = [range(at, groups, processes) for at in range(processes)]
    with ProcessPoolExecutor(processes) as pool:
        used = sum(pool.map(replayed, shares, [days] * processes))
    return time.perf_counter() - start, used


def replayed(numbers: range, days: int) -> float:
    """Processor seconds for these groups under the policies that are offered, and the bound."""
    start = time.process_time()
    made = [process(number, days) for number in numbers]
    replay(made, OFFERED)
    least_costs(made)
    return time.process_time() - start


def process(number: int, days: int) -> Process:
    """A group of 24 partitions; by day more comes in than by night."""
    rng = np.random.default_rng(number)
    hours = np.arange(24 * days)
    of_day = 1 + 0.8 * np.sin(hours / 24 * 2 * np.pi + rng.uniform(0, 6))
    noise = rng.uniform(0.9, 1.1, len(hours))
    rates = rng.uniform(20, 60 if number % 3 else 150, PARTITIONS) * (of_day * noise)[:, None]
    strategy = STRATEGIES[number % 3]
    return Process(
        edges=np.arange(len(hours) + 1) * HOUR,
        rates=rates,
        recorded=np.full(len(hours), 6),
        peak_rate=PEAK_RATE,
        assignments=Assignments({"orders": PARTITIONS}, strategy),
        pauses=Pauses(strategy),
    )


if __name__ == "__main__":
    main()
