"""Who shows a bound, in words."""

from collections.abc import Sequence

import numpy as np

from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import Prices, Search, Set
from optimizer.checker.weighted.shown import confined
from optimizer.figures import counted, figure
from optimizer.model import Flags, IntArray, Problem, Weights

NAMED = 3
"""Names that a sentence lists; the rest are counted."""


class Sentences:
    """Sentences about a group by weight."""

    def __init__(self, problem: Problem, kinds: Kinds, weights: Weights) -> None:
        self._problem, self._kinds, self._weights = problem, kinds, weights

    def shown(self, shown: Set | Prices | Search, largest: float) -> str:
        """What shows the bound, and how far the plan's largest load is above it."""
        least = self._weights.stated_bound(shown.level + 1)
        gap = largest / least - 1 if 0 < least < largest else 0.0
        return f"{self._why(shown, least)}; the plan's largest is {figure(largest)} (gap {gap:.2%})"

    def _why(self, shown: Set | Prices | Search, least: float) -> str:
        if isinstance(shown, Prices):
            return (
                f"no assignment of {counted(int(np.count_nonzero(shown.prices)), 'partition')} "
                f"leaves every member below {figure(least)} a unit of capacity (shown by their "
                "prices)"
            )
        if isinstance(shown, Search):
            return f"of all assignments none is below {figure(least)} a unit of capacity"
        problem, weights = self._problem, self._weights
        indices = confined(self._kinds, weights, shown)
        weight = weights.of_partition[indices] * weights.weight_unit
        if shown.members.any():
            return self._of_set(shown.members, indices, float(weight.sum()), least)
        if not len(indices):
            return "nothing weighs anything"
        name = problem.partition_name(int(indices[weight.argmax()]))
        return f"{name} alone weighs {figure(float(weight.max()))}, and one member has to read it"

    def _of_set(self, members: Flags, indices: IntArray, weight: float, least: float) -> str:
        """Some members, or all, show it by what they have to read."""
        problem, capacity = self._problem, float(self._weights.raw_capacity[members].sum())
        readers = "all members have to"
        if not members.all():
            names = [problem.member_ids[m] for m in members.nonzero()[0].tolist()]
            readers = f"only {_listed(names)} can"
        topics = [
            problem.topics[t] for t in np.bincount(problem.topic_of[indices]).nonzero()[0].tolist()
        ]
        return (
            f"{readers} read {_listed(topics)}, {figure(weight)} for a capacity of "
            f"{figure(capacity)}: one of them has at least {figure(least)} a unit"
        )


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
