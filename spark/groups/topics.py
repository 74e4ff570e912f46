"""The topics in an encoded row, and who subscribes to them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from spark.groups.encoded_row import EncodedRow
from spark.groups.lookup import Lookup

LARGEST = 1_000_000
"""No topic has more partitions: a higher number is a slip, and arrays for it would fill memory."""


@dataclass(frozen=True)
class Topics:
    """A group's topics sorted by name: those it reads, and those it only owns something of.

    `sizes` are partition counts, or negative signs of `spark.groups.encode`; `subscribed` are the
    indexes of the topics that somebody subscribes to. `ids` are None for topics that nobody reads.
    """

    names: list[str]
    sizes: IntArray
    hashes: IntArray
    subscribed: IntArray
    ids: list[str | None]

    @cached_property
    def index(self) -> Lookup:
        return Lookup.of(self.hashes)

    @cached_property
    def offsets(self) -> IntArray:
        """Partition p of topic t has the index offsets[t] + p."""
        offsets = np.zeros(len(self.sizes) + 1, np.int64)
        np.maximum(self.sizes, 0).cumsum(out=offsets[1:])
        return offsets


def read_topics(row: EncodedRow) -> Topics:
    """The topics of a row of `spark.groups.encode`."""
    names: list[str] = row.topics.tolist()
    sizes = row.topic_sizes.astype(np.int64)
    extra = set(row.claimed_topics.tolist()).difference(names)
    if not extra:
        subscribed = np.arange(len(names))
        return Topics(names, sizes, row.topic_hashes, subscribed, row.topic_ids.tolist())
    return _with_unread_topics(row, names, sizes, extra)


def _with_unread_topics(
    row: EncodedRow, names: list[str], sizes: IntArray, extra: set[str]
) -> Topics:
    """Topics that nobody subscribes to any more reach as far as what is owned of them."""
    size_of = dict(zip(names, sizes.tolist(), strict=True))
    hash_of = dict(zip(names, row.topic_hashes.tolist(), strict=True))
    for name, hashed in zip(row.claimed_topics, row.claimed_topic_hashes.tolist(), strict=True):
        if name in extra:
            owned = row.claim_partitions[row.claim_topics == hashed]
            size_of[name], hash_of[name] = min(int(owned.max()) + 1, LARGEST), hashed
    id_of = dict(zip(names, row.topic_ids, strict=True))
    ordered = sorted(size_of)
    return Topics(
        names=ordered,
        sizes=np.array([size_of[name] for name in ordered]),
        hashes=np.array([hash_of[name] for name in ordered]),
        subscribed=np.flatnonzero([name not in extra for name in ordered]),
        ids=[id_of.get(name) for name in ordered],
    )


class Subscriptions(NamedTuple):
    """Members of equal subscriptions share one: `of_member` tells which, `topics` what is in it.

    `vanished` names the topics of each that the cluster lacks; None if it has all.
    """

    of_member: IntArray
    topics: list[IntArray]
    vanished: list[tuple[str, ...]] | None


def read_subscriptions(
    topics: Topics, members: int, subscriber: IntArray, subscribed: IntArray
) -> Subscriptions:
    """The subscriptions of `members` members, given as aligned member and topic indexes."""
    of_member, values = _shared(members, subscriber, subscribed)
    exists = topics.sizes >= 0
    if exists.all():
        return Subscriptions(of_member, values, None)
    return Subscriptions(
        of_member,
        [items[exists[items]] for items in values],
        [tuple(topics.names[t] for t in items[~exists[items]].tolist()) for items in values],
    )


def _shared(
    members: int, subscriber: IntArray, subscribed: IntArray
) -> tuple[IntArray, list[IntArray]]:
    width = int(subscribed.max(initial=0)) + 1
    pairs = np.sort(subscriber * width + subscribed)
    repeated = pairs[1:] == pairs[:-1]
    if repeated.any():
        pairs = pairs[np.append(True, ~repeated)]
    member = pairs // width
    topic = pairs - member * width
    ends = np.bincount(member, minlength=members).cumsum().tolist()
    first = topic[: ends[0]]
    if len(pairs) == members * len(first) and np.array_equal(topic, np.tile(first, members)):
        return np.zeros(members, np.int64), [first]
    seen: dict[bytes, int] = {}
    numbers = [
        seen.setdefault(topic[start:end].tobytes(), len(seen))
        for start, end in pairwise([0, *ends])
    ]
    return np.array(numbers), [np.frombuffer(key, np.int64) for key in seen]
