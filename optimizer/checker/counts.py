"""An assignment in counts, by kind and member, or why it isn't one of its group and limits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from optimizer.checker.evenness import every_host_of_members, host_loads, host_of_members, spread_of
from optimizer.checker.facts import cost_facts, cut_by_facts, kinds_under
from optimizer.checker.kinds import Kinds, kinds_of
from optimizer.checker.residual_network import ResidualNetwork
from optimizer.figures import figure
from optimizer.model import (
    NOBODY,
    Goals,
    IntArray,
    Limits,
    Measures,
    Problem,
    Reads,
    cell_level,
    host_level,
    limits_of,
    weights_of,
)


@dataclass(frozen=True)
class Counts:
    """An assignment in counts; only those of an assignment without faults are any good.

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
        """Partitions of each topic at each member, in the order of cells (of pairs without any)."""
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


FAULTS_NAMED = 5
"""Partitions named for each sort of fault; the rest are counted."""


def count_assignment(
    problem: Problem, target: IntArray, goals: Goals, levels: Sequence[str] | None = None
) -> Counts | list[str]:
    """The assignment in counts, or its faults.

    By topic and by host where the levels or the limits ask for it; never where there are no levels
    to look at (None).
    """
    limits = limits_of(problem, goals.limits)
    by_topic = levels is not None and cell_level(levels) is not None
    by_host = levels is not None and host_level(levels) is not None
    if limits is not None and levels is not None:
        by_topic |= limits.most_of_topic is not None
        by_host |= limits.most_on_host is not None
    bare = kinds_of(problem, by_topic)
    allowed = bare if limits is None else kinds_under(bare, limits)
    kinds = cut_by_facts(allowed, cost_facts(problem, goals), problem.owner, target)
    counts = counts_of(problem, kinds, target, by_host, allowed)
    if limits is not None or counts is None:
        faults = list(_faults(problem, bare, limits, target))
        if faults or counts is None:
            return faults
    if limits is None:
        return counts
    forced, measures = forced_moves(problem, bare, allowed), counts.measures
    measures = measures._replace(
        moves=measures.moves + forced, takeovers=measures.takeovers - forced
    )
    return replace(counts, measures=measures, limits=limits, forced=forced)


def _faults(
    problem: Problem, kinds: Kinds, limits: Limits | None, target: IntArray
) -> Iterator[str]:
    """Why it is no assignment of the group; `kinds` are those without limits."""
    could, nobody = kinds.pair_of(target) >= 0, target == NOBODY
    yield from _faults_of(problem, nobody & (kinds.kind_of >= 0), "has subscribers and no owner")
    unread = "is assigned to a member that doesn't subscribe to it"
    yield from _faults_of(problem, ~nobody & ~could, unread)
    if limits is not None:
        yield from _limit_faults(problem, limits, target, (~nobody & could).nonzero()[0])


def _faults_of(problem: Problem, faulty: IntArray, fault: str) -> Iterator[str]:
    partitions = np.flatnonzero(faulty).tolist()
    for partition in partitions[:FAULTS_NAMED]:
        yield f"{problem.partition_name(partition)} {fault}"
    if len(partitions) > FAULTS_NAMED:
        yield f"{len(partitions) - FAULTS_NAMED} more partitions: each {fault}"


def forced_moves(problem: Problem, kinds: Kinds, under: Kinds) -> int:
    """Partitions that leave an owner who could keep them but for the limits."""
    could, may = (each.pair_of(problem.owner) >= 0 for each in (kinds, under))
    return int(np.count_nonzero(could & ~may))


def _limit_faults(
    problem: Problem, limits: Limits, target: IntArray, placed: IntArray
) -> Iterator[str]:
    """Limits that partitions break which are placed with readers."""
    names = problem.member_ids
    barred = placed[~limits.allowed[limits.row_of[placed], target[placed]]]
    if len(barred):
        more = f" ({len(barred)} such)" if len(barred) > 1 else ""
        first = int(barred[0])
        yield (
            f"{problem.partition_name(first)} is assigned to {names[target[first]]}, which its "
            f"limits don't allow{more}"
        )
    loads = np.bincount(target[placed], minlength=len(names))
    if limits.most is not None:
        yield from _above(
            limits.most, loads, lambda at: f"{names[at]} is given {loads[at]} partitions"
        )
    yield from _too_many_on_hosts(problem, limits, loads)
    yield from _too_heavy(problem, limits, target)
    if limits.most_of_topic is None or not len(placed):
        return
    cells, held = np.unique(
        problem.topic_of[placed] * len(names) + target[placed], return_counts=True
    )
    topic, member_of = np.divmod(cells, len(names))

    def given(at: int) -> str:
        name = problem.topics[topic[at]]
        return f"{names[member_of[at]]} is given {held[at]} partitions of {name}"

    yield from _above(limits.most_of_topic[topic], held, given)


def _above(most: IntArray, loads: IntArray, given: Callable[[int], str]) -> Iterator[str]:
    """A sentence for each load that is above the most that limits allow."""
    for at in (loads > most).nonzero()[0].tolist():
        yield f"{given(at)}, and its limits allow {most[at]}"


def _too_many_on_hosts(problem: Problem, limits: Limits, loads: IntArray) -> Iterator[str]:
    if limits.most_on_host is None:
        return
    host = every_host_of_members(problem)
    of_host = host_loads(host, loads)
    _, first = np.unique(host, return_index=True)

    def given(at: int) -> str:
        return f"{of_host[at]} partitions are given to the host of {problem.member_ids[first[at]]}"

    yield from _above(limits.most_on_host[first], of_host, given)


def _too_heavy(problem: Problem, limits: Limits, target: IntArray) -> Iterator[str]:
    if limits.most_weight is None:
        return
    weights = weights_of(problem)
    loads, unit = weights.loads(target), weights.weight_unit
    for member in (loads > limits.most_weight).nonzero()[0].tolist():
        yield (
            f"{problem.member_ids[member]} is given a weight of "
            f"{figure(float(loads[member]) * unit)}, and its limits allow "
            f"{figure(float(limits.most_weight[member]) * unit)}"
        )
