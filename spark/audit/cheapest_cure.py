"""The cheapest change that evens out one uneven group, as advice to it."""

import numpy as np

from optimizer.model import IntArray, Problem, StrategyError, weights_of
from optimizer.strategies import STRATEGIES, is_of_broker, sticky_for
from spark.audit.facts import GroupFacts
from spark.groups import own_strategy, read_or_failed

CURES = {
    "cooperative-sticky": "Set partition.assignment.strategy to cooperative-sticky: as even here "
    "as the best plan.",
    "uniform": "Move the group to the new protocol with uniform: as even here as the best plan.",
}
"""How to change to each of Kafka's assignors that keep what they can."""

AT_BROKER = "Set group.remote.assignor of all members to {}: as even here as the best plan."
"""The same for a group of the consumer protocol, whose broker assigns."""

REJOIN = "Restart one member: the group's assignor, {}, then reaches the best plan's largest load."

PLAN = "No assignor of Kafka's is as even here: `evenfleet plan` shows the best assignment."

PLAN_BY_WEIGHT = (
    "Plan it by weight with `evenfleet plan`: Kafka's assignors count partitions, and leave one "
    "member too heavy here."
)

HEAVY = 1.25
"""Weight ÷ that in a plan by weight from which on an assignor doesn't suffice."""

MAX_PARTITIONS = 50_000
"""Assignors aren't tried in larger groups."""


def cure_of(group: GroupFacts) -> str | None:
    """Advice to an uneven group; None where it is too large to try Kafka's assignors."""
    own = own_strategy(group.row)
    if group.is_homogeneous and group.weighed is None:
        # no assignor gives a member more than ⌈partitions ÷ members⌉ there: the best plan's load
        return _change_to(sticky_for(own)[0], own)
    problem = group.weighed or read_or_failed(group.row).problem
    if problem is None or problem.partition_count > MAX_PARTITIONS:
        return None
    return cheapest_cure(problem, group.plan.max_load, own, group.by_weight)


def cheapest_cure(
    problem: Problem, max_load: int, own: str | None = None, by_weight: IntArray | None = None
) -> str:
    """The cheapest of Kafka's assignors that reaches `max_load` partitions, or a plan.

    `own` is the group's strategy. With a plan `by_weight`, the assignor must also keep each
    member's weight near to it.
    """
    for name in sticky_for(own):
        if _suffices(name, problem, max_load, by_weight):
            return _change_to(name, own)
    return PLAN if by_weight is None else PLAN_BY_WEIGHT


def _change_to(name: str, own: str | None) -> str:
    if name == own:
        return REJOIN.format(name)
    return AT_BROKER.format(name) if is_of_broker(own) else CURES[name]


def _suffices(name: str, problem: Problem, max_load: int, by_weight: IntArray | None) -> bool:
    """Whether no member has more partitions than in the plan, or is too heavy."""
    try:
        target = STRATEGIES[name].assign(problem).target
    except StrategyError:
        return False
    if int(np.bincount(target[target >= 0], minlength=1).max()) > max_load:
        return False
    if by_weight is None:
        return True
    weights = weights_of(problem)
    return weights.level_of(target) < HEAVY * weights.level_of(by_weight)
