"""From counts to partitions: who keeps which, and who gets which."""

import numpy as np

from optimizer.problem import NOBODY, IntArray, Problem
from optimizer.shares import Demand


def hand_out(problem: Problem, demand: Demand, shares: IntArray) -> IntArray:
    """Turn each pair's share into partitions.

    Owners keep their lowest partitions (by topic name and number); what is left of a class is
    dealt in that order, one to each member in turn, so that a topic spreads over its new readers.
    """
    target = np.where(problem.keepable, problem.owner, NOBODY)
    target[_released(problem, demand, shares)] = NOBODY
    free = np.flatnonzero((target == NOBODY) & (problem.class_of >= 0))
    if len(free):
        wanted = shares - np.minimum(shares, demand.owned)
        by_class = np.argsort(problem.class_of[free], kind="stable")
        target[free[by_class]] = demand.members[_deal(demand, wanted)]
    return target


def _released(problem: Problem, demand: Demand, shares: IntArray) -> IntArray:
    """Partitions that an owner has above its share: only the owners with too many are looked at."""
    surplus = np.append(demand.owned > shares, False)  # index -1: a partition without an owner
    if not surplus.any():
        return np.empty(0, np.int64)
    partitions = np.flatnonzero(surplus[problem.owner_pair])
    pair = problem.owner_pair[partitions]
    by_pair = np.argsort(pair, kind="stable")
    pair = pair[by_pair]
    first = np.searchsorted(pair, pair)
    rank = np.arange(len(pair)) - first
    return partitions[by_pair[rank >= shares[pair]]]


def _deal(demand: Demand, wanted: IntArray) -> IntArray:
    """Pairs in the order in which they get their partitions: by class, round after round."""
    pairs = np.flatnonzero(wanted)
    counts = wanted[pairs]
    pair = np.repeat(pairs, counts)
    turn = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    if len(demand.supply) == 1:
        return pair[np.argsort(_narrow(turn), kind="stable")]
    return pair[np.lexsort((turn, demand.class_of_pair[pair]))]


def _narrow(turn: IntArray) -> IntArray:
    """Sixteen bits where they do: numpy sorts those by radix, in linear time."""
    return turn.astype(np.uint16) if turn.max(initial=0) < 2**16 else turn
