"""How many partitions of each kind every member gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from optimizer.model import IntArray, Problem, classes_of
from optimizer.solver.chain import by_chain
from optimizer.solver.components import components
from optimizer.solver.demand import Demand, Solver
from optimizer.solver.homogeneous import even_shares
from optimizer.solver.hubs import CostClasses, Distribution
from optimizer.solver.nested import by_nest
from optimizer.solver.network import (
    Bounds,
    Caps,
    cannot_be_placed,
    cheapest_distribution,
    cheapest_shares,
)

T = TypeVar("T")


def best_shares(
    demand: Demand, levels: Sequence[str] = ("moves",), caps: Caps | None = None
) -> IntArray | None:
    """Shares of least Σ load², and among those the best by `levels`, one after the other.

    The levels are those of `optimizer.solver.network`. A part of the group in which all loads can
    be within one of each other is balanced by exactly those loads. Any other part is cut in two
    that are balanced each for itself. Under caps, by which no member gets more than it may have,
    balance is one of the levels; None where there are no shares within them.
    """
    if caps is not None:
        return cheapest_shares(demand, caps.bounds(demand), levels)
    shares = np.zeros_like(demand.owned)
    for pairs, found in _parts(demand, lambda part, _: _level_shares(part, levels)):
        shares[pairs] = found
    return shares


def best_distribution(
    demand: Demand, fine: CostClasses, levels: Sequence[str], caps: Caps | None = None
) -> Distribution | None:
    """The same of a group whose kinds are cut into fine ones."""
    if caps is not None:
        return cheapest_distribution(demand, fine, caps.bounds(demand), levels)

    def given(part: Demand, pairs: IntArray) -> Distribution | None:
        of_part = fine.restricted_to(pairs, demand.kind_of_pair)
        found = cheapest_distribution(part, of_part, Bounds.within_one(part), levels)
        return found and found._replace(fine=of_part.numbers[found.fine], pair=pairs[found.pair])

    found = [given for _, given in _parts(demand, given)]
    return Distribution(*map(np.concatenate, zip(*found, strict=True)))


def _parts(
    demand: Demand, solve: Callable[[Demand, IntArray], T | None]
) -> Iterator[tuple[IntArray, T]]:
    """The pairs of parts that are each balanced by themselves, and what was found for each.

    Nothing is found for a part whose loads can't be within one of each other.
    """
    parts = components(demand)
    while parts:
        pairs = parts.pop()
        part = demand.restricted_to(pairs)
        found = solve(part, pairs)
        if found is None:
            for half in _halves(part):
                parts += [pairs[half][some] for some in components(part.restricted_to(half))]
        else:
            yield pairs, found


def min_max_load_of(problem: Problem) -> int:
    """The same of a group, whoever owns what now."""
    classes, members = classes_of(problem), len(problem.member_ids)
    supply = np.bincount(classes.of_partition + 1, minlength=len(classes) + 1)[1:]
    if len(classes) == 1 and len(classes.members) == members:
        return -(-int(supply[0]) // members)
    return min_max_load(supply, classes.offsets, classes.members, members)


def min_max_load(supply: IntArray, offsets: IntArray, members: IntArray, count: int) -> int:
    """The highest load of the optimum of so many members, none of whom owns anything.

    The readers of kind k, of which there are `supply[k]` partitions, are
    members[offsets[k]:offsets[k + 1]].
    """
    nothing = np.zeros(len(members), np.int64)
    shares = best_shares(Demand(supply, offsets, members, nothing, count))
    return int(np.bincount(members, weights=shares, minlength=count).max(initial=0))


def by_even_shares(part: Demand) -> Solver | None:
    """How to find the shares of a single kind that costs nothing but moves."""
    if len(part.supply) > 1 or any(flags.any() for flags in part.costs.values()):
        return None
    return lambda _: even_shares(part.supply, part.offsets, part.owned)


def by_network(part: Demand) -> Solver:
    """How to find the shares of any part."""
    return lambda levels: cheapest_shares(part, Bounds.within_one(part), levels)


SOLVERS: tuple[Callable[[Demand], Solver | None], ...] = (
    *(by_even_shares, by_chain, by_nest),
    by_network,
)
"""Each tells how it finds the shares of a part, None where it can't; the cheapest first."""


def _level_shares(part: Demand, levels: Sequence[str]) -> IntArray | None:
    """The best shares within one of each other; None if there are none."""
    solve = next(filter(None, (solver(part) for solver in SOLVERS)))
    return solve(levels)


def _halves(part: Demand) -> tuple[IntArray, IntArray]:
    """Cut a part at a load k into the pairs of the members above it and those of the others.

    Write Σ load² as Σ load + 2 Σ_k Σ_m max(load_m - k, 0), over whole k > 0. No assignment can make
    the k-th of those inner sums less than what the minimum cut at k leaves over, and one reaches
    all of these bounds at once: the rounded fractional balance (Harvey et al. 2006; Frank and
    Murota, arXiv 1907.02673). So every balanced assignment reaches each
    of them, which it does just if the members above the cut get no less than k each and only
    partitions that nobody else may read, and the others no more than k each.

    Not all members can be above the mean load, rounded down, and one more. If none is, some are
    above the mean and some aren't: otherwise all loads could be the mean or one more.
    """
    for level in (part.mean_load + 1, part.mean_load):
        above, _ = cannot_be_placed(part, Caps(np.full(part.member_count, level)))
        if above.any():
            break
    in_kind_above = above[part.kind_of_pair]
    is_above = np.zeros(part.member_count, np.bool_)
    is_above[part.members[in_kind_above]] = True
    return in_kind_above.nonzero()[0], (~is_above[part.members]).nonzero()[0]
