"""Assign one group's partitions: the call of the library."""

from optimizer.goals import DEFAULT_GOALS, Goals
from optimizer.group import Group, check
from optimizer.names import problem_of
from optimizer.plan import Plan, plan_of
from optimizer.strategies import strategy as strategy_named
from optimizer.strategies.optimal import assign_optimally


def assign(group: Group, strategy: str = "optimal", goals: Goals = DEFAULT_GOALS) -> Plan:
    """Plan `group` by the strategy of that name.

    `goals` are those of the strategy `optimal`; the others are Kafka's and have their own. Local
    reads are counted for all of them in the meaning of `goals.rack`.

    Raises ValueError for an unknown strategy, `InvalidGroupError` for a malformed group (all its
    faults at once), and `StrategyError` where Kafka's own code would throw.
    """
    answer_of = strategy_named(strategy)
    check(group)
    problem, notes = problem_of(group)
    is_optimal = answer_of is assign_optimally
    answer = assign_optimally(problem, goals) if is_optimal else answer_of(problem)
    return plan_of(strategy, problem, answer, notes, goals)
