"""Why each partition moves, and why the group can't be better: facts, and a sentence for each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from optimizer.checker import Kinds, check_assignment, kinds_of, rack_facts_of
from optimizer.figures import figure
from optimizer.model import (
    DEFAULT_GOALS,
    NOBODY,
    Goals,
    IntArray,
    Limits,
    Problem,
    every_host_of,
    host_names,
    hosts_of,
    limits_of,
    on_hosts,
    weights_of,
)
from optimizer.reasons.reason import Bound, HostLoads, PathStep, Reason, bounds_of, sentences_of

OUTSIDE = -1
"""Giver of a partition that none of its readers owns."""


class Handover(NamedTuple):
    """A partition and the members, by index, who give and take it."""

    partition: int
    giver: int
    taker: int


Path = list[Handover]


def paths_of(current: IntArray, target: IntArray) -> Iterator[Path]:
    """Split all changes into paths, and cycles, on which no member comes twice.

    `current` has OUTSIDE for partitions without an owner that may keep them. What a member gets is
    linked to what it gives, one by one, as long as there are both. So every path starts outside or
    at a member that has less in the end, and ends at one that has more; a path that ends where it
    starts is a cycle. Every change is in one path.
    """
    changed = np.flatnonzero((target >= 0) & (target != current)).tolist()
    transfers = [Handover(p, int(current[p]), int(target[p])) for p in changed]
    following = _links(transfers)
    followers = set(following.values())
    starts = [at for at in range(len(transfers)) if at not in followers]
    seen: set[int] = set()
    for start in (*starts, *range(len(transfers))):
        chain: Path = []
        at: int | None = start
        while at is not None and at not in seen:
            seen.add(at)
            chain.append(transfers[at])
            at = following.get(at)
        yield from _simple(chain)


def _links(transfers: Sequence[Handover]) -> dict[int, int]:
    """For each transfer the one by which its taker passes a partition on, if there is one."""
    from_member: dict[int, list[int]] = {}
    for at, transfer in enumerate(transfers):
        if transfer.giver != OUTSIDE:
            from_member.setdefault(transfer.giver, []).append(at)
    # What comes from a member is linked before what comes from outside.
    order = sorted(range(len(transfers)), key=lambda at: transfers[at].giver == OUTSIDE)
    waiting = {member: iter(positions) for member, positions in from_member.items()}
    links = ((at, next(waiting.get(transfers[at].taker, iter(())), None)) for at in order)
    return {at: following for at, following in links if following is not None}


def _simple(chain: Path) -> Iterator[Path]:
    """Cut cycles out of a chain; what is left is a path."""
    path: Path = []
    place: dict[int, int] = {chain[0].giver: 0} if chain and chain[0].giver != OUTSIDE else {}
    for transfer in chain:
        path.append(transfer)
        if transfer.taker in place:
            start = place[transfer.taker]
            for passed in path[start:]:
                place.pop(passed.taker, None)
            place[transfer.taker] = start
            yield path[start:]
            path = path[:start]
        else:
            place[transfer.taker] = len(path)
    if path:
        yield path


@dataclass(frozen=True)
class Explanation:
    """A reason for each partition that moves, and the bounds that keep the group from better."""

    moves: list[Reason]
    bounds: list[Bound]

    def sentences(self) -> list[str]:
        return [_drop_commas(str(each)) for each in (*self.moves, *sentences_of(self.bounds))]


def _drop_commas(sentence: str) -> str:
    """Commas that close a clause before punctuation are dropped."""
    for mark in (",:", ",;", ",,"):
        sentence = sentence.replace(mark, mark[1])
    return sentence.removesuffix(",")


def explain(problem: Problem, target: IntArray, goals: Goals = DEFAULT_GOALS) -> Explanation:
    """Say why each partition moves that does; in the order of the partitions.

    `target` has a member index or NOBODY for each partition and must be an assignment of the group
    (see `optimizer.checker`). Every sentence is true of any assignment; causes other than "nothing"
    are there for all moves of an optimal one.
    """
    problem = on_hosts(problem, goals.host)
    view = _View(problem, target, goals)
    reasons = [
        (path[place].partition, reason)
        for path in paths_of(view.current, target)
        for place, reason in view.reasons(path)
    ]
    reasons.sort(key=lambda pair: pair[0])
    bounds = bounds_of(problem, view.kinds, target)
    return Explanation([reason for _, reason in reasons], bounds)


class _View:
    """The group, its loads and its facts, looked up once for all sentences."""

    def __init__(self, problem: Problem, target: IntArray, goals: Goals) -> None:
        self._problem = problem
        self.kinds: Kinds = kinds_of(problem)
        may_keep = self.kinds.pair_of(problem.owner) >= 0
        self.current = np.where(may_keep, problem.owner, NOBODY)
        self._before, self._after = (
            np.bincount(assigned[assigned >= 0], minlength=len(problem.member_ids)).tolist()
            for assigned in (self.current, target)
        )
        self._limits = limits_of(problem, goals.limits)
        self._rack_facts = rack_facts_of(problem, goals.rack)
        self._reads: set[int] = set(self.kinds.keys.tolist())
        topics = problem.topic_of[target >= 0].tolist()
        self._held = Counter(zip(topics, target[target >= 0].tolist(), strict=True))

    def reasons(self, path: Path) -> Iterator[tuple[int, Reason]]:
        """A reason for each step of a path that is a move."""
        ids = self._problem.member_ids
        members = {m for transfer in path for m in transfer[1:] if m != OUTSIDE}
        steps = tuple(self._step(*transfer) for transfer in path)
        fewer = self._fewer_remote(path)
        less_spread = self._less_spread(path)
        cause = self._cause(path, fewer, less_spread)
        loads = {ids[m]: (self._before[m], self._after[m]) for m in sorted(members)}
        for place, transfer in enumerate(path):
            if transfer.giver != OUTSIDE:
                previous = path[max(place - 1, 0)].partition
                barred = not self._may_read(path[-1].taker, previous)
                over_hosts = self._over_hosts(path)
                details = (loads, fewer, less_spread, barred, over_hosts)
                yield place, Reason(steps, place, cause, *details)

    def _step(self, partition: int, giver: int, taker: int) -> PathStep:
        problem = self._problem
        topic = int(problem.topic_of[partition])
        number = partition - int(problem.topic_offsets[topic])
        names: Sequence[str] = problem.member_ids
        return PathStep(
            problem.topics[topic], number, None if giver == OUTSIDE else names[giver], names[taker]
        )

    def _cause(self, path: Path, fewer_remote: int, less_spread: int) -> str:
        first, last = path[0].giver, path[-1].taker
        if first == OUTSIDE:
            direct = self._may_read(last, path[0].partition)
            if not direct:
                return "room"
        elif first != last and self._after[first] >= self._after[last]:
            return "balance"
        if fewer_remote > 0:
            return "racks"
        if self._limits is not None and self._is_barred(path, self._limits):
            return "limits"
        if self._over_hosts(path):
            return "hosts"
        return "spread" if less_spread > 0 else "nothing"

    def _is_barred(self, path: Path, limits: Limits) -> bool:
        """Whether limits don't allow what the path changed: who had what, or how much."""
        for partition, giver, _ in path:
            if giver == OUTSIDE:
                continue
            topic = int(self._problem.topic_of[partition])
            if not limits.allowed[limits.row_of[partition], giver]:
                return True
            if limits.most is not None and self._after[giver] >= limits.most[giver]:
                return True
            if self._is_host_full(limits, giver):
                return True
            cap = limits.most_of_topic
            if cap is not None and self._held[topic, giver] >= cap[topic]:
                return True
        return False

    def _is_host_full(self, limits: Limits, member: int) -> bool:
        if limits.most_on_host is None:
            return False
        hosts = every_host_of(self._problem)
        load = hosts.loads(np.array(self._after))[hosts.of_member[member]]
        return bool(load >= limits.most_on_host[member])

    def _fewer_remote(self, path: Path) -> int:
        """Reads across racks without the path, less those with it."""
        without = sum(self._is_remote(t.partition, _without(t, path)) for t in path)
        return without - sum(self._is_remote(t.partition, t.taker) for t in path)

    def _over_hosts(self, path: Path) -> tuple[HostLoads, HostLoads] | None:
        """The hosts that a path leads from and to, if going back would make them less even."""
        first, last, hosts = path[0].giver, path[-1].taker, hosts_of(self._problem)
        if hosts is None or first == OUTSIDE:
            return None
        before, after = (hosts.loads(np.array(of)) for of in (self._before, self._after))
        giver, taker = hosts.of_member[[first, last]].tolist()
        if giver == taker or after[giver] < after[taker]:
            return None
        names = [self._host_name(member) for member in (first, last)]
        ends = zip(names, (giver, taker), strict=True)
        of_giver, of_taker = (HostLoads(name, int(before[h]), int(after[h])) for name, h in ends)
        return of_giver, of_taker

    def _host_name(self, member: int) -> str:
        (name,) = host_names([(self._problem.hosts or ())[member]])
        return name or f"the host of {self._problem.member_ids[member]}"

    def _less_spread(self, path: Path) -> int:
        """The spread of topics without the path, less that with it."""
        change: Counter[tuple[int, int]] = Counter()
        for transfer in path:
            topic = int(self._problem.topic_of[transfer.partition])
            change[topic, _without(transfer, path)] += 1
            change[topic, transfer.taker] -= 1
        return sum(more * (2 * self._held[cell] + more) for cell, more in change.items())

    def _is_remote(self, partition: int, member: int) -> bool:
        rack_facts = self._rack_facts
        if rack_facts is None:
            return False
        row, column = rack_facts.row_of[[partition]], rack_facts.column_of[[member]]
        return bool(rack_facts.flags(row, column)["racks"][0])

    def _may_read(self, member: int, partition: int) -> bool:
        kind = int(self.kinds.kind_of[partition])
        return kind * self.kinds.member_count + member in self._reads


