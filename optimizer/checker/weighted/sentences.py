"""Who shows a bound, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import Prices, Set
from optimizer.checker.weighted.shown import confined
from optimizer.model import Problem, Weights

NAMED = 3
"""So many names are told, and how many more there are."""


class Sentences:
    """Sentences about a group by weight."""

    def __init__(self, problem: Problem, kinds: Kinds, weights: Weights) -> None:
        self._problem, self._kinds, self._weights = problem, kinds, weights

    def shown(self, shown: Set | Prices, level: int) -> str:
        """What shows the bound, and how far the plan is above it."""
        weights = self._weights
        bound = shown.level + 1
        gap = level / bound - 1 if bound else 0.0
        reached = f"the plan's largest is {_number(level * weights.unit)} (gap {gap:.2%})"
        least = _number(bound * weights.unit)
        if isinstance(shown, Prices):
            priced = int(np.count_nonzero(shown.prices))
            return (
                f"{priced} partitions can't be dealt so that everybody has less than {least} a "
                f"unit of capacity (shown by their prices); {reached}"
            )
        if not shown.members.any():
            return self._alone(shown, reached)
        return self._together(shown, least, reached)

    def _alone(self, shown: Set, reached: str) -> str:
        """A partition that is too heavy for all of its readers."""
        weights = self._weights
        found = confined(self._kinds, weights, shown)
        if not len(found):
            return f"nothing weighs anything; {reached}"
        p = int(found[np.argmax(weights.of_partition[found])])
        name = self._problem.partition_name(p)
        weight = _number(float(weights.of_partition[p]) * weights.weight_unit)
        return f"{name} alone weighs {weight}, and somebody has to read it; {reached}"

    def _together(self, shown: Set, least: str, reached: str) -> str:
        problem, weights = self._problem, self._weights
        found = confined(self._kinds, weights, shown)
        topics = [problem.topics[t] for t in np.unique(problem.topic_of[found]).tolist()]
        members = [problem.member_ids[m] for m in shown.members.nonzero()[0].tolist()]
        weight = _number(float(weights.of_partition[found].sum()) * weights.weight_unit)
        # A level in parts of what the weight 1 is to the capacity 1, and units of both.
        per_capacity = weights.weight_unit / (weights.unit * weights.parts)
        capacity = _number(float(weights.capacity[shown.members].sum()) * per_capacity)
        who = "all members" if shown.members.all() else f"{_listed(members)} alone"
        may = "have" if shown.members.all() else "may"
        verb = "to read" if shown.members.all() else "read"
        return (
            f"{who} {may} {verb} {_listed(topics)}, {weight} for a capacity of {capacity}: one of "
            f"them has at least {least} a unit; {reached}"
        )


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _number(value: float) -> str:
    return f"{value:.4g}" if value < 10_000 else f"{value:,.0f}"
