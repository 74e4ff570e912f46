"""Bounds of plans: prices of partitions, and members who alone may read too much."""

from typing import NamedTuple

import numpy as np

from optimizer.flow import PriceProgramme, taken_in
from optimizer.model import Flags, IntArray, Reals
from optimizer.solver.weighted.problem import WeightedProblem, bundles_of

FINEST = 120
"""Prices are whole numbers up to here, unless others are what the programme says exactly."""

STEPS_OF_PRICES = np.arange(1, 301)
"""Denominators that prices of the programme may have in common."""

MAX_PARTITIONS = 300
"""In groups of more partitions prices aren't looked for: sets say all that matters there."""

MOST_KINDS = 40
"""Nor are they where more kinds of members have each a table to fill."""

STEPS = 5
"""Levels that are tried, at most."""

WIDEST = 2_000_000
"""In groups of more pairs of a partition and a member nothing is shown by numbers alone."""

WORK = 1 << 31
"""Nor where the check's tables could have more entries (`optimizer.checker.weighted`)."""

BUNDLES = 6
"""Bundles added in a round where members are of few kinds, for each kind alone."""


class PriceBound(NamedTuple):
    """No plan is below `level`: its prices are more than all members can have one below it."""

    level: int
    prices: IntArray


def price_bound(
    problem: WeightedProblem, low: int, plan: IntArray, rounds: int, enough: float
) -> PriceBound | None:
    """The highest level found, above `low`, below which prices show that there is no plan.

    `plan` is one to begin with. The dual of the linear programme over bundles of partitions
    (Gilmore and Gomory, Operations Research 9, 1961): bundles that are worth more than their
    member's budget are added until there are none. First the level that would be `enough` is tried,
    and then levels between that and `low`.
    """
    if len(problem.read) > MAX_PARTITIONS:
        return None
    search = _PriceSearch(problem, rounds)
    if len(search.kinds) > MOST_KINDS:
        return None
    search.begin_with(plan)
    best, high = None, problem.level_of(plan)
    level = min(high, max(low + 1, int(high / (1 + enough)) + 1))
    for _ in range(STEPS):
        indices = search.refuting(level - 1)
        if indices is not None:
            low = search.highest(indices, level, high)
            best = PriceBound(low, indices)
        else:
            high = level
        if search.rounds <= 0 or high - low <= 1 or low * (1 + enough) >= high:
            break
        level = (low + high + 1) // 2
    return best


def counted_bound(problem: WeightedProblem, low: int, high: int) -> PriceBound | None:
    """A bound by prices of 1: numbers of partitions, and of the lightest that members take in.

    Where partitions weigh about the same, it is they that can't be cut into pieces. None where that
    shows nothing above `low`.
    """
    if problem.members * len(problem.read) > WIDEST:
        return None
    ascending = problem.read[::-1]
    may = problem.reads[problem.class_of[ascending]].T
    sums = np.where(may, problem.weight[ascending], 0).cumsum(axis=1)
    lightest = np.where(may, sums, np.iinfo(np.int64).max)

    def is_shown(level: int) -> bool:
        taken = int(np.count_nonzero(lightest <= problem.weights.limits(level - 1)[:, None]))
        return taken < len(problem.read)

    if high <= low or not is_shown(low + 1) or _kinds(problem) * len(problem.read) ** 2 > WORK:
        return None
    best = low + 1
    while high > best:
        middle = (best + high + 1) // 2
        best, high = (middle, high) if is_shown(middle) else (best, middle - 1)
    prices = np.zeros(len(problem.class_of), np.int64)
    prices[problem.read] = 1
    return PriceBound(best, prices)


def _kinds(problem: WeightedProblem) -> int:
    """The number of kinds of members: of one subscription and capacity."""
    key = np.concatenate((problem.reads, problem.weights.capacity[None, :]), axis=0)
    return len(np.unique(key, axis=1).T)


