"""Who owns what in a made-up group: a strategy's answer, or what joins and leaves made of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from optimizer import STRATEGIES
from optimizer.model import GONE, NOBODY, Flags, IntArray, KafkaFacts, Problem
from spark.demo.members import FOUNDER, LEAVER, NEWCOMER, Cast

MEMORYLESS = ("range", "roundrobin")
"""Strategies that deal everything again at each rebalance: joins and leaves leave no trace."""

TOO_MANY_TO_STOP = 1000
"""Partitions that nobody wants to stop at each rebalance, as an eager strategy does."""

Subscriptions = Sequence[IntArray]
"""The topics of each role."""


def owners(
    strategy: str, cast: Cast, subscriptions: Subscriptions, sizes: IntArray, joining: bool
) -> IntArray:
    """The member index that owns each partition, or NOBODY; `sizes` are the topics' partitions.

    A sticky strategy begins with a round of its founders and leavers; then the leavers' partitions
    are handed on, and each newcomer takes its share, or nothing where the snapshot was taken in the
    midst of it.
    """
    before = _problem(cast, subscriptions, sizes, cast.parts != NEWCOMER)
    if strategy in MEMORYLESS:
        return STRATEGIES[strategy].assign(before).target
    owner = STRATEGIES["roundrobin"].assign(before).target
    topic_of = np.repeat(np.arange(len(sizes)), sizes)
    reads = who_reads(cast, subscriptions, len(sizes))
    for leaver in np.flatnonzero(cast.parts == LEAVER).tolist():
        hand_on(owner, leaver, topic_of, reads & (cast.parts == FOUNDER)[:, None])
    if not joining:
        for newcomer in np.flatnonzero(cast.parts == NEWCOMER).tolist():
            _take_share(owner, newcomer, 1 / len(cast.present), reads[newcomer][topic_of])
    return owner


def _problem(
    cast: Cast,
    subscriptions: Subscriptions,
    sizes: IntArray,
    reading: Flags,
    owner: IntArray | None = None,
) -> Problem:
    """The group in which those alone read that are `reading`."""
    offsets = np.append(0, np.cumsum(sizes))
    roles, of_member = np.unique(
        np.where(reading, cast.roles, len(subscriptions)), return_inverse=True
    )
    return Problem(
        member_ids=cast.member_ids,
        topics=[f"{t:06d}" for t in range(len(sizes))],
        topic_offsets=offsets,
        member_subscription=of_member,
        subscriptions=[[*subscriptions, np.empty(0, np.int64)][role] for role in roles],
        owner=np.full(offsets[-1], NOBODY) if owner is None else owner,
        kafka=KafkaFacts(instance_ids=cast.instance_ids),
    )


def who_reads(cast: Cast, subscriptions: Subscriptions, topics: int) -> Flags:
    """Whether each member (row) reads each topic (column)."""
    by_role = [np.isin(np.arange(topics), subscription) for subscription in subscriptions]
    return np.array(by_role)[cast.roles]


def hand_on(owner: IntArray, leaver: int, topic_of: IntArray, heirs: Flags) -> None:
    """Each partition of the leaver goes to the heir of its topic that has the fewest."""
    load = np.bincount(owner[owner >= 0], minlength=len(heirs))
    for partition in np.flatnonzero(owner == leaver):
        of_topic = np.flatnonzero(heirs[:, topic_of[partition]])
        owner[partition] = of_topic[load[of_topic].argmin()] if len(of_topic) else NOBODY
        load[owner[partition]] += len(of_topic) > 0


def _take_share(owner: IntArray, newcomer: int, share: float, readable: Flags) -> None:
    """The newcomer takes `share` of the partitions it can read, from those who have the most."""
    order = np.argsort(owner, kind="stable")
    loads = np.unique(owner[order], return_counts=True)[1]
    place = np.empty(len(owner), np.int64)
    place[order] = np.arange(len(owner)) - np.repeat(np.cumsum(loads) - loads, loads)
    place[owner == NOBODY] = len(owner)
    candidates = np.flatnonzero(readable)
    highest_first = np.argsort(-place[candidates], kind="stable")
    owner[candidates[highest_first[: int(len(candidates) * share)]]] = newcomer


def is_well(
    strategy: str,
    cast: Cast,
    subscriptions: Subscriptions,
    sizes: IntArray,
    owner: IntArray,
    dealt: IntArray,
) -> bool:
    """Whether nobody has two partitions more than the best assignment would give anybody.

    Nor is anybody idle in vain, nor would Range, with topics of `dealt` sizes, give its first
    member two more than the mean, nor does everything stop in a group that is large.
    """
    result, wanted = (
        np.bincount(items[items != NOBODY], minlength=len(cast.member_ids))[cast.present]
        for items in (owner, _best(cast, subscriptions, sizes, owner))
    )
    even = result.max() <= wanted.max() + 1 and np.sum(result == 0) <= np.sum(wanted == 0)
    members = len(cast.present)
    first = np.ceil(dealt / members).sum()
    fair = strategy != "range" or first < np.ceil(dealt.sum() / members) + 2
    return bool(even and fair and (strategy not in MEMORYLESS or len(owner) < TOO_MANY_TO_STOP))


def made_well(
    cast: Cast, subscriptions: Subscriptions, sizes: IntArray, owner: IntArray
) -> IntArray:
    """The best owners that are nearest to these; who has left keeps what carries their name."""
    gone = (owner >= 0) & ~cast.is_present[owner]
    return np.where(gone, owner, _best(cast, subscriptions, sizes, owner))


def kept_busy(cast: Cast, subscriptions: Subscriptions, sizes: IntArray, few: int) -> Cast:
    """The cast with less than `few` members for whom no assignment has anything.

    Unless they are few, they read what the most partitions are of.
    """
    best = _best(cast, subscriptions, sizes, np.full(sizes.sum(), NOBODY))
    idle = np.setdiff1d(cast.present, best)
    if len(idle) < few:
        return cast
    roles = cast.roles.copy()
    roles[idle] = np.argmax([sizes[topics].sum() for topics in subscriptions])
    return replace(cast, roles=roles)


def _best(cast: Cast, subscriptions: Subscriptions, sizes: IntArray, owner: IntArray) -> IntArray:
    """The optimal owners among those who are there."""
    left = np.where((owner >= 0) & ~cast.is_present[owner], GONE, owner)
    problem = _problem(cast, subscriptions, sizes, cast.is_present, left)
    return STRATEGIES["optimal"].assign(problem).target
