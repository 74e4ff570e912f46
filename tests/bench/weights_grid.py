"""Times plans by weight on random groups, and shows how far they are from the bound that is shown.

Each set has groups of 3 to 20 members and 2 to 12 topics of 1 to 16 partitions without owners, or
with those that `range` gives (--owners):
subscriptions are the same, in buckets, random, in chains or nested; a quarter of the groups have
capacities of 1, 2 and 4. Gaps are to the bound that the check confirms; times are of the processor,
for the plan alone.

    python -m tests.bench.weights_grid --groups 300 --effort standard
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.model import NOBODY, Flags, Problem, Reals
from optimizer.strategies.optimal import assign_optimally
from optimizer.strategies.range import assign_ranges
from tests.bench.stopwatch import Row, bench

SETS = ("lognormal 1.5", "Zipf 1.1", "mixed", "lognormal 0.5")

KINDS = ("same", "buckets", "random", "chain", "nested")

PERCENTILES = {"median": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    """Gaps and times of each set of groups."""
    goals = Goals(balance="weight", effort=options.effort)
    for name in options.set or SETS:
        gaps, seconds = [], []
        for seed in range(options.groups):
            problem = weighed_problem(seed, name)
            if options.owners:
                problem = replace(problem, owner=assign_ranges(problem).target)
            started = time.process_time()
            assign_optimally(problem, goals)
            seconds.append(time.process_time() - started)
            gaps.append(gap_of(problem, goals))
        gap, ms = np.array(gaps) * 100, np.array(seconds) * 1000
        yield {
            "what": name,
            "processor_s": round(sum(seconds), 3),
            "within 0.1 %": f"{np.mean(gap <= 0.1):.1%}",
            **{f"gap {at} %": f"{np.percentile(gap, q):.3f}" for at, q in PERCENTILES.items()},
            **{f"{at} ms": f"{np.percentile(ms, q):.2f}" for at, q in PERCENTILES.items()},
        }


def gap_of(problem: Problem, goals: Goals) -> float:
    """How far a plan is above the bound that the check finds to be shown."""
    answer = assign_optimally(problem, goals)
    verdict = check_assignment(problem, answer.target, answer.certificate, goals)
    if verdict.weight is None or verdict.certificate_fault:
        raise AssertionError(f"the bound isn't shown: {verdict.certificate_fault}")
    return verdict.weight.weight_gap


def weighed_problem(seed: int, name: str) -> Problem:
    """A random group of a set."""
    draw = np.random.default_rng([seed, SETS.index(name)])
    members, topics = int(draw.integers(3, 21)), int(draw.integers(2, 13))
    sizes = draw.integers(1, 17, topics)
    reads = subscriptions_of(draw, KINDS[seed % len(KINDS)], members, topics)
    sizes[~reads.any(axis=0)] = 0
    count = int(sizes.sum())
    capacities = None
    if draw.random() < 0.25:
        capacities = draw.choice([1.0, 2.0, 4.0], members)
    return Problem(
        member_ids=[f"m{m:02d}" for m in range(members)],
        topics=[f"t{t:02d}" for t in range(topics)],
        topic_offsets=np.cumsum([0, *sizes.tolist()]),
        member_subscription=np.arange(members),
        subscriptions=[row.nonzero()[0] for row in reads],
        owner=np.full(count, NOBODY),
        weights=weights_of_set(draw, name, count),
        capacities=capacities,
    )


def weights_of_set(draw: np.random.Generator, name: str, count: int) -> Reals:
    if name == "mixed":
        name = ("lognormal 0.5", "lognormal 1.0", "lognormal 1.5", "Zipf 1.1")[draw.integers(4)]
    kind, parameter = name.split()
    if kind == "Zipf":
        return draw.permutation(np.arange(1, count + 1) ** -float(parameter)) * 1000.0
    return draw.lognormal(0, float(parameter), count)


def subscriptions_of(draw: np.random.Generator, kind: str, members: int, topics: int) -> Flags:
    """Which members (rows) read which topics."""
    member, topic = np.arange(members)[:, None], np.arange(topics)
    if kind == "same":
        return np.ones((members, topics), np.bool_)
    if kind == "buckets":
        buckets = int(draw.integers(2, 4))
        return (
            draw.integers(0, buckets, members)[:, None] == draw.integers(0, buckets, topics)
        ) | (member == 0)
    if kind == "chain":
        at = member * topics // members
        return (topic == at) | (topic == at + 1) | ((topic == 0) & (at == 0))
    if kind == "nested":
        least = draw.integers(1, topics + 1, members)
        least[0] = topics
        return topic < least[:, None]
    is_found = draw.random((members, topics)) < 0.5
    is_found[draw.integers(0, members, topics), np.arange(topics)] = True
    return is_found


if __name__ == "__main__":
    bench(
        __doc__,
        rows_of,
        groups={"type": int, "default": 300},
        effort={"default": "standard"},
        owners={"action": "store_true", "help": "members own what range gives them"},
        set={"action": "append", "choices": SETS, "help": "all of them otherwise"},
    )
