"""Shares where the readers of each kind are among those of the next, by way of a chain of hubs.

As when each member has one topic more than the one before it. An arc from each kind to each of its
readers would be millions, and they differ in who owns something alone.
"""

from typing import NamedTuple

import numpy as np

from optimizer.flow import Arcs, cheapest_flow
from optimizer.model import IntArray
from optimizer.solver.arcs import matched
from optimizer.solver.demand import Demand, Solver

FEWEST_PAIRS = 100_000
"""With fewer pairs a network of all of them is as quick."""

FEWER = 4
"""Factor of fewer arcs from which on a chain is worth it."""


class Nest(NamedTuple):
    """Who reads what: a kind's readers are the members whose rank isn't above its own."""

    kind: IntArray
    member: IntArray


def by_nest(part: Demand) -> Solver | None:
    """How to find the shares of a part whose kinds' readers are nested, if that saves most arcs."""
    nest = nest_of(part)
    return None if nest is None else lambda _: nested_shares(part, nest)


def nest_of(demand: Demand) -> Nest | None:
    """The ranks of kinds and members, where readers are nested and that saves most of the arcs.

    None also where more than moves costs anything, as costs may differ from reader to reader then.
    """
    pairs, kinds = len(demand.members), len(demand.supply)
    arcs = int(np.count_nonzero(demand.owned)) + 3 * kinds + demand.member_count
    if pairs < max(FEWEST_PAIRS, FEWER * arcs) or demand.topics is not None:
        return None
    if demand.has_costs:
        return None
    readers = np.diff(demand.offsets)
    rank = np.empty(kinds, np.int64)
    rank[np.argsort(readers, kind="stable")] = np.arange(kinds)
    of_member = np.full(demand.member_count, kinds)
    np.minimum.at(of_member, demand.members, rank[demand.kind_of_pair])
    up_to = np.bincount(of_member, minlength=kinds)[:kinds].cumsum()
    return Nest(rank, of_member) if (up_to[rank] == readers).all() else None


def nested_shares(demand: Demand, nest: Nest) -> IntArray | None:
    """The shares of `optimizer.solver.network` within one, by moves alone; None if there are none.

    What moves goes from its kind into the hub of its rank, down the chain of hubs, and out to a
    member of the rank where it is; what stays goes straight to its owner. Members pass what exceeds
    the mean load on to a spare node.
    """
    kinds, members, base = len(demand.supply), demand.member_count, demand.mean_load
    spare, total = 2 * kinds + members, int(demand.supply.sum())
    owned = demand.owned.nonzero()[0]
    rank, member = np.arange(kinds), 2 * kinds + np.arange(members)
    ones = np.ones(max(kinds, members), np.int64)
    free = ones * 0
    arcs = [
        Arcs(rank, kinds + nest.kind, demand.supply, ones[:kinds]),
        Arcs(kinds + nest.member, member, ones[:members] * (base + 1), free[:members]),
        Arcs(
            demand.kind_of_pair[owned],
            2 * kinds + demand.members[owned],
            demand.owned[owned],
            np.zeros(len(owned), np.int64),
        ),
        Arcs(kinds + rank[1:], kinds + rank[:-1], np.full(kinds - 1, total), free[: kinds - 1]),
        Arcs(member, ones[:members] * spare, ones[:members], free[:members]),
    ]
    supply = np.zeros(spare + 1, np.int64)
    supply[:kinds], supply[member] = demand.supply, -base
    supply[spare] = -supply.sum()
    flows = cheapest_flow(arcs, supply)
    if flows is None:
        return None
    into, out = flows[:kinds], flows[kinds : kinds + members]
    kind, taker, count = matched((nest.kind, into), (nest.member, out))
    shares = np.zeros(len(demand.members), np.int64)
    shares[owned] = flows[kinds + members :][: len(owned)]
    np.add.at(shares, _pairs(demand, kind, taker), count)
    return shares


def _pairs(demand: Demand, kind: IntArray, member: IntArray) -> IntArray:
    """The pairs of some kinds and readers of theirs."""
    key = demand.kind_of_pair * demand.member_count + demand.members
    order = np.argsort(key, kind="stable")
    result: IntArray = order[key[order].searchsorted(kind * demand.member_count + member)]
    return result
