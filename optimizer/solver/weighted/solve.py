"""The plan by weight: the highest load, then moves, then the rest; and the bound that it has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import NOBODY, Goals, IntArray, Problem, classes_of
from optimizer.solver.limits import check_limits
from optimizer.solver.weighted.budget import gain_of, within_budget
from optimizer.solver.weighted.bundles import without_tiny
from optimizer.solver.weighted.capped import CappedSearch, caps_of
from optimizer.solver.weighted.descent import Descent
from optimizer.solver.weighted.effort import EFFORTS, Effort
from optimizer.solver.weighted.even_out import evened_out
from optimizer.solver.weighted.every import Every, SearchBound
from optimizer.solver.weighted.max_weight import check_max_weight
from optimizer.solver.weighted.most_loaded import SetBound, most_loaded, simple_bound
from optimizer.solver.weighted.perturbations import perturbed
from optimizer.solver.weighted.placing import completed, longest_first
from optimizer.solver.weighted.prices import PriceBound, counted_bound, price_bound
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.relieve import relieved
from optimizer.solver.weighted.shares import by_shares
from optimizer.solver.weighted.undo_moves import undo_moves

MAX_PARTITIONS = 20_000
"""In groups of more partitions the highest load isn't lowered step by step from the owners."""

LARGE = 3_000
"""In larger groups it is tried first whether the plan without caps can be fitted into them."""

ROUNDS = 4
"""So often the rest is evened out where the highest load is stuck."""


class WeightedSolution(NamedTuple):
    """A plan, what shows that none is lower, and why it isn't the best, if it isn't."""

    target: IntArray
    bound: SetBound | PriceBound | SearchBound
    reason: str | None = None


def solve_by_weight(problem: Problem, goals: Goals) -> WeightedSolution:
    """The best plan by weight that the effort finds.

    The highest level (load / capacity) comes first. Where partitions have owners, a plan that is
    within the tolerance of the best that can be, by as few moves as can be found, will do; who has
    none is placed as evenly as can be. With a budget of moves the lowest level is looked for that
    so many reach. What isn't worth its moves (`Goals.min_gain`) isn't proposed.

    Limits come before all that; raises LimitsError where they can't be met, or no plan was found
    within `Goals.max_weight`.
    """
    check_limits(problem, goals)
    check_max_weight(problem, goals)
    facts, effort = WeightedProblem.of(problem, goals), EFFORTS[goals.effort]
    search = _Search(facts, effort, goals.tolerance)
    budget = _budget(problem, facts, goals)
    if goals.pin or goals.exclude:  # a few members are then likely to read too much
        search.better_bound()
    if caps := caps_of(problem, goals):
        return _within_caps(search, CappedSearch(problem, goals, facts, caps), goals, budget)
    reason = None
    target = search.found()
    moves = facts.moves_of(target)
    if budget is not None and moves > budget:
        target = within_budget(facts, facts.level_of(target), budget)
        reason = f"{moves} moves would be lower, and {budget} are allowed"
        moves = facts.moves_of(target)
    if goals.min_gain and moves:
        unmoved = within_budget(facts, facts.level_of(target), 0)
        if gain_of(facts, unmoved, target) < goals.min_gain * moves:
            target, reason = unmoved, f"not worth {moves} move{'s' * (moves != 1)}"
    search.better_bound_for(target)
    level = max(facts.level_of(target), _raised(search.bound.level, goals.tolerance))
    may = (facts.owner == NOBODY) | (target != facts.owner)
    target = evened_out(facts, target, level, may, effort.enough)
    return WeightedSolution(target, search.bound, reason)


def _budget(problem: Problem, facts: WeightedProblem, goals: Goals) -> int | None:
    """How many may move beside those that limits take anyhow."""
    budget = goals.budget(problem.partition_count)
    if budget is None:
        return None
    keepable = int(np.count_nonzero(classes_of(problem).keepable))
    return max(0, budget - keepable + int(np.count_nonzero(facts.owner != NOBODY)))


