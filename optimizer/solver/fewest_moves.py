"""The fewest moves that lead to loads within given bounds."""

from __future__ import annotations

import numpy as np

from optimizer.model import DEFAULT_GOALS, IntArray, Problem
from optimizer.solver.demand import Demand, demand_of
from optimizer.solver.flow import Arcs, cheapest_flow
from optimizer.solver.kinds import kinds_of
from optimizer.solver.shares import pair_arcs


def fewest_moves(problem: Problem, lowest: int, highest: int) -> int | None:
    """How many partitions have to leave a present, still subscribed owner, at least.

    Every partition that somebody may read is assigned then, and each member has at least `lowest`
    and at most `highest` of them. None where no assignment is like that.
    """
    demand = demand_of(kinds_of(problem, DEFAULT_GOALS), len(problem.member_ids))
    kept = _most_kept(demand, lowest, highest)
    return None if kept is None else int(demand.owned.sum()) - kept


def _most_kept(demand: Demand, lowest: int, highest: int) -> int | None:
    total, members = int(demand.supply.sum()), demand.member_count
    if not lowest * members <= total <= highest * members:
        return None
    if len(demand.supply) == 1 and len(demand.members) == members:
        return _most_kept_of_one_kind(demand.owned, total, lowest, highest)
    return _most_kept_by_flow(demand, lowest, highest)


def _most_kept_of_one_kind(owned: IntArray, total: int, lowest: int, highest: int) -> int:
    """Who has more than `highest` gives, and who has less than `lowest` takes.

    What is left over goes to those who have room. What lacks is given by the others.
    """
    bounded = owned.clip(lowest, highest)
    return int(np.minimum(owned, bounded).sum()) - max(0, int(bounded.sum()) - total)


def _most_kept_by_flow(demand: Demand, lowest: int, highest: int) -> int | None:
    """By a min-cost flow in which a move costs one.

    Members, who stand behind the kinds, take in `lowest` each, and pass on to a spare node behind
    them what they have beyond that.
    """
    kinds, members = len(demand.supply), demand.member_count
    spare = kinds + members
    taker, nothing = demand.members + kinds, np.zeros(len(demand.members), np.int64)
    to_spare = Arcs(
        np.arange(kinds, spare),
        np.full(members, spare),
        np.full(members, highest - lowest),
        np.zeros(members, np.int64),
    )
    supply = np.zeros(spare + 1, np.int64)
    supply[:kinds] = demand.supply
    supply[kinds:spare] = -lowest
    supply[spare] = -supply.sum()
    flows = cheapest_flow([*pair_arcs(demand, taker, nothing + 1, nothing), to_spare], supply)
    if flows is None:
        return None
    pairs = len(demand.members)
    return int(flows[pairs : pairs + np.count_nonzero(demand.owned)].sum())
