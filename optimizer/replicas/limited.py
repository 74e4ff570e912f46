"""The best choice with at most that many copies, by what a copy has to save.

At a price of c a copy, the least of Σ replicas² + c · copies is a plan like any other, exact and
proven; the dearer a copy, the fewer there are. Each such plan bounds all with N copies at most:
none has a Σ replicas² below its own + c · (its copies - N) (Lagrange). Where that is reached the
plan is optimal. Between two prices copies of some partitions are made dearer than of others by
next to nothing, one partition after the other, until there are N copies. Copies that are left then,
between two such plans, are spent on exchanges, the most useful first.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer.replicas.goals import ReplicaGoalsError
from optimizer.replicas.numbering import IntArray
from optimizer.replicas.placement import Placement, cheapest_exchanges, exchange
from optimizer.replicas.solve import solve

FINE = 24
"""Parts of a unit to which prices differ: halves, thirds and quarters lie between them."""


class Limit(NamedTuple):
    """What at most that many copies leave of the balance.

    `balance` is the plan's Σ replicas² of brokers (by capacity weighted), `best` what it would be
    with as many copies as it takes, and no plan with so few is below `bound`.
    """

    copies: int
    balance: int
    best: int
    bound: int | None

    @property
    def is_reached(self) -> bool:
        return self.bound == self.balance


def solve_within(problem: Placement, copies: int, best: int) -> tuple[IntArray, Limit]:
    """The best choice with at most that many copies; ReplicaGoalsError where more are needed."""
    search = _Search(problem, copies)
    choice = search.best()
    return choice, Limit(copies, problem.balance(choice), best, search.bound)


class _Search:
    def __init__(self, problem: Placement, copies: int) -> None:
        self.problem, self.copies = problem, copies
        self.cheapest: IntArray | None = None
        self.last: IntArray | None = None
        self.bound: int | None = None
        self.rank = np.random.default_rng(problem.partitions).permutation(problem.partitions)

    def best(self) -> IntArray:
        problem = self.problem
        load = int(problem.loads(problem.listed).sum() + problem.count.sum())
        most = 2 * int(problem.weight.max(initial=1)) * (2 * load + 2) + 1
        least = self._copies_at(most * problem.brokers, 1)
        if least > self.copies:
            raise ReplicaGoalsError(
                f"at least {least} copies are needed, and at most "
                f"{self.copies} are allowed: allow more, or choose fewer topics"
            )
        dear = 1
        while self._copies_at(dear, 2 * FINE) > self.copies:
            dear *= 2
        price = _first(
            dear // 2 - 1,
            dear,
            # halfway between two prices that may be ties
            lambda price: self._copies_at(price | 1, 2 * FINE) <= self.copies,
        )
        self._distribute((price | 1) - 1)
        assert self.cheapest is not None
        return self._spent(self.cheapest)

    def _spent(self, choice: IntArray) -> IntArray:
        """The same choice after exchanges by which balance gains, for the copies that are left."""
        problem = self.problem
        counted = replace(
            problem,
            listed_cost=np.zeros_like(problem.listed_cost),
            new_cost=np.ones_like(problem.new_cost),
        )
        choice, left = choice.copy(), self.copies - problem.new_in(choice)
        loads, weight = problem.loads(choice), problem.weight
        while True:
            swaps = cheapest_exchanges(counted, choice)
            giver, taker = swaps.giver % problem.brokers, swaps.taker % problem.brokers
            gain = weight[giver] * (2 * loads[giver] - 1) - weight[taker] * (2 * loads[taker] + 1)
            gain = np.where(swaps.cost <= left, gain, 0)
            if gain.max(initial=0) <= 0:
                return choice
            at = int(gain.argmax())
            exchange(choice, swaps.partition[[at]], giver[[at]], taker[[at]])
            loads[giver[at]] -= 1
            loads[taker[at]] += 1
            left -= int(swaps.cost[at])

    def _distribute(self, price: int) -> None:
        """Let a copy of more and more partitions be dearer than that, of the others cheaper."""
        scale = 2 * self.copies + 1

        def few_enough(count: int) -> bool:
            costs = np.where(self.rank < count, price * scale + 1, price * scale - 1)
            return self._solved(np.maximum(costs, 0), 2 * FINE * scale) <= self.copies

        _first(0, self.problem.partitions, few_enough)

    def _copies_at(self, price: int, load_weight: int) -> int:
        return self._solved(np.full(self.problem.partitions, price), load_weight)

    def _solved(self, costs: IntArray, load_weight: int) -> int:
        """The copies of the best choice at these prices, which is kept if it is better."""
        priced = replace(self.problem, new_cost=costs, load_weight=load_weight)
        self.last, proven = solve(priced, self.last)
        copies, balance = priced.new_in(self.last), priced.balance(self.last)
        if proven:
            above = int(priced.costs_of(self.last).sum()) - int(costs.max(initial=0)) * self.copies
            bound = balance - (-above // load_weight)  # rounded up: balances are whole numbers
            self.bound = bound if self.bound is None else max(self.bound, bound)
        if copies <= self.copies and (
            self.cheapest is None or balance < priced.balance(self.cheapest)
        ):
            self.cheapest = self.last
        return copies


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number above `low` of which it holds; it does of `high`."""
    return low + 1 + bisect_left(range(low + 1, high), True, key=holds)
