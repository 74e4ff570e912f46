"""Why partitions move in a plan by weight, and why it can't be much lower."""

from dataclasses import dataclass, field

import numpy as np

from optimizer.checker import check_assignment, kinds_of
from optimizer.figures import figure
from optimizer.model import NOBODY, Goals, IntArray, Problem, limits_of, weights_of
from optimizer.reasons.explain import Explanation

TAKEN = "; its limits take that"


@dataclass(frozen=True)
class WeightExplanation(Explanation):
    """The sentences on a plan by weight: one a moved partition, and one on the bound."""

    lines: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        return self.lines


def explain_by_weight(
    problem: Problem, target: IntArray, goals: Goals, certificate: bytes | None = None
) -> WeightExplanation:
    """Say where each partition that moves weighs less, in the order of the partitions.

    `target` must be an assignment of the group; `certificate` is what shows the plan's bound.
    """
    weights, ids = weights_of(problem), problem.member_ids
    may_keep = kinds_of(problem).pair_of(problem.owner) >= 0
    result = np.where(may_keep, problem.owner, NOBODY)
    before, after = (weights.stated_loads(owners).tolist() for owners in (result, target))

    def had(member: int) -> str:
        return f"{ids[member]}, which had {figure(before[member])}"

    limits, report = limits_of(problem, goals.limits), []
    for p in np.flatnonzero(may_keep & (target != problem.owner)).tolist():
        giver, taker = int(problem.owner[p]), int(target[p])
        weight = figure(float(weights.of_partition[p]) * weights.weight_unit)
        report.append(
            f"{problem.partition_name(p)} (weight {weight}) moves from {had(giver)}, to "
            f"{had(taker)}: they will have {figure(after[giver])} and "
            f"{figure(after[taker])}"
            + (TAKEN if limits and not limits.allowed[limits.row_of[p], giver] else "")
        )
    verdict = check_assignment(problem, target, certificate, goals)
    return WeightExplanation([], [], report + ([verdict.weight.shown] if verdict.weight else []))
