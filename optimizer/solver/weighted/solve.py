"""The plan by weight: the highest load, then moves, then the rest; and the bound that it has.

Also plans of groups in which partitions of several topics go to the same member together.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer.figures import figure, plural
from optimizer.flow import taken_in
from optimizer.model import (
    NOBODY,
    Answer,
    Flags,
    Goals,
    IntArray,
    LimitsError,
    LimitSet,
    Problem,
    TimeLimitError,
    Units,
    classes_of,
    host_level,
    hosts_of,
    limits_of,
    on_hosts,
    units_of,
)
from optimizer.solver.limits import check_limits, clash_error, first_names, smallest_clash
from optimizer.solver.solve import solve
from optimizer.solver.weighted.capped import CappedSearch, caps_of, gain_of
from optimizer.solver.weighted.improvements import evened_out, hosts_evened_out
from optimizer.solver.weighted.placing import place_rest
from optimizer.solver.weighted.plans import best_plan, within_budget
from optimizer.solver.weighted.prices import PriceBound, SetBound
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.search import EFFORTS, Search, SearchBound


def check_max_weight(problem: Problem, goals: Goals) -> None:
    """Raise LimitsError if members have to read more than their limits let them, or no one may.

    The error comes where partitions cut into pieces wouldn't fit either, or one is too heavy for
    all of its readers. Otherwise there may be no plan all the same, which is NP-hard to tell.
    """
    by_weight = goals.limits._replace(max_partitions=(), max_per_topic=())
    if not by_weight.max_weight or _too_heavy(problem, goals, by_weight) is None:
        return
    clash = smallest_clash(by_weight.each(), lambda few: _too_heavy(problem, goals, few) is None)
    too_heavy = _too_heavy(problem, goals, clash)
    limits = limits_of(problem, clash)
    assert too_heavy is not None, "a clash has too much"
    assert limits is not None, "a clash has a limit"
    assert limits.most_weight is not None, "a clash of weights has one of these"
    partitions, takers = too_heavy
    weighted = WeightedProblem.of(problem, goals)
    unit, count = weighted.weights.weight_unit, len(partitions)
    topics = first_names([problem.topics[t] for t in np.unique(problem.topic_of[partitions])])
    members = first_names([problem.member_ids[m] for m in takers.nonzero()[0].tolist()])
    raise clash_error(
        clash,
        f"{plural(count, 'partition')} of {topics}, which weigh{'s' * (count == 1)} "
        f"{figure(float(weighted.weight[partitions].sum()) * unit)}, may go to {members} alone, "
        "which may have "
        f"{figure(float(limits.most_weight[takers].sum()) * unit)}",
    )


def _too_heavy(
    problem: Problem, goals: Goals, limit_set: LimitSet
) -> tuple[IntArray, Flags] | None:
    """Partitions that are too heavy together, and all who may have any of them."""
    limits = limits_of(problem, limit_set)
    if limits is None or limits.most_weight is None:
        return None
    weighted = WeightedProblem.of(problem, replace(goals, **limit_set._asdict()))
    most = np.minimum(limits.most_weight, int(weighted.weight.sum()))
    if not weighted.reads.any(axis=1).all():
        return None  # which limits by count tell
    strongest = np.where(weighted.reads, most, 0).max(axis=1, initial=0)
    alone = weighted.read[
        weighted.weight[weighted.read] > strongest[weighted.class_of[weighted.read]]
    ]
    if len(alone):
        return alone[:1], weighted.reads[weighted.class_of[alone[0]]]
    kind, member = weighted.reads.nonzero()
    flow = taken_in(weighted.class_weight, most, kind, member)
    if flow.is_whole:
        return None
    takers = flow.side[len(weighted.class_weight) :][: weighted.members]  # who are too few
    confined = (weighted.reads & ~takers).sum(axis=1) == 0
    return np.sort(weighted.read[confined[weighted.class_of[weighted.read]]]), takers


LARGE = 3_000
"""In larger groups it is tried first whether the plan without caps can be fitted into them."""


ENDED = "its limit of time ended the search: the plan is the lowest found until then"


class WeightedSolution(NamedTuple):
    """A plan, what shows that none is lower, and why it isn't the best, if it isn't."""

    target: IntArray
    bound: SetBound | PriceBound | SearchBound
    reason: str | None = None


def solve_by_weight(problem: Problem, goals: Goals) -> WeightedSolution:
    """The best plan by weight that the effort finds.

    The highest level (load / capacity) comes first. Where partitions have owners, a plan that is
    within the tolerance of the best that can be, by as few moves as the search finds, will do; who
    has none is placed as evenly as possible. With a budget of moves it looks for the lowest level
    that the budget reaches. If the goals name hosts, and there are no caps, weights of hosts are
    then evened out by what costs neither. What isn't worth its moves (`Goals.min_gain`) isn't
    proposed.

    Limits come before all that; raises LimitsError where they can't be met, or no plan was found
    within `Goals.max_weight`. Where TimeLimitError is raised inside, the plan at hand is returned;
    it is raised where none is within the caps so far.
    """
    problem = on_hosts(problem, goals.host)
    check_limits(problem, goals)
    check_max_weight(problem, goals)
    weighted = WeightedProblem.of(problem, goals)
    search = Search(weighted, EFFORTS[goals.effort], goals.tolerance)
    budget = _budget(problem, weighted, goals)
    if goals.pin or goals.exclude:  # a few members are then likely to read too much
        search.better_bound()
    if caps := caps_of(problem, goals):
        capped = CappedSearch(problem, goals, weighted, caps)
        try:
            return _within_caps(search, capped, goals, budget)
        except TimeLimitError:
            if (target := capped.at_hand(goals.min_gain or 0)) is None:
                raise
            return WeightedSolution(target, search.bound, ENDED)
    try:
        return _search(search, problem, goals, budget)
    except TimeLimitError:
        return _at_hand(search, goals, budget)


def _search(search: Search, problem: Problem, goals: Goals, budget: int | None) -> WeightedSolution:
    weighted, reason = search.problem, None
    target = best_plan(search)
    search.offer(target)
    moves = weighted.moves_of(target)
    if budget is not None and moves > budget:
        target = within_budget(weighted, weighted.level_of(target), budget)
        reason = f"{moves} moves would be lower, and {budget} are allowed"
        moves = weighted.moves_of(target)
    if goals.min_gain and moves:
        unmoved = within_budget(weighted, weighted.level_of(target), 0)
        if gain_of(weighted, unmoved, target) < goals.min_gain * moves:
            target, reason = unmoved, f"not worth {plural(moves, 'move')}"
    search.better_bound_for(target)
    level = max(weighted.level_of(target), search.tolerated_level)
    may = (weighted.owner == NOBODY) | (target != weighted.owner)
    target = evened_out(weighted, target, level, may, search.effort.enough)
    if host_level(goals.levels) and (hosts := hosts_of(problem)):
        target = hosts_evened_out(weighted, target, level, may, hosts)
    return WeightedSolution(target, search.bound, reason)


def _at_hand(search: Search, goals: Goals, budget: int | None) -> WeightedSolution:
    """The lowest plan so far that goals allow, and the bound so far: time has run out."""
    weighted, target = search.problem, search.at_hand
    unmoved = place_rest(weighted, weighted.owner)
    if target is None or weighted.level_of(unmoved) <= weighted.level_of(target):
        target = unmoved
    moves = weighted.moves_of(target)
    gain = goals.min_gain and gain_of(weighted, unmoved, target)
    if (budget is not None and moves > budget) or (gain or 0) < (goals.min_gain or 0) * moves:
        target = unmoved
    return WeightedSolution(target, search.bound, ENDED)


def _budget(problem: Problem, weighted: WeightedProblem, goals: Goals) -> int | None:
    """The most that may move beside those that limits take anyhow."""
    budget = goals.budget(problem.partition_count)
    if budget is None:
        return None
    keepable = int(np.count_nonzero(classes_of(problem).keepable))
    return max(0, budget - keepable + int(np.count_nonzero(weighted.owner != NOBODY)))


def _within_caps(
    search: Search, capped: CappedSearch, goals: Goals, budget: int | None
) -> WeightedSolution:
    """The plan where members have caps; bounds are those without."""
    problem, reason = search.problem, None
    fitting = None
    if budget is None and len(problem.read) > LARGE:
        fitting = capped.fit(best_plan(search), search.bound.level, goals.tolerance)

    def lowest_target() -> IntArray:
        tolerance = search.tolerated_level
        if fitting is not None and problem.level_of(fitting) <= tolerance:
            return fitting
        return capped.lowest_plan(search.goal, tolerance, budget)

    target, before = lowest_target(), search.bound.level
    search.better_bound_for(target)
    if search.bound.level > before:
        target = lowest_target()
    moves = problem.moves_of(target)
    if (
        goals.min_gain
        and moves > problem.moves_of(capped.fitting_plan)
        and gain_of(problem, capped.fitting_plan, target) < goals.min_gain * moves
        and capped.fits(capped.fitting_plan)
    ):
        target, reason = capped.fitting_plan, f"not worth {plural(moves, 'move')}"
    search.better_prices(target)
    return WeightedSolution(target, search.bound, reason)


def solve_together(problem: Problem, goals: Goals) -> Answer:
    """The plan by count of a group whose limits have a `copartition`.

    Where all units have as many partitions it is the best, as of any group of that size. Units of
    several sizes have to be packed, which is NP-hard: then it is the lowest that is found.
    """
    check_limits(problem, goals)
    units = units_of(problem, goals.limits)
    if units.size is None:
        try:
            of_units = solve_by_weight(units.by_count(), units.goals_by_count(goals)).target
        except LimitsError:  # which speaks of weights, since it was asked for them
            raise LimitsError(
                "no plan was found that keeps to max_partitions where partitions of "
                "copartition go to the same member; there may be one: allow more, or add members"
            ) from None
        target = units.expand(of_units)
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