class _PriceSearch:
    def __init__(self, problem: WeightedProblem, rounds: int) -> None:
        self.problem, self.rounds = problem, rounds
        self.partitions = problem.read
        self.weight = problem.weight[self.partitions]
        key = np.concatenate((problem.reads, problem.weights.capacity[None, :]), axis=0).T
        kinds, self.members = np.unique(key, axis=0, return_counts=True)
        self.kinds = kinds
        of_class = problem.class_of[self.partitions]
        # The lightest first: those that fit come first.
        self.may = [np.flatnonzero(kind[:-1][of_class])[::-1] for kind in kinds]
        self.capacity = kinds[:, -1]
        self.bundles: set[tuple[int, tuple[int, ...]]] = set()

    def begin_with(self, plan: IntArray) -> None:
        """Take the bundles that members have in a plan as the first, for all whom they fit."""
        key = np.concatenate((self.problem.reads, self.problem.weights.capacity[None, :]), axis=0).T
        for member in range(self.problem.members):
            kind = int((self.kinds == key[member]).all(axis=1).argmax())
            bundle = (plan[self.partitions] == member).nonzero()[0]
            self.bundles.add((kind, tuple(bundle.tolist())))

    def refuting(self, level: int) -> IntArray | None:
        """Prices that refute a level, for all partitions of the group; None if none are found."""
        limits = (level * self.capacity // self.problem.weights.parts).tolist()
        programme = PriceProgramme(len(self.partitions), self.members)
        for kind, bundle in sorted(self.bundles):
            if int(self.weight[list(bundle)].sum()) <= limits[kind]:
                programme.add(kind, list(bundle))
        while self.rounds > 0:
            self.rounds -= 1
            solved = programme.solve()
            if solved is None or solved[0] < 1e-7:
                return None
            prices = whole(solved[1])
            budget, is_new = 0, False
            for kind, limit in enumerate(limits):
                costliest = self._dearest(prices, kind, limit)
                budget += costliest[0][0] * int(self.members[kind])
                for _, bundle in costliest:
                    if (kind, bundle) not in self.bundles:
                        self.bundles.add((kind, bundle))
                        programme.add(kind, list(bundle))
                        is_new = True
            if int(prices.sum()) > budget:
                of_group = np.zeros(len(self.problem.class_of), np.int64)
                of_group[self.partitions] = prices
                return of_group
            if not is_new:
                return None
        return None

    def highest(self, prices: IntArray, level: int, plan: int) -> int:
        """The highest level, up to that of a plan, below which the same prices show the same."""
        of_read, total = prices[self.partitions], int(prices.sum())
        low, high = level, plan
        while low < high:
            middle = (low + high + 1) // 2
            limits = ((middle - 1) * self.capacity // self.problem.weights.parts).tolist()
            budget = sum(
                int(count) * dearest(of_read, self.weight, self.may[kind], limits[kind])[0]
                for kind, count in enumerate(self.members)
            )
            low, high = (middle, high) if total > budget else (low, middle - 1)
        return low

    def _dearest(
        self, prices: IntArray, kind: int, limit: int
    ) -> list[tuple[int, tuple[int, ...]]]:
        """The dearest bundle of a kind of members, and the dearest of what is left of it."""
        left, bundles = prices.copy(), []
        for _ in range(max(1, BUNDLES // len(self.kinds))):
            most, bundle = dearest(left, self.weight, self.may[kind], limit)
            bundles.append((most, bundle))
            left[list(bundle)] = 0
            if not most:
                break
        return bundles


def whole(prices: Reals) -> IntArray:
    """Prices as whole numbers: multiples of what they have in common, or rounded down."""
    multiples = STEPS_OF_PRICES[:, None] * prices
    exact = np.abs(multiples - np.rint(multiples)).max(axis=1, initial=0.0) < 1e-6
    rounded = np.floor(prices * FINEST + 1e-6)
    return np.rint(multiples[int(exact.argmax())] if exact.any() else rounded).astype(np.int64)


def dearest(
    prices: IntArray, weight: IntArray, may: IntArray, limit: int
) -> tuple[int, tuple[int, ...]]:
    """The price of the dearest bundle within a limit, and the bundle.

    A table has the least weight for each price, as far as that is within the limit.
    """
    candidates = may[(prices[may] > 0) & (weight[may] <= limit)]
    least = np.zeros(1, np.int64)
    tables = []
    for price, weighs in zip(prices[candidates].tolist(), weight[candidates].tolist(), strict=True):
        tables.append(least)
        more = np.full(len(least) + price, limit + 1)
        more[: len(least)] = least
        np.minimum(more[price:], least + weighs, out=more[price:])
        least = more[: int(np.flatnonzero(more <= limit)[-1]) + 1]
    at = most = len(least) - 1
    bundle = []
    for p, table in zip(candidates[::-1].tolist(), tables[::-1], strict=True):
        if at < len(table) and table[at] == least[at]:
            least = table
            continue
        bundle.append(p)
        at -= int(prices[p])
        least = table
    return most, tuple(sorted(bundle))


class SetBound(NamedTuple):
    """No plan is below `level`, for `members` together (None: each for itself) read too much.

    At a level a partition can only go to members that take it in: what is confined to `members`
    then weighs more than all of them take in. With no member among them, it is a partition that
    nobody takes in.
    """

    level: int
    members: Flags


def simple_bound(problem: WeightedProblem) -> SetBound:
    """The best bound by nobody, by all members, and by the readers of a class."""
    weights, everybody = problem.weights, np.ones(problem.members, np.bool_)
    best = SetBound(_biggest(problem), ~everybody)
    total = int(problem.class_weight.sum())
    level = _least_level(problem, everybody, total)
    if level > best.level:
        best = SetBound(level, everybody)
    if problem.all_read_all:
        return best
    capacity = problem.reads @ weights.capacity
    share = problem.class_weight * weights.parts / capacity
    worst = int(np.argmax(share)) if len(share) else -1
    if worst >= 0 and share[worst] > best.level:
        members = problem.reads[worst].copy()
        level = _least_level(problem, members, int(problem.class_weight[worst]))
        best = max(best, SetBound(level, members), key=lambda bound: bound.level)
    return best


def most_loaded(problem: WeightedProblem, start: SetBound) -> SetBound:
    """The best bound by any set: Newton's method on maximum flows, exactly (Dinkelbach 1967).

    Where a flow shows that a level is too low, its minimum cut is a set that says so; the next
    level is the least that this set allows, until one is found at which everything fits.
    """
    best, level = start, start.level
    network = _Network(problem)
    while True:
        tight = network.too_few(level)
        if tight is None:
            return best
        level = network.least_level(tight, level)
        best = SetBound(level, tight)


def _biggest(problem: WeightedProblem) -> int:
    """The level of the partition that even its strongest reader finds heaviest."""
    if not len(problem.read):
        return 0
    weights = problem.weights
    strongest = np.where(problem.reads, weights.capacity, 0).max(axis=1, initial=1)
    heaviest = np.zeros(len(problem.reads), np.int64)
    np.maximum.at(heaviest, problem.class_of[problem.read], problem.weight[problem.read])
    return int((-(-heaviest * weights.parts // strongest)).max())


def _least_level(problem: WeightedProblem, members: Flags, weight: int) -> int:
    """The least level at which members take in so much, whole numbers each."""
    capacity = problem.weights.capacity[members]
    level = -(-weight * problem.weights.parts // max(int(capacity.sum()), 1))
    while int((level * capacity // problem.weights.parts).sum()) < weight:
        level += 1
    return level


class _Network:
    """Bundles of partitions that the same members can take in, and kinds of such members.

    Members of one subscription and capacity are of a kind.
    """

    def __init__(self, problem: WeightedProblem) -> None:
        self.problem = problem
        reads, capacity = problem.reads, problem.weights.capacity
        columns = np.concatenate(
            (np.packbits(reads, axis=0).T, capacity.view(np.uint8).reshape(-1, 8)), axis=1
        )
        _, first, kind = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        self.kind_of_member = kind.reshape(-1)
        self.capacity = capacity[first]
        self.count = np.bincount(self.kind_of_member, minlength=len(first))
        self.reads = reads[:, first]

    def too_few(self, level: int) -> Flags | None:
        """The members who read too much for a level; None if everything fits in."""
        limit = level * self.capacity // self.problem.weights.parts
        supply, may_read = self._parcels(limit)
        if not may_read[supply > 0].any(axis=1).all():
            return np.zeros(self.problem.members, np.bool_)
        tail, head = may_read.nonzero()
        flow = taken_in(supply, limit * self.count, tail, head)
        return None if flow.is_whole else flow.side[len(supply) :][self.kind_of_member]

    def _parcels(self, limit: IntArray) -> tuple[IntArray, Flags]:
        """The weights of bundles, and which kinds may read each."""
        if not self.problem.has_tiers:
            return self.problem.class_weight, self.reads
        bundles = bundles_of(self.problem, self.reads, limit)
        return bundles.weight, bundles.may

    def least_level(self, tight: Flags, level: int) -> int:
        """The least level above which a set of members isn't too small any more, by bisection."""
        low, step = level, 1  # too low
        high = self._by_capacity(tight, level)
        if high - 1 > low and self._is_too_small(tight, high - 1):
            low = high - 1
        while self._is_too_small(tight, high):
            low, high, step = high, high + step, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_too_small(tight, middle) else (low, middle)
        return high

    def _by_capacity(self, tight: Flags, level: int) -> int:
        """A level that the set's capacity as a whole asks for, above the one that is too low."""
        problem = self.problem
        outside = (problem.reads & ~tight).any(axis=1)
        weight = int(problem.class_weight[~outside].sum())
        capacity = int(problem.weights.capacity[tight].sum())
        return max(level + 1, -(-weight * problem.weights.parts // max(capacity, 1)))

    def _is_too_small(self, tight: Flags, level: int) -> bool:
        problem = self.problem
        limits = problem.weights.limits(level)
        beyond = np.where(problem.reads & ~tight, limits, -1).max(axis=1, initial=-1)
        confined = problem.weight[problem.read] > beyond[problem.class_of[problem.read]]
        weight = int(problem.weight[problem.read][confined].sum())
        return weight > int(limits[tight].sum())
