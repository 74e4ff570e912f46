"""Who may read what, taken from a problem's bare facts for `verify` alone.

The solver has its own way to the same (`optimizer.model.classes`, `optimizer.solver.kinds`): a
fault in one of them must not hide in the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from optimizer.checker.hubs import Hubs, hubs_of
from optimizer.checker.pair_facts import Flags, PairFacts
from optimizer.checker.racks import RackFacts
from optimizer.model import NOTHING, IntArray, Problem, distinct, ranges, stable_order

DENSE = 8
"""A table of all kinds and members may have so many times the entries that are used."""


@dataclass(frozen=True)
class Kinds:
    """Partitions with the same readers, of which the same is true for each reader, are of one kind.

    A kind and a reader are a pair. `kind_of` has the kind of each partition, or -1 when no member
    subscribes to it; the pairs of kind k are offsets[k]:offsets[k + 1]. `member` has the reader of
    each pair and `keys` kind * (number of members) + reader, ascending. `flags` has what is true of
    each pair, by name (see `optimizer.checker.pair_facts`). `topic` is that of each kind, where
    kinds are told apart by it.

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
        """How many members may read each kind."""
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

    def count(self, keys: IntArray) -> IntArray:
        """How often the key of each pair occurs; others are ignored."""
        entries = self.kind_count * self.member_count
        if entries > DENSE * (len(self.keys) + len(keys)):
            at = self.keys.searchsorted(keys)
            mask = np.append(self.keys, -1)[at] == keys
            return np.bincount(at[mask], minlength=len(self.keys))
        counts = np.bincount(keys, minlength=entries)
        return counts if entries == len(self.keys) else counts[self.keys]


def kinds_of(problem: Problem, by_topic: bool = False) -> Kinds:
    """The readers of a group; kinds differ by topic as well if asked to."""
    members, count = len(problem.member_ids), len(problem.subscriptions)
    of_topic, holders = _kinds(problem, by_topic)
    sizes = [len(items) for items in holders]
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


def with_cells(kinds: Kinds) -> Kinds:
    """Number the topics and members, if several kinds are of one topic."""
    if kinds.hubs is not None or not (kinds.topic[1:] == kinds.topic[:-1]).any():
        return kinds
    topic = kinds.topic.repeat(np.diff(kinds.offsets))
    cells, cell = np.unique(topic * kinds.member_count + kinds.member, return_inverse=True)
    return replace(
        kinds,
        cell=cell,
        member_of_cell=cells % kinds.member_count,
        topic_of_cell=cells // kinds.member_count,
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
    return np.array(of_topic, np.int64), [np.frombuffer(items, np.int64) for items, _ in number]


def cut(kinds: Kinds, facts: PairFacts) -> Kinds:
    """Cut every kind by what is true of its partitions."""
    kind_of, kind, row = _cut(kinds, facts)
    counts = np.diff(kinds.offsets)[kind]
    pairs = ranges(kinds.offsets[kind], counts)
    member = kinds.member[pairs]
    flags = facts.flags(row.repeat(counts), facts.column_of[member])
    return Kinds(
        kind_of=kind_of,
        offsets=np.append(0, counts.cumsum()),
        member=member,
        keys=np.arange(len(kind)).repeat(counts) * kinds.member_count + member,
        member_count=kinds.member_count,
        flags={
            **{name: flag[pairs] for name, flag in kinds.flags.items()},
            **flags,
        },
        topic=kinds.topic[kind] if len(kinds.topic) else kinds.topic,
    )


def _cut(kinds: Kinds, facts: PairFacts) -> tuple[IntArray, IntArray, IntArray]:
    """The finer kind of each partition; the kind that each of them is of, and its row."""
    read = kinds.kind_of >= 0
    key = kinds.kind_of[read] * facts.rows + facts.row_of[read]
    result, number = distinct(key, kinds.kind_count * facts.rows)
    kind_of = np.full_like(kinds.kind_of, -1)
    kind_of[read] = number
    return kind_of, result // max(facts.rows, 1), result % max(facts.rows, 1)


def cut_with_hubs(
    kinds: Kinds, facts: RackFacts, owner: IntArray, target: IntArray
) -> Kinds | None:
    """The same with hubs; None where pairs will do."""
    kind_of, kind, row = _cut(kinds, facts)
    hubs = hubs_of(kind, row, kinds.offsets, kinds.member, facts)
    if hubs is None:
        return None
    members = kinds.member_count
    pairs = [
        kind_of[may] * members + items[may]
        for items in (owner, target)
        for may in [kinds.pair_of(items) >= 0]
    ]
    keys = np.union1d(*pairs)
    of, member = np.divmod(keys, members)
    result = Kinds(
        kind_of=kind_of,
        offsets=keys.searchsorted(np.arange(len(kind) + 1) * members),
        member=member,
        keys=keys,
        member_count=members,
        flags=facts.flags(row[of], facts.column_of[member]),
        topic=kinds.topic[kind] if len(kinds.topic) else kinds.topic,
        hubs=hubs,
    )
    if not len(kinds.topic):
        return result
    topic = kinds.topic.repeat(np.diff(kinds.offsets))
    cells, cell = np.unique(topic * members + kinds.member, return_inverse=True)
    return replace(
        result,
        cell=cells.searchsorted(result.topic[of] * members + member),
        member_of_cell=cells % members,
        topic_of_cell=cells // members,
        hubs=replace(hubs, cell=cell.reshape(-1)),
    )
