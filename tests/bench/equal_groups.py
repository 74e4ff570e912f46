"""A made-up fleet of groups of one size, which most benchmarks measure."""

from typing import Any

import numpy as np
import pyarrow as pa

from optimizer.model import Flags, IntArray
from spark.demo.clusters import uuids
from spark.fleet.local_store import table_of

TOPICS = 5
"""Topics of each group, which nobody else reads."""

PARTITIONS, MEMBERS = 100, 10
"""Of each group: 20 partitions a topic, every one of them owned."""

NEWCOMERS = 2
"""Members of each group that have just joined and own nothing: the others hold Range's answer."""

OVERLAPPING_EVERY = 10
"""One group in that many has members with half of the topics or more; in others all read all."""

CLUSTERS = 10

GENERATION = 7


def equal_groups(groups: int) -> dict[str, pa.Table]:
    """The tables groups, members, subscriptions, partitions and assignments of such a fleet."""
    rng = np.random.default_rng(1)
    sizes = np.full(TOPICS, PARTITIONS // TOPICS)
    new = np.argsort(rng.random((groups, MEMBERS)), axis=1) < NEWCOMERS
    is_overlapping = np.arange(groups) % OVERLAPPING_EVERY == OVERLAPPING_EVERY - 1
    reads = _reads(rng, new, is_overlapping)
    owner = _owners(new, reads, sizes)
    names = [f"service-{g:06d}" for g in range(groups)]
    tails = uuids(rng, groups * MEMBERS)
    clusters = pa.array([f"cluster-{g * CLUSTERS // groups:02d}" for g in range(groups)])
    topics = pa.array([f"{name}.topic-{t}" for name in names for t in range(TOPICS)])
    # numbered from the front, so that ids sort as the indexes do
    ids = [f"{name}-{m:05d}-{next(tails)}" for name in names for m in range(MEMBERS)]

    def table(name: str, group: IntArray, member: Any = 0, topic: Any = 0, **more: Any) -> pa.Table:
        """That table of rows by index."""
        columns = {
            "cluster": clusters.take(pa.array(group)),
            "group": pa.array(names).take(pa.array(group)),
            "member_id": pa.array(ids).take(pa.array(group * MEMBERS + member)),
            "topic": topics.take(pa.array(group * TOPICS + topic)),
        }
        return table_of(name, columns | more)

    every = np.arange(groups)
    partition = np.tile(np.concatenate([np.arange(size) for size in sizes]), groups)
    facts = {"state": ["Stable"], "strategy": ["range"], "generation": [GENERATION]}
    owned = (np.repeat(every, PARTITIONS), owner.ravel())
    of_topic = np.tile(np.repeat(np.arange(TOPICS), sizes), groups)
    numbers = pa.array(partition, pa.int32())
    generations = pa.array(np.full(len(partition), GENERATION), pa.int32())
    return {
        "groups": table("groups", every, **{name: cell * groups for name, cell in facts.items()}),
        "members": table("members", *np.nonzero(np.ones_like(new))),
        "subscriptions": table("subscriptions", *np.nonzero(reads)),
        "partitions": table("partitions", *owned, of_topic, partition=numbers),
        "assignments": table(
            "assignments", *owned, of_topic, partition=numbers, generation=generations
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
    """Range's answer among the members that aren't new: groups × partitions."""
    rows = []
    for old, reading in zip(~new, reads, strict=True):
        readers = [np.flatnonzero(old & reads_topic) for reads_topic in reading.T]
        shares = [
            np.repeat(
                members, size // len(members) + (np.arange(len(members)) < size % len(members))
            )
            for members, size in zip(readers, sizes.tolist(), strict=True)
        ]
        rows.append(np.concatenate(shares))
    return np.stack(rows)
