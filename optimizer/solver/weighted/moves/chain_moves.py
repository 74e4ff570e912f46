"""Pass weight on from member to member, to one that has room for it."""

from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import NOTHING, WeightedProblem

FAR = np.iinfo(np.int64).max


class Transfer(NamedTuple):
    """A member gives a partition to another one, and gets one for it or NOTHING."""

    giver: int
    gives: int
    taker: int
    gets: int


def chain_moves(
    problem: WeightedProblem, target: IntArray, loads: IntArray, limits: IntArray, start: int
) -> list[Transfer] | None:
    """Transfers after which `start` and all whom they reach are within limits; None: none found.

    Each member on the way passes on at least what it can't keep, by moving a partition or by an
    exchange, and as little more as can be: a shortest path, by how much a member is given
    (Dijkstra 1959).
    """
    inputs = np.full(problem.members, FAR)
    inputs[start] = 0
    came: dict[int, Transfer] = {}
    done = np.zeros(problem.members, np.bool_)
    while True:
        at = int(np.where(done, FAR, inputs).argmin())
        if done[at] or inputs[at] == FAR:
            return None
        done[at] = True
        surplus = int(loads[at] + inputs[at] - limits[at])
        if surplus <= 0:
            return _path(came, at)
        for transfer, weight in _cheapest(problem, target, at, surplus, done, came.get(at)):
            if weight < inputs[transfer.taker]:
                inputs[transfer.taker] = weight
                came[transfer.taker] = transfer


def _path(came: dict[int, Transfer], end: int) -> list[Transfer]:
    result = []
    while end in came:
        result.append(came[end])
        end = came[end].giver
    return result


def _cheapest(
    problem: WeightedProblem,
    target: IntArray,
    giver: int,
    surplus: int,
    done: np.ndarray[tuple[int], np.dtype[np.bool_]],
    came: Transfer | None,
) -> list[tuple[Transfer, int]]:
    """For each member that isn't done, the transfer to it of the least weight that is enough."""
    weight, class_of, reads = problem.weight, problem.class_of, problem.reads
    own = (target == giver).nonzero()[0]
    own = own[weight[own] >= surplus]
    if came is not None:  # that one is gone by then
        own = own[own != came.gets]
    if not len(own):
        return []
    taken = (target >= 0) & ~done[target] & (class_of >= 0)
    others = (taken & reads[class_of, giver]).nonzero()[0]
    takers = (~done).nonzero()[0]
    holder = np.concatenate((takers, target[others]))
    back = np.concatenate((np.zeros(len(takers), np.int64), weight[others]))
    difference = weight[own][:, None] - back
    fits = (difference >= surplus) & reads[class_of[own]][:, holder]
    value = np.where(fits, difference, FAR)
    best = value.argmin(axis=0)
    least = value[best, np.arange(len(holder))]
    result: dict[int, tuple[Transfer, int]] = {}
    for column in np.flatnonzero(least < FAR).tolist():
        taker, amount = int(holder[column]), int(least[column])
        if taker not in result or amount < result[taker][1]:
            gets = NOTHING if column < len(takers) else int(others[column - len(takers)])
            result[taker] = Transfer(giver, int(own[best[column]]), taker, gets), amount
    return [*result.values()]
