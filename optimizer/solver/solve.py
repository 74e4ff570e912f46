"""The optimum: coverage, then balance, then reads within a rack and the fewest moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.model import (
    DEFAULT_GOALS,
    Answer,
    CostOverflowError,
    Goals,
    IntArray,
    Problem,
    changes_of,
    classes_of,
    least_spread,
    levels_of,
    member_loads,
    rack_table_of,
    readers_of,
    settled,
    spread_of,
)
from optimizer.solver.balance import best_distribution, best_shares
from optimizer.solver.budget import loads_by_moves
from optimizer.solver.costs import COSTS, CostTable, costs_of
from optimizer.solver.demand import demand_of
from optimizer.solver.distribute import distribute
from optimizer.solver.hubs import as_pairs, cost_classes
from optimizer.solver.kinds import (
    Kinds,
    kinds_by_cost,
    kinds_by_topic,
    kinds_if_nothing_moves,
    kinds_of,
)
from optimizer.solver.limited import caps_of, check_limits
from optimizer.solver.network import Caps


def solve(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The best assignment of a group, exactly.

    Every partition that somebody may read is assigned; of all such assignments Σ load² is least
    (and with it the maximum, the variance and every symmetric convex cost: Harvey, Ladner, Lovász
    and Tamir, J. Algorithms 59, 2006); of all those, the fewest partitions change an owner who is
    present and still subscribed, and before or after that, if the goals name racks, the fewest are
    read across them; then (or before, if the goals say so) each topic is spread over its readers as
    evenly as can be. The facts alone decide, not the order that they came in.

    Limits come first (`Goals.limits`); raises LimitsError where they can't all be met.

    If that moves more than `Goals.max_moves`, the largest load is as low as so many moves make it,
    and as few move as that takes.

    If it isn't worth its moves (`Goals.min_gain`), everything stays with its owner, and only what
    has none is placed, as balanced as that leaves it; the answer's `reason` says so.
    """
    check_limits(problem, goals)
    kinds = kinds_of(problem, goals)
    best = _best(problem, kinds, goals)
    assert best is not None, "limits that clash have been told"
    answer = _within_budget(problem, kinds, best, goals)
    moves = _moves(problem, kinds, answer.target)
    if not goals.min_gain or not moves:
        return answer
    unmoved = _best(problem, kinds_if_nothing_moves(kinds, problem.owner), goals)
    # None: limits take moves.
    if unmoved is None or (
        gain_of(problem, unmoved, answer.target, goals) >= goals.min_gain * moves
    ):
        return answer
    return settled(unmoved, reason=f"not worth {moves} move{'s' * (moves != 1)}")


def _moves(problem: Problem, kinds: Kinds, target: IntArray) -> int:
    return int(np.count_nonzero((target != problem.owner) & (kinds.owner_pair >= 0)))


def _within_budget(problem: Problem, kinds: Kinds, best: IntArray, goals: Goals) -> Answer:
    """The best plan if it keeps to `Goals.max_moves`, otherwise the best that does.

    The reason tells what more moves would do.
    """
    partitions = int(np.count_nonzero(kinds.of_partition >= 0))
    budget, moves = goals.budget(partitions), _moves(problem, kinds, best)
    if budget is None or changes_of(problem, best)[0] <= budget:
        return settled(best)
    loads = member_loads(problem, best)
    forced = changes_of(problem, best)[0] - moves  # by limits, in every plan
    curve = loads_by_moves(problem, int(loads.max()), goals)
    allowed = max(budget - forced, curve.moves(curve.highest))  # limits may take more
    if moves <= allowed:
        return settled(best)
    load = curve.least_load(allowed)
    levels = ["moves", "balance", *(level for level in goals.order if level in COSTS)]
    target = _planned(problem, kinds, costs_of(problem, goals), levels, curve.caps_at(load))
    assert target is not None, "a load that the curve knows can be reached"
    rival = best
    if load > curve.lowest:
        shares = curve.shares(load - 1)
        assert shares is not None, "a load that the curve knows can be reached"
        rival = distribute(problem.owner, problem.topic_offsets, curve.kinds, curve.demand, shares)
    count = moves + forced
    more = (
        f"{count} move{'s' * (count != 1)} instead of {changes_of(problem, target)[0]} would make "
    )
    limited = member_loads(problem, target)
    if load > curve.lowest:
        gained = f"the largest load {loads.max()} instead of {load}"
    elif limited @ limited > loads @ loads:
        gained = "loads more even"
    else:
        gained = "racks or topics fit better"
    return settled(target, reason=more + gained, rival=rival)


