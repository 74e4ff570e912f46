"""Arcs from kinds to their takers, straight or by way of hubs, and what they cost."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from optimizer.flow import Arcs
from optimizer.model import IntArray, distinct, host_level, occurs
from optimizer.solver.demand import Demand, Distribution
from optimizer.solver.kinds import CostClasses


class PairArcs:
    """Arcs from kinds, the first nodes, to the taker of each pair; see `AggregatedArcs` as well.

    They are first for partitions that move there, of each pair, and then for those that stay, of
    pairs that own any.
    """

    count = 0
    """Of nodes that it adds."""

    def __init__(self, demand: Demand, levels: Sequence[str], taker: IntArray) -> None:
        self._demand, self._taker = demand, taker
        self.weights = {"moves": 0, **level_weights(demand, levels)}

    def at(self, weights: Mapping[str, int]) -> list[Arcs]:
        """The arcs at what they cost by the weights of levels."""
        demand, taker = self._demand, self._taker
        moved, kept = pair_costs(demand, weights)
        kind, owned = demand.kind_of_pair, demand.owned.nonzero()[0]
        return [
            Arcs(kind, taker, demand.supply[kind], moved),
            Arcs(kind[owned], taker[owned], demand.owned[owned], kept[owned]),
        ]

    def shares(self, flows: IntArray) -> IntArray:
        """The share of each pair by the flows along these arcs, which stand first."""
        pairs, owned = len(self._demand.members), self._demand.owned.nonzero()[0]
        shares = flows[:pairs].copy()
        shares[owned] += flows[pairs : pairs + len(owned)]
        return shares

    distribution_of = shares


class AggregatedArcs:
    """A network's arcs from fine kinds to takers, by way of hubs.

    A kind has a hub for all of its readers, by which partitions cost what they cost most, and one
    for those of each column, by which they cost nothing where it is free. What owners have can stay
    along arcs of its own. `takers` has the node of each pair; hubs are numbered from `first` on.
    """

    def __init__(
        self, demand: Demand, fine: CostClasses, levels: Sequence[str], taker: IntArray, first: int
    ) -> None:
        self.fine = fine
        kinds, columns = len(demand.supply), int(fine.column.max(initial=0)) + 1
        columns = max(columns, int(fine.free[1].max(initial=0)) + 1)
        hubs, self._hub_of_pair = distinct(
            demand.kind_of_pair * columns + fine.column, kinds * columns
        )
        self._kind_of_hub = hubs // columns
        self.count = kinds + len(hubs)
        # A cycle passes no fine kind twice, and between two of them another node.
        passed = min(len(fine.supply), first + self.count - len(fine.supply))
        self.weights = {"moves": 0, **level_weights(demand, levels, passed, (fine.level,))}
        free_fine, free_column = fine.free
        wanted = fine.kind[free_fine] * columns + free_column
        is_hub = occurs(wanted, hubs)
        self._free_fine = free_fine[is_hub]
        self._free_hub = hubs.searchsorted(wanted[is_hub])
        self._demand, self._taker, self._first = demand, taker, first
        self.arcs = self.at(self.weights)

    def at(self, weights: Mapping[str, int]) -> list[Arcs]:
        """The arcs at what they cost by the weights of levels."""
        demand, fine, taker, first = self._demand, self.fine, self._taker, self._first
        moved, costly = weights["moves"], weights.get(fine.level, 0)
        kinds, hubs = len(demand.supply), len(self._kind_of_hub)
        everybody, column = first + np.arange(kinds), first + kinds + np.arange(hubs)
        sources, free = np.arange(len(fine.supply)), np.full(len(self._free_fine), moved)
        pairs, nothing = np.arange(len(taker)), np.zeros(self.count + len(taker), np.int64)
        return [
            Arcs(fine.owned_fine, taker[fine.owned_pair], fine.owned, costly * fine.owned_costs),
            Arcs(sources, everybody[fine.kind], fine.supply, moved + costly * fine.costly),
            Arcs(self._free_fine, column[self._free_hub], fine.supply[self._free_fine], free),
            Arcs(
                everybody[self._kind_of_hub],
                column,
                demand.supply[self._kind_of_hub],
                nothing[:hubs],
            ),
            Arcs(
                column[self._hub_of_pair],
                taker,
                demand.supply[demand.kind_of_pair],
                nothing[: len(pairs)],
            ),
        ]

    @cached_property
    def _ends(self) -> IntArray:
        return np.cumsum([len(arcs.tail) for arcs in self.arcs])

    def shares(self, flows: IntArray) -> IntArray:
        """The share of each pair."""
        owned, _, _, _, taken = np.split(flows, self._ends)[:5]
        shares: IntArray = taken + np.bincount(self.fine.owned_pair, owned, len(taken)).astype(
            np.int64
        )
        return shares

    def distribution_of(self, flows: IntArray) -> Distribution:
        """A flow by fine kinds: what comes into a hub goes on in the order of numbers."""
        owned, to_all, to_column, on, taken = np.split(flows, self._ends)[:5]
        by_all, hub, passed = match_flows((self.fine.kind, to_all), (self._kind_of_hub, on))
        fine = np.concatenate((by_all, self._free_fine))
        into = np.concatenate((hub, self._free_hub))
        order = np.lexsort((fine, into))
        amount = np.concatenate((passed, to_column))[order]
        fine, into = fine[order], into[order]
        source, pair, count = match_flows((into, amount), (self._hub_of_pair, taken))
        return Distribution(
            np.concatenate((self.fine.owned_fine, fine[source])),
            np.concatenate((self.fine.owned_pair, pair)),
            np.concatenate((owned, count)),
        )


def match_flows(
    left: tuple[IntArray, IntArray], right: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray]:
    """Flows into hubs joined to flows out of them: whence, where to, and how much.

    Each side has hubs and amounts, which come to the same at every hub.
    """
    sides = []
    for hub, amount in (left, right):
        flowing = amount.nonzero()[0]
        flowing = flowing[np.argsort(hub[flowing], kind="stable")]
        sides.append((flowing, amount[flowing].cumsum()))
    (source, before), (sink, after) = sides
    ends = np.union1d(before, after)
    starts = np.append(0, ends)[:-1]
    return (
        source[before.searchsorted(starts, "right")],
        sink[after.searchsorted(starts, "right")],
        ends - starts,
    )


def level_weights(
    demand: Demand,
    levels: Sequence[str],
    passed: int | None = None,
    costs: Iterable[str] | None = None,
) -> dict[str, int]:
    """The weight of each level at which anything costs: more than all below can come to.

    Without a simple cycle of negative cost in the residual network nothing is better (Klein 1967).
    Such a cycle passes each kind and each member once at most. It enters and leaves a kind by arcs
    that cost 0 or 1, so it gains no more at a level than there are kinds (`passed`, if that is
    another number). For spread, it passes a member by one partition more of one topic and one less
    of another, which makes a difference of twice the topic's partitions at most. (Spread is a level
    of demands with topics alone.)
    """
    kinds = len(demand.supply) if passed is None else passed
    most = dict.fromkeys(("moves", *(demand.costs if costs is None else costs)), kinds)
    # One member more and one less, and so at each host that it passes on its way.
    hosts = 0 if demand.hosts is None else int(demand.hosts.max(initial=-1)) + 1
    most["balance"] = 2 * int(demand.supply.sum()) * (hosts + 1)
    if (by_host := host_level(levels)) and demand.hosts is not None:
        most[by_host] = 2 * int(demand.supply.sum())
    if demand.topics is not None:
        largest = int(np.bincount(demand.topics, demand.supply).max(initial=0))
        most["spread"] = 2 * largest * demand.member_count
    weights, weight = {}, 1
    for level in reversed(levels):
        if level in most:
            weights[level] = weight
            weight *= most[level] + 1
    return weights


def pair_costs(demand: Demand, weights: Mapping[str, int]) -> tuple[IntArray, IntArray]:
    """The cost for each pair of a partition that moves to it, and of one that stays."""
    kept = np.zeros(len(demand.members), np.int64)
    for level, flags in demand.costs.items():
        kept += flags * weights.get(level, 0)
    return kept + weights["moves"], kept
