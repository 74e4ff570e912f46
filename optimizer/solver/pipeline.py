"""The way of every plan by count: demand, shares, and who gets which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from optimizer.model import (
    DEFAULT_GOALS,
    CostOverflowError,
    Goals,
    IntArray,
    Problem,
    classes_of,
    host_level,
    least_spread,
    levels_of,
    readers_of,
    spread_of,
)
from optimizer.solver.demand import (
    Bounds,
    Demand,
    Distribution,
    Shares,
    components,
    demand_in_kinds,
    demand_of,
)
from optimizer.solver.distribute import distribute
from optimizer.solver.kinds import (
    CostTable,
    Kinds,
    costs_of,
    kinds_by_cost,
    kinds_if_nothing_moves,
    kinds_of,
)
from optimizer.solver.limits import caps_of
from optimizer.solver.network import cheapest_of_fine, cheapest_shares, halves
from optimizer.solver.shortcuts import SHORTCUTS


def hosts_are_settled(demand: Demand, shares: Shares, levels: Sequence[str]) -> bool:
    """Whether shares that are the best without hosts are as even over these as can be.

    So it is if hosts don't matter, if their loads are within one of each other, and with the closed
    form of a single kind, which looks at hosts after moves.
    """
    by_host = host_level(levels)
    if by_host is None or demand.hosts is None:
        return True
    is_closed = len(demand.supply) == 1 and not demand.has_costs
    if is_closed and levels.index("moves") < levels.index(by_host):
        return True
    pairs, amounts = np.arange(len(demand.members)), shares
    if isinstance(shares, Distribution):
        pairs, amounts = shares.pair, shares.amount
    loads = np.bincount(demand.members[pairs], amounts, demand.member_count)
    of_host = np.bincount(demand.hosts, loads)
    return bool(of_host.max() - of_host.min() <= 1)


def spread_over_hosts(demand: Demand, parts: Sequence[IntArray], levels: Sequence[str]) -> Shares:
    """The best shares by all levels, hosts among them, of a group whose parts are balanced.

    Each part has the pairs of some members and kinds, and all of its loads are within one.
    """
    least = np.zeros(demand.member_count, np.int64)
    for pairs in parts:
        members = np.unique(demand.members[pairs])
        kinds = np.unique(demand.kind_of_pair[pairs])
        least[members] = int(demand.supply[kinds].sum()) // len(members)
    pairs = np.sort(np.concatenate(parts))
    inner = demand.restricted_to(pairs)
    if inner.member_count < demand.member_count:
        least = least[np.unique(demand.members[pairs])]
    solution = cheapest_of_fine(inner, Bounds(least, least + 1), levels)
    assert solution is not None, "parts that are balanced have such shares"
    if isinstance(solution, Distribution) and inner.fine is not None:
        return solution.renumber(inner.fine.numbers, pairs)
    shares = np.zeros_like(demand.owned)
    shares[pairs] = solution
    return shares


@dataclass(frozen=True)
class Pipeline:
    """A group, and what is sought of it.

    `kinds` have the readers that limits allow, `caps` how much members may have, `tables` what
    costs anybody anything, and `levels` what is examined below balance that isn't settled by it,
    as the spread of a single topic is.
    """

    problem: Problem
    kinds: Kinds
    caps: Bounds | None
    tables: Mapping[str, CostTable]
    levels: Sequence[str]

    @staticmethod
    def of(problem: Problem, goals: Goals) -> Pipeline:
        levels = levels_of(problem, goals)
        if np.count_nonzero(problem.topic_sizes) < 2:
            levels = tuple(level for level in levels if level != "spread")
        return Pipeline(
            problem=problem,
            kinds=kinds_of(problem, goals),
            caps=caps_of(problem, goals),
            tables=costs_of(problem, goals),
            levels=levels,
        )

    def best(self) -> IntArray | None:
        """The best plan when partitions of a kind may only go to its readers; None within no caps.

        `distribute` spreads topics as well as counts allow. If that may leave anything
        to better, and the group isn't too large, a flow spreads them.
        """
        if self.caps is not None:
            return self.plan_by(("balance", *self.levels), self.caps)
        if "spread" not in self.levels:
            return self.plan_by(self.levels)
        return replace(self, kinds=kinds_by_cost(self.kinds, self.tables), tables={})._spread()

    def if_nothing_moves(self) -> Pipeline:
        """The group in which only its owner may read a partition that can be kept."""
        return replace(self, kinds=kinds_if_nothing_moves(self.kinds, self.problem.owner))

    def moves(self, target: IntArray) -> int:
        """Partitions that a plan takes from owners who may keep them."""
        return int(np.count_nonzero((target != self.problem.owner) & (self.kinds.owner_pair >= 0)))

    def plan_by(self, levels: Sequence[str], caps: Bounds | None = None) -> IntArray | None:
        """The best plan by some levels, within caps; None if there is none."""
        kinds, demand = demand_in_kinds(self.problem, self.kinds, self.tables, levels, caps)
        shares = best_shares(demand, levels, caps)
        if shares is None:
            return None
        owner, topic_offsets = self.problem.owner, self.problem.topic_offsets
        return distribute(owner, topic_offsets, kinds, demand, shares)

    def _spread(self) -> IntArray | None:
        """The best plan with topics spread, by a flow where that may be better than without."""
        problem, least = self.problem, least_spread(self.problem)
        spread = self._by_flow() if self._needs_flow() else None
        if spread is not None and spread_of(problem, spread) > least:
            return spread  # no plan as good at the levels above spreads evenly
        target = self.plan_by([level for level in self.levels if level != "spread"])
        assert target is not None, "without caps there is a plan"
        if spread_of(problem, target) == least:
            return target
        if self.levels[-1] == "spread" and np.array_equal(target, problem.owner):
            return target  # any other plan moves something
        if spread is None:
            spread = self._by_flow()
        return target if spread is None else spread

    def _by_flow(self) -> IntArray | None:
        """The best plan, by a flow that spreads topics; None where its costs don't fit 64 bits."""
        try:
            return self.plan_by(self.levels)
        except CostOverflowError:
            return None

    def _needs_flow(self) -> bool:
        """Whether topics that are spread evenly, each by itself, leave somebody below the mean.

        Such a plan isn't balanced, unless loads can't all be near the mean. Where all read the
        same, no flow is needed to see how even it is.
        """
        if len(self.kinds.offsets) <= 2:
            return False
        problem, classes = self.problem, classes_of(self.problem)
        share = -(-problem.topic_sizes // readers_of(problem).clip(1))
        of_class = np.bincount(classes.of_topic + 1, share, len(classes) + 1)[1:]
        most = np.bincount(classes.members, of_class.repeat(np.diff(classes.offsets)))
        return bool(most.min() < problem.partition_count // classes.member_count)


def best_shares(
    demand: Demand, levels: Sequence[str] = ("moves",), caps: Bounds | None = None
) -> Shares | None:
    """Shares of least Σ load², and among those the best by `levels`, one after the other.

    The levels are those of `optimizer.solver.network`. A part of the group in which all loads can
    be within one of each other is balanced by exactly those loads. Any other part is cut in two
    that are balanced each for itself. Under caps, by which no member gets more than it may have,
    balance is one of the levels; None where there are no shares within them.
    """
    if caps is not None:
        return cheapest_of_fine(demand, caps.readable(demand), levels)
    parts = list(_parts(demand, [level for level in levels if level != host_level(levels)]))
    shares = _of_parts(demand, parts)
    if hosts_are_settled(demand, shares, levels):
        return shares
    return spread_over_hosts(demand, [pairs for pairs, _ in parts], levels)


def _of_parts(demand: Demand, parts: Sequence[tuple[IntArray, Shares]]) -> Shares:
    if demand.fine is not None:
        return Distribution(*map(np.concatenate, zip(*(part for _, part in parts), strict=True)))
    shares = np.zeros_like(demand.owned)
    for pairs, of_part in parts:
        shares[pairs] = of_part
    return shares


def _parts(demand: Demand, levels: Sequence[str]) -> Iterator[tuple[IntArray, Shares]]:
    """The pairs of parts that are each balanced by themselves, and the shares of each."""
    parts = components(demand)
    while parts:
        pairs = parts.pop()
        part = demand.restricted_to(pairs)
        solve = next(filter(None, (shortcut(part) for shortcut in SHORTCUTS)))
        shares = solve(levels)
        if shares is None:
            for half in halves(part):
                parts += [
                    pairs[half][component] for component in components(part.restricted_to(half))
                ]
        elif isinstance(shares, Distribution) and part.fine is not None:
            yield pairs, shares.renumber(part.fine.numbers, pairs)
        else:
            yield pairs, shares


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
    """The fewest partitions that have to leave a present, still subscribed owner.

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
    """Partitions kept where members with over `highest` give, those with under `lowest` take.

    What is left over goes to those who have room. What lacks is given by the others.
    """
    bounded = owned.clip(lowest, highest)
    return int(np.minimum(owned, bounded).sum()) - max(0, int(bounded.sum()) - total)
