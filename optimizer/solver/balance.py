"""How many partitions of each kind every member gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from optimizer.model import IntArray, Problem, classes_of
from optimizer.solver.chain import chain_of, chain_shares
from optimizer.solver.components import components
from optimizer.solver.demand import Demand
from optimizer.solver.flow import kinds_above
from optimizer.solver.homogeneous import even_shares
from optimizer.solver.hubs import CostClasses, Distribution, distribution_within_one
from optimizer.solver.nested import nest_of, nested_shares
from optimizer.solver.shares import cheapest_shares
from optimizer.solver.spread import spread_shares

T = TypeVar("T")


def best_shares(demand: Demand, levels: Sequence[str] = ("moves",)) -> IntArray:
    """Shares of least Σ load², and among those the best by `levels`, one after the other.

    The levels are "moves", the most kept, those of `optimizer.solver.costs`, such as "racks",
    the fewest partitions read across racks, and "spread" where the demand has topics for it.

    A part of the group in which all loads can be within one of each other is balanced by exactly
    those loads. Any other part is cut in two that are balanced each for itself.
    """
    shares = np.zeros_like(demand.owned)
    for pairs, result in _parts(demand, lambda part, _: _level_shares(part, levels)):
        shares[pairs] = result
    return shares


def best_distribution(demand: Demand, fine: CostClasses, levels: Sequence[str]) -> Distribution:
    """The same of a group whose kinds are cut into fine ones."""

    def given(part: Demand, pairs: IntArray) -> Distribution | None:
        of_part = fine.restricted_to(pairs, demand.kind_of_pair)
        result = distribution_within_one(part, of_part, _base(part), levels)
        return result and result._replace(
            fine=of_part.numbers[result.fine], pair=pairs[result.pair]
        )

    outcome = [inputs for _, inputs in _parts(demand, given)]
    return Distribution(*map(np.concatenate, zip(*outcome, strict=True)))


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
        result = solve(part, pairs)
        if result is None:
            for half in _halves(part):
                parts += [
                    pairs[half][component] for component in components(part.restricted_to(half))
                ]
        else:
            yield pairs, result


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


def _level_shares(part: Demand, levels: Sequence[str]) -> IntArray | None:
    """The best shares within one of each other; None if there are none."""
    if len(part.supply) == 1 and not any(flags.any() for flags in part.costs.values()):
        return even_shares(part.supply, part.offsets, part.owned)
    if chain := chain_of(part):
        return chain_shares(part, chain, _base(part), levels)
    if nest := nest_of(part):
        return nested_shares(part, nest, _base(part))
    if part.topics is None:
        return cheapest_shares(part, _base(part), levels)
    return spread_shares(part, part.topics, _base(part), levels)


def _base(part: Demand) -> int:
    """The mean load, rounded down."""
    return int(part.supply.sum()) // part.member_count


def _halves(part: Demand) -> tuple[IntArray, IntArray]:
    """Cut a part at a load k into the pairs of the members above it and those of the others.

    Write Σ load² as Σ load + 2 Σ_k Σ_m max(load_m - k, 0), over whole k > 0. No assignment can make
    the k-th of those inner sums less than what the minimum cut at k leaves over, and one reaches
    all of these bounds at once: the rounded fractional balance (Harvey et al. 2006; Frank and
    Murota, arXiv 1907.02673). So every balanced assignment reaches each
    of them, which it does just if the members above the cut get no less than k each and only
    partitions that nobody else may read, and the others no more than k each.

    Not all members can be above `_base` + 1, which is more than the mean. If none is, some are
    above `_base` and some aren't: otherwise all loads could be `_base` or one more.
    """
    base = _base(part)
    above = kinds_above(part, base + 1)
    if not above.any():
        above = kinds_above(part, base)
    in_kind_above = above[part.kind_of_pair]
    is_above = np.zeros(part.member_count, np.bool_)
    is_above[part.members[in_kind_above]] = True
    return in_kind_above.nonzero()[0], (~is_above[part.members]).nonzero()[0]
