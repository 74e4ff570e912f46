"""The optimum: coverage, then balance, then reads within a rack and the fewest moves."""

import numpy as np

from optimizer.balance import best_shares
from optimizer.gain import gain_of
from optimizer.goals import DEFAULT_GOALS, Goals
from optimizer.hand_out import hand_out
from optimizer.problem import IntArray, Problem
from optimizer.shares import demand_of
from optimizer.sorts import Sorts, sorts_of, standing
from optimizer.strategies.answer import Answer, settled


def solve(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The best assignment of a group, exactly.

    Every partition that somebody may read is assigned; of all such assignments Σ load² is least
    (and with it the maximum, the variance and every symmetric convex cost: Harvey, Ladner, Lovász
    and Tamir, J. Algorithms 59, 2006); of all those, the fewest partitions change an owner who is
    present and still subscribed, and before or after that, if the goals name racks, the fewest are
    read across them. The facts alone decide, not the order that they came in.

    If that isn't worth its moves (`Goals.min_gain`), everything stays with its owner, and only what
    has none is placed, as balanced as that leaves it; the answer's `reason` says so.
    """
    sorts = sorts_of(problem, goals)
    target = _best(problem, sorts, goals)
    if not goals.min_gain:
        return settled(target)
    moves = int(np.count_nonzero((target != problem.owner) & (sorts.owner_pair >= 0)))
    if not moves:
        return settled(target)
    unmoved = _best(problem, standing(sorts, problem.owner), goals)
    if gain_of(problem, unmoved, target, goals) >= goals.min_gain * moves:
        return settled(target)
    return settled(unmoved, reason=f"not worth {moves} move{'s' * (moves != 1)}")


def _best(problem: Problem, sorts: Sorts, goals: Goals) -> IntArray:
    demand = demand_of(sorts, len(problem.member_ids))
    return hand_out(problem.owner, sorts, demand, best_shares(demand, goals.order))
