"""The levels of the goals as the checker sees them: what arcs cost, and what needs no search."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from optimizer.checker.counts import Counts
from optimizer.checker.evenness import are_within_one, host_loads, kept_at_most, least_spread
from optimizer.checker.facts import COSTS
from optimizer.checker.residual_network import FREE, ArcCosts
from optimizer.model import NOTHING, IntArray


class CheckedLevel:
    """The checker's own arithmetic of a level, beside `optimizer.model.LEVELS`.

    `is_of_loads`: the arcs by which it stays as good are those between loads alone.
    """

    is_of_loads = False

    def __init__(self, name: str, counts: Counts) -> None:
        self.name, self.counts = name, counts

    def arc_costs(self) -> ArcCosts:
        """The costs of arcs of the residual network."""
        raise NotImplementedError

    def start(self) -> IntArray:
        """Where the numbers of a certificate are counted from: members, and then cells."""
        return np.zeros(node_count(self.counts), np.int64)

    def is_shown(self) -> bool:
        """Whether numbers of 0 prove it, without a look at any arc."""
        return False

    def is_settled(self, above: Sequence[str]) -> bool:
        """Whether numbers alone tell that no plan as good at the levels above is better."""
        return self.is_shown()


class Cost(CheckedLevel):
    """A level at which a partition costs a member 0 or 1 (`optimizer.checker.facts.COSTS`)."""

    def arc_costs(self) -> ArcCosts:
        kinds = self.counts.kinds
        if self.name not in kinds.flags:
            return ArcCosts(FREE, FREE)
        cost = kinds.flags[self.name].view(np.int8)
        everywhere = FREE if kinds.hubs is None else kinds.hubs.costly.view(np.int8)
        return ArcCosts(cost, -cost, everywhere=everywhere)

    def is_shown(self) -> bool:
        """Whether it costs no member anything in any plan."""
        return self.counts.kinds.is_free(self.name)


class Balance(CheckedLevel):
    """Σ load²: a member's n-th partition costs n - 1, so that it falls and rises with the sum."""

    is_of_loads = True

    @cached_property
    def _lowest(self) -> int | None:
        """The lowest load of all who may read anything; None if not all are within one of it."""
        counts = self.counts
        of_readers, highest = counts.loads[counts.kinds.readers], counts.measures.max_load
        low = int(of_readers.min(initial=highest))
        return low if highest - low <= 1 else None

    def arc_costs(self) -> ArcCosts:
        return ArcCosts(FREE, FREE, more=self.counts.loads, less=1 - self.counts.loads)

    def start(self) -> IntArray:
        low = self._lowest
        start = -self.counts.loads if low is None else -np.minimum(self.counts.loads, low)
        return np.concatenate((start, start[self.counts.kinds.member_of_cell]))

    def is_shown(self) -> bool:
        """Loads within one of each other are balanced."""
        return self._lowest is not None

    def is_settled(self, above: Sequence[str]) -> bool:
        return False


class Moves(CheckedLevel):
    """A partition that its member could have kept costs 1."""

    def arc_costs(self) -> ArcCosts:
        held, owned = self.counts.held, self.counts.owned
        return ArcCosts(-(held < owned).view(np.int8), (held <= owned).view(np.int8))

    def is_settled(self, above: Sequence[str]) -> bool:
        """In a balanced group in which all read all, it is if quotas let nobody keep more."""
        counts, kinds, members = self.counts, self.counts.kinds, len(self.counts.loads)
        if counts.limits is not None or not members or not above:
            return False
        if above[0] != "balance" or len(kinds.member) != kinds.kind_count * members:
            return False
        if not all(kinds.is_free(name) for name in COSTS):
            return False
        owned = np.bincount(kinds.member, counts.owned, members).astype(np.int64)
        partitions = np.array([counts.measures.partitions])
        return bool(counts.kept.sum() == kept_at_most(owned, np.array([0, members]), partitions)[0])


class Hosts(CheckedLevel):
    """Σ (partitions of a host's members)²: a host's n-th partition costs n - 1."""

    def arc_costs(self) -> ArcCosts:
        of_host = self._loads
        return ArcCosts(FREE, FREE, host_more=of_host, host_less=1 - of_host)

    def start(self) -> IntArray:
        lowest = 0 if self.counts.host is None else int(self._loads.min())
        return super().start() - lowest

    @property
    def _loads(self) -> IntArray:
        host, loads = self.counts.host, self.counts.loads
        return NOTHING if host is None else host_loads(host, loads)

    def is_settled(self, above: Sequence[str]) -> bool:
        """Loads of hosts within one of each other can't be more even."""
        return self.counts.host is None or are_within_one(self.counts.host, self.counts.loads)


class Spread(CheckedLevel):
    """Σ (a member's partitions of a topic)²: the n-th costs 2n - 1."""

    def arc_costs(self) -> ArcCosts:
        held = self.counts.held_in_cells
        more, less = 2 * held + 1, 1 - 2 * held
        if self.counts.kinds.cell is None:
            return ArcCosts(more, less)
        return ArcCosts(FREE, FREE, up=more, down=less)

    def is_settled(self, above: Sequence[str]) -> bool:
        """Topics that are each by itself spread evenly can't be spread better."""
        if self.counts.limits is not None:  # readers may be fewer then
            return False
        kinds = self.counts.kinds
        # Kinds stand in the order of their topics: the first of each will do.
        kind = np.diff(kinds.topic, prepend=-1).nonzero()[0]
        sizes = self.counts.problem.topic_sizes[kinds.topic[kind]]
        least = least_spread(kinds.reader_counts[kind], sizes)
        return self.counts.measures.spread == int(least.sum())


LEVELS: dict[str, type[CheckedLevel]] = {
    "balance": Balance,
    "moves": Moves,
    "hosts": Hosts,
    "spread": Spread,
}
"""Levels that aren't a cost of 0 or 1."""


def level_named(name: str, counts: Counts) -> CheckedLevel:
    """A level of the goals, of an assignment."""
    return LEVELS.get(name, Cost)(name, counts)


def are_settled(levels: Sequence[CheckedLevel], stays: bool) -> list[bool]:
    """Of each level whether no plan can be better there, as good as it is at those before it.

    So it is also at any level from moves on if everything stays where it is and nothing is new.
    """
    names = [level.name for level in levels]
    stays_from = names.index("moves") if stays and "moves" in names else len(names)
    return [
        (at >= stays_from and level.name != "balance") or level.is_settled(names[:at])
        for at, level in enumerate(levels)
    ]


def node_count(counts: Counts) -> int:
    """Nodes that a certificate has numbers for: members, and cells where there are any."""
    return len(counts.loads) + len(counts.kinds.member_of_cell)
