"""Assign one group's partitions: the call of the library."""

from optimizer.model import DEFAULT_GOALS, Goals, Group, check_group, problem_of, resolve_balance
from optimizer.plan import Plan, plan_of
from optimizer.strategies import OPTIMAL, strategy_named


def assign(group: Group, strategy: str = OPTIMAL, goals: Goals = DEFAULT_GOALS) -> Plan:
    """Plan `group` by the strategy of that name.

    `goals` are those of the strategy `optimal`; the others are Kafka's and have their own. Local
    reads are counted for all of them in the meaning of `goals.rack`.

    Raises ValueError for an unknown strategy, `InvalidGroupError` for a malformed group (all its
    faults at once), and `StrategyError` where Kafka's own code would throw.
    """
    planner = strategy_named(strategy)
    problem, notes = problem_of(group, check_group(group))
    goals = resolve_balance(goals, problem)
    return plan_of(strategy, problem, planner.assign(problem, goals), notes, goals)