def _best(problem: Problem, kinds: Kinds, goals: Goals) -> IntArray | None:
    """The best plan when partitions of a kind may only go to its readers; None: none within caps.

    `distribute` spreads topics as well as can be told from counts. If that may leave anything to
    better, and the group isn't too large, a flow spreads them.
    """
    caps, tables = caps_of(problem, goals), costs_of(problem, goals)
    levels = _levels(problem, goals)
    if caps is not None:
        return _planned(problem, kinds, tables, ["balance", *levels], caps)
    if "spread" not in levels:
        return _planned(problem, kinds, tables, levels)
    kinds = kinds_by_cost(kinds, tables)
    spread = _spread(problem, kinds, levels) if _needs_spread_flow(problem, kinds) else None
    if spread is not None and spread_of(problem, spread) > least_spread(problem):
        return spread  # no plan as good at the levels above spreads evenly
    target = _planned(problem, kinds, {}, [level for level in levels if level != "spread"])
    assert target is not None, "without caps there is a plan"
    if spread_of(problem, target) == least_spread(problem):
        return target
    if levels[-1] == "spread" and np.array_equal(target, problem.owner):
        return target  # any other plan moves something
    if spread is None:
        spread = _spread(problem, kinds, levels)
    return target if spread is None else spread


def _levels(problem: Problem, goals: Goals) -> Sequence[str]:
    """The levels below balance that aren't settled by it, as the spread of a single topic is."""
    levels = levels_of(problem, goals)
    if np.count_nonzero(problem.topic_sizes) > 1:
        return levels
    return [level for level in levels if level != "spread"]


def _planned(
    problem: Problem,
    kinds: Kinds,
    tables: Mapping[str, CostTable],
    levels: Sequence[str],
    caps: Caps | None = None,
) -> IntArray | None:
    """The best plan by levels: demand, shares, and who gets which; None if there is none.

    By way of hubs where that takes less than to cut the kinds by what partitions cost.
    """
    members, owner = len(problem.member_ids), problem.owner
    by_topic = "spread" in levels or (caps is not None and caps.of_topic is not None)
    coarse, topics = kinds_by_topic(kinds, problem.topic_of) if by_topic else (kinds, None)
    cut = None if "spread" in levels else cost_classes(coarse, tables, members)
    if cut is not None:
        given = best_distribution(demand_of(coarse, members, topics), cut[0], levels, caps)
        if given is None:
            return None
        kinds, demand, shares = as_pairs(owner, coarse, *cut, given, members)
        return distribute(owner, problem.topic_offsets, kinds, demand, shares)
    kinds = kinds_by_cost(kinds, tables)
    if by_topic:
        kinds, topics = kinds_by_topic(kinds, problem.topic_of)
    demand = demand_of(kinds, members, topics)
    found = best_shares(demand, levels, caps)
    return None if found is None else distribute(owner, problem.topic_offsets, kinds, demand, found)


def _needs_spread_flow(problem: Problem, kinds: Kinds) -> bool:
    """Whether topics that are spread evenly, each by itself, leave somebody below the mean load.

    Such a plan isn't balanced, unless loads can't all be near the mean. Where all read the same,
    no flow is needed to see how even it is.
    """
    if len(kinds.offsets) <= 2:
        return False
    classes = classes_of(problem)
    share = -(-problem.topic_sizes // readers_of(problem).clip(1))
    of_class = np.bincount(classes.of_topic + 1, share, len(classes) + 1)[1:]
    most = np.bincount(classes.members, of_class.repeat(np.diff(classes.offsets)))
    return bool(most.min() < problem.partition_count // classes.member_count)


def _spread(problem: Problem, kinds: Kinds, levels: Sequence[str]) -> IntArray | None:
    """The best plan, by a flow that spreads topics; None where its costs don't fit 64 bits."""
    try:
        return _planned(problem, kinds, {}, levels)
    except CostOverflowError:
        return None


def gain_of(problem: Problem, found: IntArray, planned: IntArray, goals: Goals) -> float:
    """Partitions that `planned` puts right over `found`, as `Goals.min_gain` counts them."""
    members = len(problem.member_ids)
    gain = _put_right(found, planned, members)
    table = rack_table_of(problem, goals.rack)
    if table is not None:
        gain += max(table.reads(found).remote - table.reads(planned).remote, 0)
    levels = levels_of(problem, goals)
    if "spread" in levels and levels.index("spread") < levels.index("moves"):
        ends = problem.topic_offsets.tolist()
        for topic in map(slice, ends, ends[1:]):
            gain += _put_right(found[topic], planned[topic], members)
    return gain


def _put_right(found: IntArray, planned: IntArray, members: int) -> float:
    """Half of the differences of what members have when both are sorted by it."""
    before, after = (
        np.sort(np.bincount(target[target >= 0], minlength=members)) for target in (found, planned)
    )
    return float(np.abs(before - after).sum()) / 2
