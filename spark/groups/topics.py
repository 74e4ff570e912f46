"""The topics in an encoded row, and who subscribes to them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from spark.groups.encoded_row import EncodedRow

LARGEST = 1_000_000
"""No topic has more partitions: a higher number is a slip, and arrays for it would fill memory."""


@dataclass(frozen=True)
class Topics:
    """A group's topics sorted by name: those it reads, and those it only owns something of.

    `sizes` are partition counts, or negative signs of `spark.groups.encode`; `subscribed` are the
    indexes of the topics that somebody subscribes to. `ids` are None for topics that nobody reads.
    `place` has the index of each of the row's `all_topics`, -1 for others.
    """

    names: list[str]
    sizes: IntArray
    subscribed: IntArray
    ids: list[str | None]
    place: IntArray

    @cached_property
    def offsets(self) -> IntArray:
        """Partition p of topic t has the index offsets[t] + p."""
        offsets = np.zeros(len(self.sizes) + 1, np.int64)
        np.maximum(self.sizes, 0).cumsum(out=offsets[1:])
        return offsets


def read_topics(row: EncodedRow) -> Topics:
    """The topics of an encoded row; those that nobody reads reach as far as what is owned."""
    read, every = len(row.topics), len(row.all_topics)
    if row.claim_topics.max(initial=-1) < read:
        sizes, place = row.topic_sizes.astype(np.int64), np.full(every, -1)
        place[:read] = np.arange(read)
        return Topics(row.topics.tolist(), sizes, place[:read], row.topic_ids.tolist(), place)
    owned = row.claim_topics >= read
    at = np.append(np.arange(read), np.unique(row.claim_topics[owned]))
    at = at[np.argsort(row.all_topics[at], kind="stable")]
    sizes = np.append(row.topic_sizes, np.zeros(every - read, np.int64))
    reach = np.minimum(row.claim_partitions[owned], LARGEST - 1) + 1
    np.maximum.at(sizes, row.claim_topics[owned], reach)
    place = np.full(every, -1)
    place[at] = np.arange(len(at))
    ids = [*row.topic_ids, *[None] * (every - read)]
    names = row.all_topics[at].tolist()
    return Topics(names, sizes[at], place[:read], [ids[t] for t in at.tolist()], place)


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
    of_member, of_each = _shared(members, subscriber, subscribed)
    exists = topics.sizes >= 0
    if exists.all():
        return Subscriptions(of_member, of_each, None)
    return Subscriptions(
        of_member,
        [topic[exists[topic]] for topic in of_each],
        [tuple(topics.names[t] for t in topic[~exists[topic]].tolist()) for topic in of_each],
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
