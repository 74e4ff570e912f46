"""The subscriptions in an encoded row."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from spark.groups.topics import Topics


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
