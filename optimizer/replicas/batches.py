"""In which batches a plan is carried out: few copies at a time, spread over brokers.

A copy goes from its partition's leader to the new broker. With limits for the copies of a batch,
and for those into or out of a broker, the fewest batches are as many as the busiest of these needs:
copies are the edges of a bipartite graph of sources and targets, whose edges can be coloured so
that every colour has its share of all edges and of each vertex's (König; de Werra 1971). What has
several copies gets them in different batches, one after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from optimizer.replicas.plan import ReplicaPlan

Name = tuple[str, int]


class Step(NamedTuple):
    """What one batch does to one partition: its list of replicas before and after."""

    topic: str
    partition: int
    before: list[int]
    after: list[int]
    source: int | None
    target: int | None


@dataclass(frozen=True)
class Batches:
    """Steps of each batch; `fewest` is how many batches there are at least within the limits."""

    batches: list[list[Step]]
    fewest: int


class _Copy(NamedTuple):
    partition: int
    source: int
    target: int


def batches_of(
    plan: ReplicaPlan,
    copies: int | None = None,
    per_broker: int | None = None,
    leaders: dict[Name, int] | None = None,
    urgent: set[Name] | None = None,
) -> Batches:
    """The plan in batches, with limits for the copies of a batch and of a broker.

    `leaders` tells who leads partitions now, where it isn't the first replica. Batches with more of
    the `urgent` partitions come first, then those with more replicas that leave brokers which
    aren't to be used. What needs no copy is in the first batch if replicas are only dropped, and
    in the last if only their order changes.
    """
    changes = plan.changes
    alive = {broker.id for broker in plan.cluster.brokers if broker.alive}
    used = {b.id for b, item in zip(plan.cluster.brokers, plan.cluster.used, strict=True) if item}
    edges: list[_Copy] = []
    for at, change in enumerate(changes):
        leader = (leaders or {}).get((change.topic, change.partition), change.before[0])
        source = next(b for b in (leader, *change.before) if b in alive)
        new = [broker for broker in change.after if broker not in change.before]
        edges += [_Copy(at, source, broker) for broker in new]
    fewest = _fewest(edges, copies, per_broker)
    colour_of = _coloured(edges, fewest, copies, per_broker)
    count = max([fewest, *(colour + 1 for colour in colour_of)])
    weight = [[0, 0] for _ in range(count)]
    for edge, colour in zip(edges, colour_of, strict=True):
        change = changes[edge.partition]
        weight[colour][0] += (change.topic, change.partition) in (urgent or ())
        weight[colour][1] += any(broker not in used for broker in change.before)
    order = sorted(range(count), key=lambda colour: ([-n for n in weight[colour]], colour))
    place = {colour: at for at, colour in enumerate(order)}
    targets: dict[int, list[tuple[int, _Copy]]] = defaultdict(list)
    for edge, colour in zip(edges, colour_of, strict=True):
        targets[edge.partition].append((place[colour], edge))
    batches: list[list[Step]] = [[] for _ in range(max(count, 1) if changes else 0)]
    for at, change in enumerate(changes):
        if at not in targets:
            dropped = len(change.after) < len(change.before)
            step = Step(*change[:2], change.before, change.after, None, None)
            batches[0 if dropped else -1].append(step)
            continue
        for batch, step in _steps(plan, at, sorted(targets[at])):
            batches[batch].append(step)
    return Batches([batch for batch in batches if batch], max(fewest, 1) if changes else 0)


def _steps(plan: ReplicaPlan, at: int, copies: list[tuple[int, _Copy]]) -> list[tuple[int, Step]]:
    """A partition's steps: each adds one replica and lets one go; the last has the plan's order.

    Kafka refuses a file that names a dead broker, so these go at once; the leader goes last.
    """
    change = plan.changes[at]
    alive = {broker.id for broker in plan.cluster.brokers if broker.alive}
    most = max(len(change.before), len(change.after))
    leader = copies[0][1].source
    leaving = [broker for broker in change.before if broker not in change.after]
    leaving.sort(key=lambda broker: (broker in alive, broker == leader))
    now, steps = change.before, []
    for rank, (batch, copy) in enumerate(copies):
        after = change.after
        if rank < len(copies) - 1:
            dead = sum(broker not in alive for broker in leaving)
            gone = leaving[: max(dead, len(now) + 1 - most)]
            leaving = leaving[len(gone) :]
            after = [*(broker for broker in now if broker not in gone), copy.target]
        steps.append((batch, Step(*change[:2], now, after, copy.source, copy.target)))
        now = after
    return steps


def _fewest(edges: Sequence[_Copy], copies: int | None, per_broker: int | None) -> int:
    if not edges:
        return 0
    least = max(Counter(edge.partition for edge in edges).values())
    if copies:
        least = max(least, -(-len(edges) // copies))
    if per_broker:
        busiest = max(
            *Counter(edge.source for edge in edges).values(),
            *Counter(edge.target for edge in edges).values(),
        )
        least = max(least, -(-busiest // per_broker))
    return least


def _coloured(
    edges: Sequence[_Copy], colours: int, copies: int | None, per_broker: int | None
) -> list[int]:
    """A batch for each copy."""
    if colours <= 1:
        return [0] * len(edges)
    colouring = _Colouring(edges, colours)
    for at in range(len(edges)):
        colouring.add(at)
    colouring.even_out()
    colour_of = colouring.colour_of
    return _apart(edges, colour_of, colours, copies, per_broker)


class _Colouring:
    """Edges of a bipartite graph, each vertex cut into parts of as many edges as there are colours.

    No two edges of a part have one colour, so a vertex has its share of each colour at most.
    """

    def __init__(self, edges: Sequence[_Copy], colours: int) -> None:
        self.colours = colours
        self.colour_of = [-1] * len(edges)
        sources = self._parts([edge.source for edge in edges], edges)
        targets = self._parts([edge.target for edge in edges], edges)
        self.ends = list(zip(sources, [~target for target in targets], strict=True))
        self.at: dict[tuple[int, int], int] = {}  # (part, colour) -> edge
        everything = (1 << colours) - 1  # colours as bits
        self.free = {part: everything for ends in self.ends for part in ends}

    def _parts(self, vertices: list[int], edges: Sequence[_Copy]) -> list[int]:
        """The part of its vertex that each edge is at; a partition's edges stand together."""
        order = sorted(range(len(edges)), key=lambda at: (vertices[at], edges[at].partition))
        parts, part, size, before = [0] * len(edges), -1, 0, None
        for at in order:
            if vertices[at] != before or size == self.colours:
                part, size, before = part + 1, 0, vertices[at]
            parts[at], size = part, size + 1
        return parts

    def add(self, edge: int) -> None:
        item, other = self.ends[edge]
        common = self.free[item] & self.free[other]
        if not common:
            free, wanted = _lowest(self.free[item]), _lowest(self.free[other])
            self._flip(other, free, wanted)  # then both have `free` left
            common = 1 << free
        self._set(edge, _lowest(common))

    def _set(self, edge: int, colour: int) -> None:
        self.colour_of[edge] = colour
        for part in self.ends[edge]:
            self.at[part, colour] = edge
            self.free[part] &= ~(1 << colour)

    def _flip(self, part: int, number: int, other: int) -> None:
        """Swap two colours along the path that begins at a part with an edge of colour `one`."""
        path, colour = [], number
        while (edge := self.at.get((part, colour))) is not None:
            path.append(edge)
            ends = self.ends[edge]
            part = ends[0] if ends[1] == part else ends[1]
            colour = other if colour == number else number
        self._swap(path, number, other)

    def _swap(self, path: list[int], number: int, other: int) -> None:
        for edge in path:
            for part in self.ends[edge]:
                if self.at.get((part, self.colour_of[edge])) == edge:
                    del self.at[part, self.colour_of[edge]]
                    self.free[part] |= 1 << self.colour_of[edge]
        for edge in path:
            self._set(edge, other if self.colour_of[edge] == number else number)

    def even_out(self) -> None:
        """Swap the largest colour for the smallest along a path with more of the former."""
        sizes = [0] * self.colours
        for colour in self.colour_of:
            sizes[colour] += 1
        while max(sizes) - min(sizes) > 1:
            many, few = sizes.index(max(sizes)), sizes.index(min(sizes))
            path = self._longer(many, few)
            sizes[many] -= 1
            sizes[few] += 1
            self._swap(path, many, few)

    def _longer(self, many: int, few: int) -> list[int]:
        """A path of two colours that begins and ends with the one that there is more of."""
        for at, colour in enumerate(self.colour_of):
            if colour != many:
                continue
            for part, beyond in (self.ends[at], self.ends[at][::-1]):
                if (part, few) in self.at:
                    continue
                path, end, wanted = [at], beyond, few
                while (edge := self.at.get((end, wanted))) is not None:
                    path.append(edge)
                    ends = self.ends[edge]
                    end = ends[0] if ends[1] == end else ends[1]
                    wanted = many if wanted == few else few
                if len(path) % 2:
                    return path
        raise AssertionError("one colour has more edges, so some path has more of it")


