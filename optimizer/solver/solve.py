"""The optimum: coverage, then balance, then reads within a rack and the fewest moves."""

from __future__ import annotations

import numpy as np

from optimizer.model import DEFAULT_GOALS, Answer, Goals, IntArray, Problem, rack_table_of, settled
from optimizer.solver.balance import best_shares
from optimizer.solver.demand import demand_of
from optimizer.solver.hand_out import hand_out
from optimizer.solver.kinds import Kinds, kinds_if_nothing_moves, kinds_of


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
    kinds = kinds_of(problem, goals)
    target = _best(problem, kinds, goals)
    if not goals.min_gain:
        return settled(target)
    moves = int(np.count_nonzero((target != problem.owner) & (kinds.owner_pair >= 0)))
    if not moves:
        return settled(target)
    unmoved = _best(problem, kinds_if_nothing_moves(kinds, problem.owner), goals)
    if gain_of(problem, unmoved, target, goals) >= goals.min_gain * moves:
        return settled(target)
    return settled(unmoved, reason=f"not worth {moves} move{'s' * (moves != 1)}")


def _best(problem: Problem, kinds: Kinds, goals: Goals) -> IntArray:
    demand = demand_of(kinds, len(problem.member_ids))
    return hand_out(problem.owner, kinds, demand, best_shares(demand, goals.order))


def gain_of(problem: Problem, found: IntArray, planned: IntArray, goals: Goals) -> float:
    """Partitions that `planned` puts right over `found`, as `Goals.min_gain` counts them."""
    before, after = (
        np.sort(np.bincount(target[target >= 0], minlength=len(problem.member_ids)))
        for target in (found, planned)
    )
    gain = float(np.abs(before - after).sum()) / 2
    table = rack_table_of(problem, goals.rack)
    if table is not None:
        gain += max(table.reads(found).remote - table.reads(planned).remote, 0)
    return gain
