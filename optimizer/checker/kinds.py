"""Kinds of partitions by who may read them, taken from a problem's bare facts for `verify` alone.

The solver has its own way to the same (`optimizer.model.classes`, `optimizer.solver.kinds`): a
fault in one of them must not hide in the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from optimizer.model import NOBODY, NOTHING, Flags, IntArray, Problem, ranges, stable_order

CHANGED_FRACTION = 4
"""Changes are counted apart if they are fewer than one in this many partitions."""

DENSE = 8
"""A table of all kinds and members may have this many times the entries that are used."""


@dataclass(frozen=True)
class Hubs:
    """Arcs from kinds to all who may read them, by way of hubs.

    Kinds that have the same readers are of a class, `class_of`. By the hub of its class a partition
    gets to any reader, and costs a read across racks where the kind is `costly`; by that of a class
    and a rack to the readers there, at no cost: `near_kind` and `near_hub` are the arcs there.
    `class_of_hub` has the class of each hub of a rack. A class and a reader are a pair of their
    own, from the hub `hub_of_reader` of its rack to `reader`, a member; `cell` is the cell of
    these, where there are cells.
    """

    class_of: IntArray
    costly: Flags
    near_kind: IntArray
    near_hub: IntArray
    class_of_hub: IntArray
    hub_of_reader: IntArray
    reader: IntArray
    cell: IntArray | None = None


class Holdings(NamedTuple):
    """Partitions of each pair's kind that its member owns now, is given, and keeps.

    `taken` counts partitions that somebody owned, be it a member or not, and another one is given.
    """

    owned: IntArray
    held: IntArray
    kept: IntArray
    taken: int


@dataclass(frozen=True)
class Kinds:
    """Partitions with the same readers, of which the same is true for each reader, are of one kind.

    A kind and a reader are a pair. `kind_of` has the kind of each partition, or -1 when no member
    subscribes to it; the pairs of kind k are offsets[k]:offsets[k + 1]. `member` has the reader of
    each pair and `keys` kind * (number of members) + reader, ascending. `flags` has what is true of
    each pair, by name (see `optimizer.checker.facts`). `topic` is that of each kind, where
    kinds differ in it.

    A cell is a topic and a member. Where kinds differ by topic and by other facts as well, `cell`
    has the number of each pair's cell, `member_of_cell` and `topic_of_cell` what each cell is of.

    Where there are `hubs`, pairs are only those of a kind and a member that owns or is given some
    of it; every kind has one then.
    """

    kind_of: IntArray
    offsets: IntArray
    member: IntArray
    keys: IntArray
    member_count: int
    flags: Mapping[str, Flags] = field(default_factory=dict)
    topic: IntArray = field(default_factory=NOTHING.copy)
    cell: IntArray | None = None
    member_of_cell: IntArray = field(default_factory=NOTHING.copy)
    topic_of_cell: IntArray = field(default_factory=NOTHING.copy)
    hubs: Hubs | None = None

    @property
    def readers(self) -> IntArray:
        """Members who may read anything, some of them more than once."""
        return self.member if self.hubs is None else self.hubs.reader

    @property
    def reader_counts(self) -> IntArray:
        """Members that may read each kind."""
        if self.hubs is None:
            return np.diff(self.offsets)
        of_class = np.bincount(self.hubs.class_of_hub[self.hubs.hub_of_reader])
        return of_class[self.hubs.class_of]

    def is_free(self, name: str) -> bool:
        """Whether what facts of a name tell is true of nobody."""
        if self.hubs is not None and name == "racks" and self.hubs.costly.any():
            return False
        flags = self.flags.get(name)
        return flags is None or not flags.any()

    @property
    def kind_count(self) -> int:
        return len(self.offsets) - 1

    def kind_at(self, pair: int) -> int:
        """The kind of a pair."""
        return int(self.keys[pair]) // self.member_count

    def pair_of(self, member: IntArray) -> IntArray:
        """The pair of each partition's kind and the member given for it; -1 if there is none."""
        nobody = (member < 0) | (self.kind_of < 0)
        wanted = np.where(nobody, -1, self.kind_of * self.member_count + member)
        at = self.keys.searchsorted(wanted)
        return np.where(np.append(self.keys, -2)[at] == wanted, at, -1)

    def holdings(self, owner: IntArray, target: IntArray) -> Holdings | None:
        """Count owners and an assignment by pair, from what changes; None if it isn't one.

        It is one if all partitions with readers, and no others, are held by kinds.
        """
        kind = self.kind_of
        if kind.min(initial=0) < 0:
            read = (kind >= 0).nonzero()[0]
            if np.count_nonzero(target >= 0) > np.count_nonzero(target[read] >= 0):
                return None
            kind, owner, target = kind[read], owner[read], target[read]
        if target.min(initial=0) < 0:
            return None
        base = kind * self.member_count
        is_changed = target != owner
        changed = is_changed.nonzero()[0]
        owned = self.count(base, owner)
        if not len(changed):
            held = kept = owned
        elif len(changed) * CHANGED_FRACTION < len(target):
            where = base[changed]
            kept = owned - self.count(where, owner[changed])
            held = kept + self.count(where, target[changed])
        else:
            held, stays = self.count(base, target), ~is_changed
            kept = self.count(base[stays], target[stays])
        if int(held.sum()) != len(target):
            return None
        return Holdings(owned, held, kept, int(np.count_nonzero(owner[changed] != NOBODY)))

    def count(self, base: IntArray, member: IntArray) -> IntArray:
        """How often each pair occurs; a member may be nobody, and of no pair."""
        if member.min(initial=0) < 0:
            placed = (member >= 0).nonzero()[0]
            base, member = base[placed], member[placed]
        keys, pairs = base + member, self.kind_count * self.member_count
        if pairs > DENSE * (len(self.keys) + len(keys)):
            at = self.keys.searchsorted(keys)
            mask = np.append(self.keys, -1)[at] == keys
            return np.bincount(at[mask], minlength=len(self.keys))
        counts = np.bincount(keys, minlength=pairs)
        return counts if pairs == len(self.keys) else counts[self.keys]


