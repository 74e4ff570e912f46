"""What no assignment can be below: the largest load, and the moves for loads within bounds."""

import numpy as np

from optimizer.model import DEFAULT_GOALS, IntArray, Problem, classes_of
from optimizer.solver.demand import Demand, demand_of
from optimizer.solver.kinds import kinds_of
from optimizer.solver.layers import Bounds
from optimizer.solver.network import cheapest_shares
from optimizer.solver.pipeline import best_shares


def min_max_load_of(problem: Problem) -> int:
    """The highest load of a group's optimum, whoever owns what now."""
    classes, members = classes_of(problem), len(problem.member_ids)
    supply = np.bincount(classes.of_partition + 1, minlength=len(classes) + 1)[1:]
    if len(classes) == 1 and len(classes.members) == members:
        return -(-int(supply[0]) // members)
    return min_max_load(supply, classes.offsets, classes.members, members)


def min_max_load(supply: IntArray, offsets: IntArray, members: IntArray, count: int) -> int:
    """The optimum's highest load for numbers of members of which none owns anything.

    The readers of kind k, of which there are `supply[k]` partitions, are
    members[offsets[k]:offsets[k + 1]].
    """
    nothing = np.zeros(len(members), np.int64)
    shares = best_shares(Demand(supply, offsets, members, nothing, count))
    assert isinstance(shares, np.ndarray), "without fine kinds each pair has a share"
    return int(np.bincount(members, weights=shares, minlength=count).max(initial=0))


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
    bounds = Bounds(lowest, np.full(members, highest))
    shares = cheapest_shares(demand, bounds, ("moves",))
    return None if shares is None else int(np.minimum(shares, demand.owned).sum())


def _most_kept_of_one_kind(owned: IntArray, total: int, lowest: int, highest: int) -> int:
    """Who has more than `highest` gives, and who has less than `lowest` takes.

    What is left over goes to those who have room. What lacks is given by the others.
    """
    bounded = owned.clip(lowest, highest)
    return int(np.minimum(owned, bounded).sum()) - max(0, int(bounded.sum()) - total)
