"""The lowest loads by weight found for each number of moves, and their lower bounds."""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import DEFAULT_GOALS, NOBODY, Goals, IntArray, Problem, classes_of
from optimizer.solver.frontier import knee_of, refuse_limits
from optimizer.solver.weighted.placing import place_rest
from optimizer.solver.weighted.plans import relieved_and_undone
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.search import EFFORTS
from optimizer.solver.weighted.solve import solve_by_weight

MOST_POINTS = 20
"""Numbers of moves for which the lowest level is searched; or else levels that are tried."""

MAX_PARTITIONS = 20_000
"""In groups of more partitions nothing is tried between those levels."""

ROUNDING = 1e-6
"""Levels that differ by no more are the same: weights are rounded to whole numbers."""

STEPS = 8
"""So often the levels between which that lies are halved, for each of them."""


class WeightedPoint(NamedTuple):
    """A plan of `moves` moves with this largest load was found.

    With no more moves none is below `weight_bound`; both are for a unit of capacity, in the units
    of the group. `share` is how much of the gain the plan is.
    """

    moves: int
    max_weight: float
    weight_bound: float
    share: float


class WeightedFrontier(NamedTuple):
    """The points by their moves, each lower than the one before; `knee` as that of `Frontier`.

    `current_weight` is the largest load now; what has no owner isn't in it, and is placed at
    every point, as is what limits move. `weight_bound`: no plan is below it, by any moves.
    """

    points: list[WeightedPoint]
    knee: int | None
    current_weight: float
    weight_bound: float


def weighted_frontier_of(problem: Problem, goals: Goals = DEFAULT_GOALS) -> WeightedFrontier:
    """The frontier of a group by weight: what was found, and a bound for each number of moves.

    Of its goals the effort counts, and of the limits those of who may have what. Raises LimitsError
    where others are stated.
    """
    refuse_limits(goals, ("max_partitions", "max_per_topic", "max_weight", "copartition"))
    sought = Goals(balance="weight", tolerance=0.0, effort=goals.effort)
    sought = replace(sought, pin=goals.pin, exclude=goals.exclude)
    balanced, weighted = solve_by_weight(problem, sought), WeightedProblem.of(problem, sought)
    curve = _Curve(weighted, balanced.bound.level, EFFORTS[goals.effort].enough)
    curve.add(balanced.target)
    most = weighted.moves_of(balanced.target)
    for moves in range(1, most) if most <= MOST_POINTS else curve.spread():
        curve.look_for(moves)
    owned = classes_of(problem).kept
    forced = int(np.count_nonzero(owned != weighted.owner))  # by limits
    weights, levels = weighted.weights, curve.levels
    highest, gain = levels[0][1], levels[0][1] - levels[-1][1]
    points = [
        WeightedPoint(
            moves=forced + moves,
            max_weight=weights.stated_limit(level),
            weight_bound=weights.stated_bound(curve.bound(moves)),
            share=(highest - level) / gain if gain else 1.0,
        )
        for moves, level in levels
    ]
    return WeightedFrontier(
        points=points,
        knee=knee_of([(point.moves, point.share) for point in points]),
        current_weight=weights.highest(owned),
        weight_bound=weights.stated_bound(balanced.bound.level),
    )


class _Curve:
    """The lowest levels found, by moves, and the levels that were tried."""

    def __init__(self, problem: WeightedProblem, bound: int, enough: float) -> None:
        self.problem, self._bound, self._enough = problem, bound, enough
        self._found: dict[int, int] = {}
        self._tried: set[int] = set()
        self.add(place_rest(problem, problem.owner))

    def add(self, target: IntArray) -> None:
        moves, level = self.problem.moves_of(target), self.problem.level_of(target)
        self._found[moves] = min(level, self._found.get(moves, level))

    @property
    def levels(self) -> list[tuple[int, int]]:
        """Moves and levels, each level lower than with fewer moves."""
        levels: list[tuple[int, int]] = []
        for moves, level in sorted(self._found.items()):
            if not levels or level + int(level * ROUNDING) < levels[-1][1]:
                levels.append((moves, level))
        return levels

    def bound(self, moves: int) -> int:
        """No plan by `moves` moves is below that level."""
        sheds = int(self._sheds[moves]) if moves < len(self._sheds) else 0
        return max(self._bound, sheds)

    def spread(self) -> list[int]:
        """Try levels between the highest and the lowest, more of the low ones.

        The numbers of moves that they take are those to look for, unless the group is too large.
        """
        low, high = self.levels[-1][1], self.levels[0][1]
        for at in range(1, MOST_POINTS):
            self._try(low + (high - low) * at * at // MOST_POINTS**2)
        return (
            []
            if len(self.problem.read) > MAX_PARTITIONS
            else [moves for moves, _ in self.levels[1:]]
        )

    def look_for(self, moves: int) -> None:
        """Try levels between the bound and the lowest that is known."""
        low = middle = self.bound(moves)
        for _ in range(STEPS):
            if self._lowest(moves) <= low + int(low * self._enough):
                return
            if not self._reaches(middle, moves):
                low = middle
            middle = (low + self._lowest(moves)) // 2

    def _lowest(self, moves: int) -> int:
        return min(level for count, level in self._found.items() if count <= moves)

    def _reaches(self, level: int, moves: int) -> bool:
        """Whether a plan at the level is found that moves no more."""
        self._try(level)
        return self._lowest(moves) <= level

    def _try(self, level: int) -> None:
        if level not in self._tried:
            self._tried.add(level)
            target = relieved_and_undone(self.problem, level)
            if target is not None:
                self.add(target)

    @cached_property
    def _sheds(self) -> IntArray:
        """The level, from the highest, that each partition leaves that an owner gives up.

        Whoever has too much gives up its heaviest first; so below the level that stands k-th, from
        0, more than k partitions have to move.
        """
        problem, weights = self.problem, self.problem.weights
        own = problem.read[problem.owner[problem.read] != NOBODY]  # the heaviest first
        own = own[np.argsort(problem.owner[own], kind="stable")]
        owner, weight = problem.owner[own], problem.weight[own]
        before = weight.cumsum() - weight
        first = np.searchsorted(owner, owner)
        left = weights.loads(problem.owner)[owner] - (before - before[first])
        levels: IntArray = -(-left * weights.parts // weights.capacity[owner])
        return np.sort(levels)[::-1]