def kinds_of(problem: Problem, by_topic: bool = False) -> Kinds:
    """The readers of a group; kinds differ by topic as well if asked to."""
    members, count = len(problem.member_ids), len(problem.subscriptions)
    of_topic, holders = _kinds(problem, by_topic)
    sizes = [len(subscriptions) for subscriptions in holders]
    holder = np.concatenate(holders) if holders else NOTHING
    base = np.arange(0, len(sizes) * members, max(members, 1)).repeat(sizes)
    order = stable_order(problem.member_subscription, count)
    if count == members:
        member = order[holder]
    else:
        sharing = np.bincount(problem.member_subscription, minlength=count)
        first, sharing = (sharing.cumsum() - sharing)[holder], sharing[holder]
        member = order[ranges(first, sharing)]
        base = base.repeat(sharing)
    keys = base + member
    if (keys[1:] < keys[:-1]).any():
        keys.sort()
        member = keys % members
    return Kinds(
        kind_of=of_topic.repeat(problem.topic_sizes),
        offsets=keys.searchsorted(np.arange(len(sizes) + 1) * members),
        member=member,
        keys=keys,
        member_count=members,
        topic=(of_topic >= 0).nonzero()[0] if by_topic else NOTHING,
    )


def _kinds(problem: Problem, by_topic: bool) -> tuple[IntArray, list[IntArray]]:
    """The kind of each topic, and for each kind the subscriptions that hold its topics.

    A topic without partitions is of none. Topics that the same members hold are of one kind unless
    each is to be of its own.
    """
    sizes = [len(topics) for topics in problem.subscriptions]
    topic = np.concatenate([NOTHING, *problem.subscriptions])
    holder = np.arange(len(sizes)).repeat(sizes)[stable_order(topic, len(problem.topics))]
    ends = np.bincount(topic, minlength=len(problem.topics)).cumsum().tolist()
    number: dict[tuple[bytes, int], int] = {}
    of_topic = [
        number.setdefault((holder[start:end].tobytes(), at if by_topic else 0), len(number))
        if end > start and size
        else -1
        for at, ((start, end), size) in enumerate(
            zip(pairwise([0, *ends]), problem.topic_sizes.tolist(), strict=True)
        )
    ]
    return np.array(of_topic, np.int64), [np.frombuffer(held, np.int64) for held, _ in number]
