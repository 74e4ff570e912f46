"""Holds plans by weight against every assignment of tiny groups, and forged proofs against both.

No bound may be above the optimum, no forged set or price may show what isn't so, and any plan as
low has to move as many partitions as is said.

    python -m tests.bench.weights_by_force --groups 10000
"""

from __future__ import annotations

import argparse

import numpy as np

from optimizer import Goals
from optimizer.checker import Prices, Set, check_assignment, encode_prices, encode_set
from optimizer.strategies.optimal import assign_optimally
from tests.support.weighted_groups import level_unit, levels_by_force, weighted_problem

GOALS = Goals(balance="weight", tolerance=0.0)

FORGED = 10
"""Proofs that are made up for each group."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=10_000)
    groups = parser.parse_args().groups
    wrong = best = exact = shown = 0
    for seed in range(groups):
        problem = weighted_problem(seed)
        every, level, moves = levels_by_force(problem)
        least, unit = int(level.min()), level_unit(problem)
        answer = assign_optimally(problem, GOALS)
        weight = check_assignment(problem, answer.target, answer.certificate, GOALS).weight
        if weight is None:
            raise AssertionError(f"group {seed} isn't judged by weight")
        bound, reached = round(weight.weight_bound / unit), round(weight.max_weight / unit)
        wrong += bound > least or moves[level <= reached].min() < weight.moves_bound
        best += reached == least
        exact += bound == least
        draw = np.random.default_rng(seed)
        for _ in range(FORGED):
            at = max(0, int(least * draw.choice([0.5, 0.9, 0.99, 1.0, 1.0, 1.01, 2.0])) - 1)
            forged = (
                encode_set(Set(at, draw.random(len(problem.member_ids)) < 0.5))
                if draw.random() < 0.5
                else encode_prices(Prices(at, draw.integers(0, 6, problem.partition_count)))
            )
            verdict = check_assignment(problem, every[0], forged, GOALS)
            if verdict.weight is not None and verdict.certificate_fault is None:
                shown += 1
                wrong += at + 1 > least
    print(
        f"{groups} groups: {wrong} wrong; the plan is the best in {best}, the bound in {exact}; of "
        f"{FORGED * groups} forged proofs {shown} show something"
    )


if __name__ == "__main__":
    main()
