"""An assignment in counts, by kind and member, for `verify` alone."""

from dataclasses import dataclass, replace

import numpy as np

from optimizer.checker.evenness import every_host_of_members, host_loads, host_of_members, spread_of
from optimizer.checker.kinds import Kinds
from optimizer.checker.residual_network import ResidualNetwork
from optimizer.model import IntArray, Limits, Measures, Problem, Reads


@dataclass(frozen=True)
class Counts:
    """Who holds how much of what; only those of an assignment without faults are any good.

    `loads` has the number of partitions of each member. `owned`, `held` and `kept` have for each
    pair how many partitions of its kind the member owns now, is given, and keeps. `limits` are
    those that other assignments have to keep to as well; `allowed` are the kinds with those readers
    alone whom limits allow, before costs cut them, and `forced` how many partitions leave an
    owner who could keep them but for these. `host` has that of each member, where
    hosts matter.
    """

    problem: Problem
    kinds: Kinds
    target: IntArray
    measures: Measures
    loads: IntArray
    owned: IntArray
    held: IntArray
    kept: IntArray
    limits: Limits | None = None
    allowed: Kinds | None = None
    forced: int = 0
    host: IntArray | None = None

    @property
    def held_in_cells(self) -> IntArray:
        """What each member has of each topic, in the order of cells (of pairs without any)."""
        cell, cells = self.kinds.cell, len(self.kinds.member_of_cell)
        return self.held if cell is None else np.bincount(cell, self.held, cells).astype(np.int64)

    @property
    def stays(self) -> bool:
        """Whether every partition stays where it is, so that any other plan moves more of them."""
        return int(self.kept.sum()) == self.measures.partitions

    def reads(self, counts: IntArray) -> Reads | None:
        """Reads by each pair, of `counts` partitions; None where racks don't matter."""
        flags = self.kinds.flags
        if "racks" not in flags:
            return None
        local, remote = (counts.sum(where=flags[name]) for name in ("local", "racks"))
        return Reads(int(local), int(remote))

    def residual_network(self, most: int | None = None) -> ResidualNetwork:
        """All arcs that the assignment allows, within its limits and `most` for each member."""
        cell, cells = self.kinds.cell, len(self.kinds.member_of_cell)
        more = self.loads < (np.inf if most is None else most)
        gain, up = np.ones(len(self.held), np.bool_), np.ones(cells, np.bool_)
        if self.limits is not None and self.limits.most is not None:
            more &= self.loads < self.limits.most
        if self.limits is not None and self.limits.most_of_topic is not None:
            most_of_topic, kinds = self.limits.most_of_topic, self.kinds
            if cell is None:
                gain = self.held < most_of_topic[kinds.topic.repeat(np.diff(kinds.offsets))]
            else:
                up = self.held_in_cells < most_of_topic[kinds.topic_of_cell]
        network = ResidualNetwork(
            taker=self.kinds.member if cell is None else cell + len(self.loads),
            offsets=self.kinds.offsets,
            member_of_cell=self.kinds.member_of_cell,
            gain=gain,
            loss=self.held > 0,
            more=more,
            less=self.loads > 0,
            up=up,
            down=self.held_in_cells[:cells] > 0,
        )
        if self.host is not None:
            of_host = host_loads(self.host, self.loads)
            is_open = np.ones(len(of_host), np.bool_)
            if self.limits is not None and self.limits.most_on_host is not None:
                is_open[self.host] = of_host[self.host] < self.limits.most_on_host
            network = replace(network, host=self.host, host_more=is_open, host_less=of_host > 0)
        hubs = self.kinds.hubs
        if hubs is None:
            return network
        everywhere, near, on, out = (
            np.ones(len(arcs), np.bool_)
            for arcs in (hubs.class_of, hubs.near_kind, hubs.class_of_hub, hubs.reader)
        )
        return replace(network, everywhere=everywhere, near=near, on=on, out=out, hubs=hubs)


def counts_of(
    problem: Problem,
    kinds: Kinds,
    target: IntArray,
    by_host: bool = False,
    allowed: Kinds | None = None,
) -> Counts | None:
    """Count an assignment; None if it isn't one of the group."""
    holdings = kinds.holdings(problem.owner, target)
    if holdings is None:
        return None
    owned, held, kept, taken = holdings
    loads = np.bincount(target + 1, minlength=kinds.member_count + 1)[1:]
    moves = int(owned.sum()) - int(kept.sum())
    host = host_of_members(problem)
    measures = Measures(
        partitions=int(held.sum()),
        max_load=int(loads.max(initial=0)),
        min_load=int(loads.min()) if len(loads) else 0,
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=taken - moves,
        spread=spread_of(problem, target),
        max_host_load=None if host is None else int(host_loads(host, loads).max()),
    )
    host = every_host_of_members(problem) if by_host else None
    return Counts(
        problem, kinds, target, measures, loads, owned, held, kept, allowed=allowed, host=host
    )
