"""Plans of groups in which partitions of several topics go to the same member together."""

from optimizer.model import Answer, Goals, LimitsError, Problem, Units, units_of
from optimizer.solver.limits import check_limits
from optimizer.solver.solve import solve
from optimizer.solver.weighted import WeightedSolution, solve_by_weight


def solve_together(problem: Problem, goals: Goals) -> Answer:
    """The plan by count of a group whose limits have a `copartition`.

    Where all units have as many partitions it is the best, as of any group of that size. Units of
    several sizes have to be packed, which is NP-hard: then it is the lowest that is found.
    """
    check_limits(problem, goals)
    units = units_of(problem, goals.limits)
    if units.size is None:
        try:
            result = solve_by_weight(units.by_count(), units.goals_by_count(goals)).target
        except LimitsError:  # which speaks of weights, since it was asked for them
            raise LimitsError(
                "no plan was found that keeps to max_partitions where partitions of "
                "copartition go to the same member; there may be one: allow more, or add members"
            ) from None
        target = units.expand(result)
        return Answer(target, target)
    answer = solve(units.problem, units.goals(goals))
    target = units.expand(answer.target)
    rival = None if answer.rival is None else units.expand(answer.rival)
    return Answer(target, target, answer.reason, rival)


def solve_together_by_weight(problem: Problem, goals: Goals) -> tuple[WeightedSolution, Units]:
    """The plan by weight, in units, and the units."""
    check_limits(problem, goals)
    units = units_of(problem, goals.limits)
    if goals.max_partitions and units.size is None:
        raise LimitsError(
            "max_partitions can't be kept to by weight where topics that go together have "
            "different numbers of partitions: use max_weight, or leave one of them out"
        )
    return solve_by_weight(units.problem, units.goals(goals)), units
