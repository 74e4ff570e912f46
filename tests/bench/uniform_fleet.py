"""A made-up fleet of groups of one size: what benchmarks measure."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from optimizer import STRATEGIES
from optimizer.model import NOBODY, Flags, IntArray, Problem
from spark.demo.names import uuids
from spark.fleet.local_store import table_of

TOPICS = 5
"""Topics of each group, which nobody else reads."""

NEWCOMERS = 2
"""Members of each group that have just joined and own nothing: the others hold Range's answer."""

CLUSTERS = 10

GENERATION = 7


def uniform_fleet(
    groups: int,
    partitions_per_group: int,
    members_per_group: int,
    overlapping_every: int,
    seed: int,
) -> dict[str, pa.Table]:
    """The tables groups, members, subscriptions, partitions and assignments of such a fleet.

    Every `overlapping_every`-th group has members with half of the topics or more, drawn for each,
    so that somebody who isn't new reads each topic; in the others all read all. Every partition is
    owned: `groups` × `partitions_per_group` rows. ValueError where the numbers are too small.
    """
    least = {"groups": 1, "partitions_per_group": TOPICS, "members_per_group": NEWCOMERS + 1}
    least["overlapping_every"] = 1
    inputs = (groups, partitions_per_group, members_per_group, overlapping_every)
    for (name, lowest), value in zip(least.items(), inputs, strict=True):
        if value < lowest:
            raise ValueError(f"{name} has to be {lowest} or more, not {value}")
    rng = np.random.default_rng(seed)
    sizes = np.full(TOPICS, partitions_per_group // TOPICS)
    sizes[: partitions_per_group % TOPICS] += 1
    new = np.argsort(rng.random((groups, members_per_group)), axis=1) < NEWCOMERS
    reads = _reads(rng, new, np.arange(groups) % overlapping_every == overlapping_every - 1)
    owner = _owners(new, reads, sizes)
    names = _Names(rng, groups, members_per_group)
    group, member, topic = np.nonzero(reads)
    partition = np.tile(np.concatenate([np.arange(size) for size in sizes]), groups)
    of_group = np.repeat(np.arange(groups), partitions_per_group)
    of_topic = np.tile(np.repeat(np.arange(TOPICS), sizes), groups)
    return {
        "groups": table_of(
            "groups",
            {
                **names.of_groups(np.arange(groups)),
                "state": ["Stable"] * groups,
                "strategy": ["range"] * groups,
                "generation": [GENERATION] * groups,
            },
        ),
        "members": table_of("members", names.of_members(*np.nonzero(np.ones_like(new)))),
        "subscriptions": table_of(
            "subscriptions", {**names.of_members(group, member), **names.of_topics(group, topic)}
        ),
        "partitions": table_of(
            "partitions",
            {
                "cluster": names.of_groups(of_group)["cluster"],
                **names.of_topics(of_group, of_topic),
                "partition": pa.array(partition, pa.int32()),
            },
        ),
        "assignments": table_of(
            "assignments",
            {
                **names.of_members(of_group, owner.ravel()),
                **names.of_topics(of_group, of_topic),
                "partition": pa.array(partition, pa.int32()),
                "generation": pa.array(np.full(len(partition), GENERATION), pa.int32()),
            },
        ),
    }


def _reads(rng: np.random.Generator, new: Flags, overlapping: Flags) -> Flags:
    """Whether each member of each group reads each topic: groups × members × topics."""
    reads = np.ones((*new.shape, TOPICS), bool)
    items = (int(overlapping.sum()), new.shape[1])
    rank = np.argsort(rng.random((*items, TOPICS)), axis=2)
    drawn = rank < rng.integers(-(-TOPICS // 2), TOPICS + 1, items)[:, :, None]
    unread = ~(drawn & ~new[overlapping][:, :, None]).any(axis=1)
    group, topic = np.nonzero(unread)
    drawn[group, new[overlapping].argmin(axis=1)[group], topic] = True
    reads[overlapping] = drawn
    return reads


def _owners(new: Flags, reads: Flags, sizes: IntArray) -> IntArray:
    """Range's answer among the members that aren't new, group by group: groups × partitions."""
    groups, members = new.shape
    old = members - NEWCOMERS
    old_members = np.nonzero(~new)[1].reshape(groups, old)
    owner = np.tile(_range(np.ones((old, TOPICS), bool), sizes), (groups, 1))
    for group in np.flatnonzero(~reads.all(axis=(1, 2))):
        owner[group] = _range(reads[group, old_members[group]], sizes)
    return np.take_along_axis(old_members, owner, axis=1)


def _range(reads: Flags, sizes: IntArray) -> IntArray:
    """Range's answer for members (rows) who read topics (columns)."""
    members = len(reads)
    offsets = np.append(0, np.cumsum(sizes))
    subscriptions, of_member = np.unique(reads, axis=0, return_inverse=True)
    return (
        STRATEGIES["range"]
        .assign(
            Problem(
                member_ids=[f"{m:06d}" for m in range(members)],
                topics=[str(t) for t in range(TOPICS)],
                topic_offsets=offsets,
                member_subscription=of_member,
                subscriptions=[np.flatnonzero(row) for row in subscriptions],
                owner=np.full(offsets[-1], NOBODY),
            )
        )
        .target
    )


class _Names:
    """The names of everything, looked up by index."""

    def __init__(self, rng: np.random.Generator, groups: int, members: int) -> None:
        self._members = members
        clusters = [f"cluster-{g * CLUSTERS // groups:02d}" for g in range(groups)]
        names = [f"service-{g:06d}" for g in range(groups)]
        tails = uuids(rng, groups * members)
        # numbered from the front, so that ids sort as the indexes do
        ids = [f"{name}-{m:05d}-{next(tails)}" for name in names for m in range(members)]
        self._cluster = pa.array(clusters)
        self._group = pa.array(names)
        self._member = pa.array(ids)
        self._topic = pa.array([f"{name}.topic-{t}" for name in names for t in range(TOPICS)])

    def of_groups(self, group: IntArray) -> dict[str, pa.Array]:
        rows = pa.array(group)
        return {"cluster": self._cluster.take(rows), "group": self._group.take(rows)}

    def of_members(self, group: IntArray, member: IntArray) -> dict[str, pa.Array]:
        ids = self._member.take(pa.array(group * self._members + member))
        return {**self.of_groups(group), "member_id": ids}

    def of_topics(self, group: IntArray, topic: IntArray) -> dict[str, pa.Array]:
        return {"topic": self._topic.take(pa.array(group * TOPICS + topic))}
