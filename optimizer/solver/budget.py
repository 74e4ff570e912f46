"""The least largest load for a number of moves, and the whole curve of both."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optimizer.model import DEFAULT_GOALS, Goals, IntArray, Problem
from optimizer.solver.demand import Bounds, Demand, demand_in_kinds
from optimizer.solver.distribute import distribute
from optimizer.solver.kinds import Kinds
from optimizer.solver.network import cheapest_shares
from optimizer.solver.pipeline import Pipeline

MOST_POINTS = 200
"""Points of a curve beyond which a person sees no more."""


@dataclass(frozen=True)
class LoadsByMoves:
    """The fewest moves after which no member has more than `load` partitions.

    That number falls with the load, and falls less and less: it is what a min-cost flow costs, and
    so convex in the capacity that members have. At `lowest`, the least largest load there is, it is
    highest; at `highest` it is lowest: no move at all, unless caps take some.
    """

    problem: Problem
    kinds: Kinds
    demand: Demand
    caps: Bounds | None
    lowest: int
    highest: int

    def shares(self, load: int) -> IntArray | None:
        """Shares with the fewest moves; None if there are none with so small a load."""
        return cheapest_shares(self.demand, self.caps_at(load).readable(self.demand), ("moves",))

    def caps_at(self, load: int) -> Bounds:
        """How much each member may have, that nobody has more than the load."""
        most = np.full(self.demand.member_count, load)
        if self.caps is None:
            return Bounds(0, most)
        return self.caps._replace(most=np.minimum(most, self.caps.most))

    def plan(self, load: int) -> IntArray:
        """A plan with the fewest moves for a load from the lowest on."""
        shares, problem = self.shares(load), self.problem
        assert shares is not None, "no load is examined below the least there is"
        return distribute(problem.owner, problem.topic_offsets, self.kinds, self.demand, shares)

    def moves(self, load: int) -> int:
        """The fewest moves for a load from the lowest on."""
        if load not in self._moves_seen:
            self._moves_seen[load] = self._moves(load)
        return self._moves_seen[load]

    def least_load(self, moves: int) -> int:
        """The least largest load that `moves` moves reach."""
        low, high = self.lowest, self.highest
        while low < high:
            middle = (low + high) // 2
            if self.moves(middle) <= moves:
                high = middle
            else:
                low = middle + 1
        return low

    def points(self) -> list[tuple[int, int]]:
        """Each load from the lowest to the highest, and the fewest moves for it.

        Where a point lies on the line between two others, all between them do, since the curve is
        convex: so most points need no flow. Of more loads than MOST_POINTS some are left out, the
        fewer the nearer they are to the lowest.
        """
        if self.highest - self.lowest >= MOST_POINTS:
            steps = np.geomspace(1, self.highest - self.lowest + 1, MOST_POINTS) - 1
            loads = np.unique(self.lowest + steps.astype(np.int64)).tolist()
            return [(load, self.moves(load)) for load in loads]
        end = (self.highest, self.moves(self.highest))
        return sorted({*self._between(self.lowest, self.highest), end})

    @cached_property
    def _moves_seen(self) -> dict[int, int]:
        return {}

    def _moves(self, load: int) -> int:
        owned = self.demand.owned
        if (
            len(self.demand.supply) == 1 and self.caps is None
        ):  # what anybody has above the load has to go
            return int(np.maximum(owned - load, 0).sum())
        shares = self.shares(load)
        assert shares is not None, "no load is examined below the least there is"
        return int(owned.sum() - np.minimum(shares, owned).sum())

    def _between(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        first, last = self.moves(low), self.moves(high)
        middle = (low + high) // 2
        if low < middle:
            here = self.moves(middle)
            if (here - first) * (high - low) != (last - first) * (middle - low):
                yield from self._between(low, middle)
                yield from self._between(middle, high)
                return
        step = (last - first) // max(high - low, 1)
        yield from ((load, first + step * (load - low)) for load in range(low, high))


def loads_by_moves(problem: Problem, lowest: int, goals: Goals = DEFAULT_GOALS) -> LoadsByMoves:
    """Of a group, whose least largest load is known; under the limits of its goals."""
    bare = Pipeline.of(problem, replace(DEFAULT_GOALS, **goals.limits._asdict()))
    caps = bare.caps
    kinds, demand = demand_in_kinds(problem, bare.kinds, {}, (), caps)
    owned = np.bincount(demand.members, demand.owned, demand.member_count)
    low = max(lowest, int(owned.max(initial=0)))
    new = int(demand.supply.sum() - demand.owned.sum())
    if not (new or caps):
        return LoadsByMoves(problem, kinds, demand, caps, lowest, low)
    curve = LoadsByMoves(problem, kinds, demand, caps, lowest, max(low + new, lowest))
    return replace(curve, highest=curve.least_load(curve.moves(curve.highest)))
