"""The fewest moves for each largest load, and the point from which more bring little."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    DEFAULT_GOALS,
    Goals,
    LimitsError,
    Problem,
    changes_of,
    classes_of,
    member_loads,
)
from optimizer.solver.budget import loads_by_moves
from optimizer.solver.solve import solve

WORTH_A_KNEE = 0.1
"""A point is a knee if it brings so much more of the gain than it takes of the moves."""


class Point(NamedTuple):
    """No plan that moves fewer has so low a largest load; `share` is how much of the gain it is.

    All of the gain is the difference between the largest load without a move and the least there
    is.
    """

    moves: int
    max_load: int
    share: float


class Frontier(NamedTuple):
    """The points by their moves, from the fewest on; `knee` is the index of the one worth it most.

    `knee` is None where each move brings about as much as the one before it. `current_load` is the
    largest load now; what has no owner isn't in it, and is placed at every point.
    `balanced_moves` are those of the plan with the least Σ load², of which the largest load is a
    part.
    """

    points: list[Point]
    knee: int | None
    current_load: int
    balanced_moves: int


def frontier_of(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Frontier:
    """The frontier of a group: exact, each point by a min-cost flow or a line between two.

    Of its goals the limits count. Raises LimitsError where they can't all be met, and where some
    are stated under which it isn't worked out.
    """
    refuse_limits(goals, ("copartition",))
    limited = replace(DEFAULT_GOALS, **goals.limits._replace(max_weight=())._asdict())
    best = solve(problem, limited).target
    curve = loads_by_moves(problem, int(member_loads(problem, best).max(initial=0)), limited)
    gain = curve.highest - curve.lowest
    keepable, may_stay = (classes_of(problem).keepable, curve.kinds.owner_pair >= 0)
    forced = int(np.count_nonzero(keepable) - np.count_nonzero(may_stay))  # by limits
    points = [
        Point(forced + moves, load, (curve.highest - load) / gain if gain else 1.0)
        for load, moves in reversed(curve.points())
    ]
    owned = classes_of(problem).kept
    return Frontier(
        points=points,
        knee=knee_of([(point.moves, point.share) for point in points]),
        current_load=int(member_loads(problem, owned).max(initial=0)),
        balanced_moves=changes_of(problem, best)[0],
    )


def refuse_limits(goals: Goals, names: Sequence[str]) -> None:
    """Raise LimitsError if any of some limits are stated."""
    limits = [name for name in names if getattr(goals, name)]
    if limits:
        raise LimitsError(
            f"what moves buy isn't worked out under {', '.join(limits)}: leave it out here, or "
            "plan with max_moves"
        )


def knee_of(points: Sequence[tuple[int, float]]) -> int | None:
    """The point that is farthest above the line from none of the moves and gain to all of them.

    Each is its moves and its share of the gain. None where none is by much.
    """
    first, total = points[0][0], points[-1][0] - points[0][0]
    above = [share - (moves - first) / total if total else 0.0 for moves, share in points]
    knee = max(range(len(points)), key=above.__getitem__)
    return knee if above[knee] >= WORTH_A_KNEE else None
