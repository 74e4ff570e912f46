"""Cuts of networks and linear programmes: the one file of this room that knows OR-Tools."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray


class Flow:
    """The most that flows from a source over some nodes into others, and from there to a sink.

    `tail` and `head` number the nodes of each side from 0; what leads from one to the other holds
    everything.
    """

    def __init__(self, supply: IntArray, limit: IntArray, tail: IntArray, head: IntArray) -> None:
        import ortools.graph.python.max_flow  # noqa: PLC0415 - most groups need none

        givers, takers = len(supply), len(limit)
        source, sink = givers + takers, givers + takers + 1
        self._network = ortools.graph.python.max_flow.SimpleMaxFlow()
        add = self._network.add_arcs_with_capacity
        add(np.full(givers, source), np.arange(givers), supply)
        self._between = add(tail, head + givers, supply[tail])
        add(np.arange(givers, source), np.full(takers, sink), limit)
        status = self._network.solve(source, sink)
        if status != self._network.OPTIMAL:
            raise RuntimeError(f"OR-Tools' max flow ended with {status.name}")
        self._givers, self._takers = givers, takers
        self._total = int(supply.sum())

    @property
    def is_whole(self) -> bool:
        """Whether all supplies are taken in."""
        return int(self._network.optimal_flow()) == self._total

    @property
    def tight(self) -> NDArray[np.bool_]:
        """The takers on the source's side of the minimum cut nearest to it: they are too few."""
        side = np.zeros(self._givers + self._takers + 2, np.bool_)
        side[self._network.get_source_side_min_cut()] = True
        return side[self._givers : self._givers + self._takers]

    @property
    def between(self) -> IntArray:
        """What flows from each tail to its head."""
        flows: IntArray = self._network.flows(self._between)
        return flows


class PriceProgramme:
    """Prices of partitions from 0 to 1 and a budget for each kind of members, above every bundle.

    It looks for prices whose sum exceeds what all members' budgets come to by as much as can be.
    """

    def __init__(self, partitions: int, members_of_kind: IntArray) -> None:
        from ortools.linear_solver import pywraplp  # noqa: PLC0415 - few groups need it

        solver = pywraplp.Solver.CreateSolver("GLOP")
        self._prices = [solver.NumVar(0, 1, "") for _ in range(partitions)]
        self._budgets = [solver.NumVar(0, solver.infinity(), "") for _ in members_of_kind]
        members = members_of_kind.tolist()
        spent = [count * budget for count, budget in zip(members, self._budgets, strict=True)]
        solver.Maximize(solver.Sum(self._prices) - solver.Sum(spent))
        self._solver: Any = solver

    def add(self, kind: int, bundle: list[int]) -> None:
        """No budget of that kind is below the prices of a bundle of partitions."""
        row = self._solver.RowConstraint(-self._solver.infinity(), 0)
        row.SetCoefficient(self._budgets[kind], -1)
        for partition in bundle:
            row.SetCoefficient(self._prices[partition], 1)

    def solve(self) -> tuple[float, NDArray[np.float64]] | None:
        """How far prices exceed budgets, and the prices; None where it can't be told."""
        if self._solver.Solve() != self._solver.OPTIMAL:
            return None
        prices = np.array([price.solution_value() for price in self._prices])
        return float(self._solver.Objective().Value()), prices