def _without(transfer: Handover, path: Path) -> int:
    """The member that has a partition without the path: its owner, or else its last member."""
    return path[-1].taker if transfer.giver == OUTSIDE else transfer.giver


TAKEN = "; its limits take that"


@dataclass(frozen=True)
class WeightExplanation(Explanation):
    """The sentences on a plan by weight: one a moved partition, and one on the bound."""

    lines: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        return self.lines


def explain_by_weight(
    problem: Problem, target: IntArray, goals: Goals, certificate: bytes | None = None
) -> WeightExplanation:
    """Say where each partition that moves weighs less, in the order of the partitions.

    `target` must be an assignment of the group; `certificate` is what shows the plan's bound.
    """
    weights, ids = weights_of(problem), problem.member_ids
    may_keep = kinds_of(problem).pair_of(problem.owner) >= 0
    kept = np.where(may_keep, problem.owner, NOBODY)
    before, after = (weights.stated_loads(owners).tolist() for owners in (kept, target))

    def with_load(member: int) -> str:
        return f"{ids[member]}, which had {figure(before[member])}"

    limits, sentences = limits_of(problem, goals.limits), []
    for p in np.flatnonzero(may_keep & (target != problem.owner)).tolist():
        giver, taker = int(problem.owner[p]), int(target[p])
        weight = figure(float(weights.of_partition[p]) * weights.weight_unit)
        sentences.append(
            f"{problem.partition_name(p)} (weight {weight}) moves from {with_load(giver)}, to "
            f"{with_load(taker)}: they will have {figure(after[giver])} and "
            f"{figure(after[taker])}"
            + (TAKEN if limits and not limits.allowed[limits.row_of[p], giver] else "")
        )
    verdict = check_assignment(problem, target, certificate, goals)
    return WeightExplanation([], [], sentences + ([verdict.weight.shown] if verdict.weight else []))