def _lowest(colours: int) -> int:
    return (colours & -colours).bit_length() - 1


def _apart(
    edges: Sequence[_Copy],
    colour_of: list[int],
    colours: int,
    copies: int | None,
    per_broker: int | None,
) -> list[int]:
    """The same with a partition's copies in different batches; a few may need batches more."""
    size: dict[int, int] = defaultdict(int)
    busy: dict[tuple[int, int], int] = defaultdict(int)
    taken: set[tuple[int, int]] = set()
    clashing = []
    for at, (edge, colour) in enumerate(zip(edges, colour_of, strict=True)):
        if (edge.partition, colour) in taken:
            clashing.append(at)
            continue
        taken.add((edge.partition, colour))
        _count(size, busy, edge, colour)
    for at in clashing:
        edge, colour = edges[at], 0
        while (
            (edge.partition, colour) in taken
            or size[colour] >= (copies or len(edges))
            or max(busy[edge.source, colour], busy[~edge.target, colour])
            >= (per_broker or len(edges))
        ):
            colour += 1
        colour_of[at] = colour
        taken.add((edge.partition, colour))
        _count(size, busy, edge, colour)
    return colour_of


def _count(
    size: dict[int, int], busy: dict[tuple[int, int], int], edge: _Copy, colour: int
) -> None:
    size[colour] += 1
    busy[edge.source, colour] += 1
    busy[~edge.target, colour] += 1
