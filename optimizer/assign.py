"""Assign one group's partitions: the call of the library."""

from optimizer.group import Group, check
from optimizer.names import problem_of
from optimizer.plan import Plan, plan_of
from optimizer.strategies import strategy as strategy_named


def assign(group: Group, strategy: str = "optimal") -> Plan:
    """Plan `group` by the strategy of that name.

    Raises ValueError for an unknown strategy, `InvalidGroupError` for a malformed group (all its
    faults at once), and `StrategyError` where Kafka's own code would throw.
    """
    answer_of = strategy_named(strategy)
    check(group)
    problem, notes = problem_of(group)
    return plan_of(strategy, problem, answer_of(problem), notes)