def _within_caps(
    search: _Search, capped: CappedSearch, goals: Goals, budget: int | None
) -> WeightedSolution:
    """The same where members may have so much and no more: bounds are those without."""
    facts, reason = search.facts, None
    fitting = None
    if budget is None and len(facts.read) > LARGE:
        fitting = capped.fitted(search.found(), search.bound.level, goals.tolerance)

    def lowered() -> IntArray:
        tolerance = _raised(search.bound.level, goals.tolerance)
        if fitting is not None and facts.level_of(fitting) <= tolerance:
            return fitting
        return capped.lowered(search.goal, tolerance, budget)

    target, before = lowered(), search.bound.level
    search.better_bound_for(target)
    if search.bound.level > before:
        target = lowered()
    moves = facts.moves_of(target)
    if (
        goals.min_gain
        and moves > facts.moves_of(capped.unmoved)
        and gain_of(facts, capped.unmoved, target) < goals.min_gain * moves
    ):
        target, reason = capped.unmoved, f"not worth {moves} move{'s' * (moves != 1)}"
    search.better_prices_for(target)
    return WeightedSolution(target, search.bound, reason)


class _Search:
    """What is known of a group by weight: a bound, and the best plan."""

    def __init__(self, facts: WeightedProblem, effort: Effort, tolerance: float) -> None:
        self.facts, self.effort, self._tolerance = facts, effort, tolerance
        self.bound: SetBound | PriceBound | SearchBound = simple_bound(facts)
        self._is_simple = True

    @property
    def goal(self) -> int:
        """A plan at this level is good enough."""
        return _raised(self.bound.level, self.effort.enough)

    def found(self) -> IntArray:
        """The best plan that is found, with few moves where that will do.

        Of a small group that is the best of all, where the bound doesn't show that it is.
        """
        few = self.few_moves() if self.facts.has_owners else None
        found = self.from_scratch() if few is None else few
        if not self._is_proven(found) and self._has_looked_at_all:
            return self._every.fewest_moves(self._enough)
        return found

    @cached_property
    def _every(self) -> Every:
        return Every(self.facts)

    @cached_property
    def _has_looked_at_all(self) -> bool:
        """Look at all assignments where there are few; the bound is then the lowest level."""
        if Every.fits(self.facts):
            self.bound, self._is_simple = SearchBound(self._every.level), False
        return isinstance(self.bound, SearchBound)

    def few_moves(self) -> IntArray | None:
        """A plan from the owners within the tolerance of the bound, if one is found."""
        result = self._within()
        if result is None and self.better_bound():
            result = self._within()
        if result is not None and self.facts.level_of(result) > self.goal:
            self.better_bound()
        return result

    def _within(self) -> IntArray | None:
        level = _raised(self.bound.level, self._tolerance)
        indices = self._from_owners(level)
        return None if indices is None else undo_moves(self.facts, indices, level)

    def _from_owners(self, level: int) -> IntArray | None:
        """A plan that isn't above a level, from what everybody has; None if none is found."""
        facts = self.facts
        result = relieved(facts, level)
        if result is None and len(facts.read) <= MAX_PARTITIONS:
            result = Descent(facts, completed(facts, facts.owner)).run(level)
        return None if result is None or facts.level_of(result) > level else result

    def better_bound_for(self, target: IntArray) -> None:
        """Look for a better bound where a plan isn't good enough by the one that there is."""
        if not self._is_good(target):
            self.better_bound()
        if not self._is_good(target):
            result = counted_bound(self.facts, self.bound.level, self.facts.level_of(target))
            self.bound = result or self.bound
        if not self._is_proven(target):
            _ = self._has_looked_at_all

    def better_prices_for(self, target: IntArray) -> None:
        """Look for prices too, if the effort has any and the plan still isn't good enough."""
        if self.effort.rounds and not self._is_good(target):
            self._better_prices(target)

    def better_bound(self) -> bool:
        """Ask all sets, once; whether the bound is better than it was."""
        if not self._is_simple or self.facts.is_homogeneous:
            return False
        self._is_simple = False
        before, self.bound = self.bound.level, self._by_sets()
        return self.bound.level > before

    def _by_sets(self) -> SetBound:
        if not isinstance(self.bound, SetBound):
            raise TypeError("sets come before prices")
        return most_loaded(self.facts, self.bound)

    def from_scratch(self) -> IntArray:
        """The best plan found as if nobody owned anything, and from it back to the owners."""
        facts = self.facts
        best = self._best()
        if not facts.has_owners:
            return best
        level = _raised(max(facts.level_of(best), self.bound.level), self._tolerance)
        plans = [undo_moves(facts, best, level)]
        if (indices := self._from_owners(level)) is not None:
            plans.append(undo_moves(facts, indices, level))
        return min(plans, key=facts.moves_of)

    def _best(self) -> IntArray:
        """The best plan that the improvements find, one after the other, until it is good."""
        best = longest_first(self.facts)
        for improve in IMPROVEMENTS:
            if self._is_good(best):
                break
            best = improve(self, best)
        return best

    def with_sets(self, plan: IntArray) -> IntArray:
        """The same plan, by a better bound."""
        self.better_bound()
        return plan

    def with_prices(self, plan: IntArray) -> IntArray:
        """The same plan, by a bound that prices show, if the effort has any rounds of them."""
        if self.effort.rounds:
            self._better_prices(plan)
        return plan

    def lowered(self, plan: IntArray) -> IntArray:
        """The plan with its highest load lowered."""
        return self._lowered(self.facts, plan)

    def from_shares(self, plan: IntArray) -> IntArray:
        """The better of the plan and another one, from what a flow gives each member."""
        self._fitting = without_tiny(self.facts, self.goal)
        other = self._lowered(self._fitting, by_shares(self._fitting, self.bound.level))
        better = min((plan, other), key=self.facts.level_of)
        self._stuck = other if self.facts.has_tiers else better
        return better

    def perturbed(self, plan: IntArray) -> IntArray:
        """The better of the plan and another one, from where the search is stuck."""
        number = self.effort.perturbations
        other = perturbed(self._fitting, self._stuck, number, self.goal)
        return min((plan, other), key=self.facts.level_of)

    def _lowered(self, facts: WeightedProblem, target: IntArray) -> IntArray:
        """The plan with its highest load lowered; where that is stuck, the others are evened out.

        Who is in the way of an exchange then often has room for it.
        """
        everything = np.ones(len(target), np.bool_)
        descent = Descent(facts, target)
        best = descent.run(self.goal)
        for _ in range(ROUNDS):
            level = facts.level_of(best)
            if level <= self.goal or descent.is_spent:
                break
            even = evened_out(facts, best, level, everything, self.effort.enough)
            descent = Descent(facts, even)
            result = descent.run(self.goal)
            if facts.level_of(result) >= level:
                break
            best = result
        return best

    def _is_good(self, target: IntArray) -> bool:
        return self.facts.level_of(target) <= self.goal

    def _is_proven(self, target: IntArray) -> bool:
        return self.facts.level_of(target) <= self._enough

    @property
    def _enough(self) -> int:
        """Up to that level fewer moves count more; without owners there are none to save."""
        return _raised(self.bound.level, self._tolerance if self.facts.has_owners else 0.0)

    def _better_prices(self, best: IntArray) -> bool:
        counted = counted_bound(self.facts, self.bound.level, self.facts.level_of(best))
        if counted is not None:
            self.bound = counted
            if self._is_good(best):
                return True
        result = price_bound(
            self.facts,
            self.bound.level,
            best,
            self.effort.rounds,
            self.effort.enough,
        )
        if result is None or result.level <= self.bound.level:
            return False
        self.bound = result
        return True


IMPROVEMENTS: tuple[Callable[[_Search, IntArray], IntArray], ...] = (
    *(_Search.with_sets, _Search.lowered, _Search.from_shares),
    *(_Search.with_prices, _Search.perturbed, _Search.with_prices),
)
"""From a plan to one that is as good or better, or by a better bound: each until it is good."""


def _raised(level: int, share: float) -> int:
    """A level raised by a share of itself."""
    return level + int(np.floor(level * share))
