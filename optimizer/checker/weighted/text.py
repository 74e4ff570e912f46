"""Who shows a bound, in words."""

from collections.abc import Sequence

import numpy as np

from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import Prices, Search, Set
from optimizer.checker.weighted.shown import confined
from optimizer.figures import counted, figure
from optimizer.model import Problem, Weights

NAMED = 3
"""Names that a sentence lists; the rest are counted."""


class Sentences:
    """Sentences about a group by weight."""

    def __init__(self, problem: Problem, kinds: Kinds, weights: Weights) -> None:
        self._problem, self._kinds, self._weights = problem, kinds, weights

    def shown(self, shown: Set | Prices | Search, largest: float) -> str:
        """What shows the bound, and how far the plan's largest load is above it."""
        least = self._weights.stated_bound(shown.level + 1)
        reached = describe_largest(largest, least)
        if isinstance(shown, Prices):
            return describe_prices(int(np.count_nonzero(shown.prices)), least, reached)
        if isinstance(shown, Search):
            return f"of all assignments none is below {figure(least)} a unit of capacity; {reached}"
        if not shown.members.any():
            return self._alone(shown, reached)
        return self._of_set(shown, reached)

    def _alone(self, shown: Set, reached: str) -> str:
        """A partition that is too heavy for all of its readers."""
        weights = self._weights
        indices = confined(self._kinds, weights, shown)
        if not len(indices):
            return f"nothing weighs anything; {reached}"
        p = int(indices[np.argmax(weights.of_partition[indices])])
        weight = float(weights.of_partition[p]) * weights.weight_unit
        return describe_heaviest(self._problem.partition_name(p), weight, reached)

    def _of_set(self, shown: Set, reached: str) -> str:
        problem, weights = self._problem, self._weights
        indices = confined(self._kinds, weights, shown)
        topics = [problem.topics[t] for t in np.unique(problem.topic_of[indices]).tolist()]
        members = [problem.member_ids[m] for m in shown.members.nonzero()[0].tolist()]
        return describe_set(
            None if shown.members.all() else members,
            topics,
            float(weights.of_partition[indices].sum()) * weights.weight_unit,
            float(weights.raw_capacity[shown.members].sum()),
            weights.stated_bound(shown.level + 1),
            reached,
        )


def describe_largest(largest: float, bound: float) -> str:
    """How far a plan is above its bound."""
    gap = largest / bound - 1 if 0 < bound < largest else 0.0
    return f"the plan's largest is {figure(largest)} (gap {gap:.2%})"


def describe_prices(priced: int, bound: float, reached: str) -> str:
    """The partitions that prove it by their prices, in words."""
    return (
        f"no assignment of {counted(priced, 'partition')} leaves every member below "
        f"{figure(bound)} a unit of capacity (shown by their prices); {reached}"
    )


def describe_heaviest(name: str, weight: float, reached: str) -> str:
    """One partition shows it alone."""
    return f"{name} alone weighs {figure(weight)}, and one member has to read it; {reached}"


def describe_set(
    members: Sequence[str] | None,
    topics: Sequence[str],
    weight: float,
    capacity: float,
    least: float,
    reached: str,
) -> str:
    """Some members, or all (None), show it by what they have to read."""
    readers = "all members have to" if members is None else f"only {_listed(members)} can"
    return (
        f"{readers} read {_listed(topics)}, {figure(weight)} for a capacity of {figure(capacity)}: "
        f"one of them has at least {figure(least)} a unit; {reached}"
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
