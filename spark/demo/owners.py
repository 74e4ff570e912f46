"""Who owns what in a made-up group: a strategy's answer, or what joins and leaves made of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer import STRATEGIES
from optimizer.model import NOBODY, KafkaFacts, Problem
from spark.demo.clusters import IntArray
from spark.demo.members import FOUNDER, LEAVER, NEWCOMER, Cast

MEMORYLESS = ("range", "roundrobin")
"""Strategies that deal everything anew at each rebalance: joins and leaves leave no trace."""


def owners(
    strategy: str,
    cast: Cast,
    subscriptions: Sequence[IntArray],
    sizes: IntArray,
    joining: bool,
) -> IntArray:
    """The member index that owns each partition, or NOBODY.

    `subscriptions[r]` are the topics of role r, `sizes` the topics' partitions. A sticky strategy
    begins with a round of its founders and leavers; then the leavers' partitions are handed on, and
    each newcomer takes its share, or nothing where the snapshot was taken in the midst of it.
    """
    if strategy in MEMORYLESS:
        return STRATEGIES[strategy].assign(_problem(cast, subscriptions, sizes)).target
    owner = STRATEGIES["roundrobin"].assign(_problem(cast, subscriptions, sizes)).target
    topic_of = np.repeat(np.arange(len(sizes)), sizes)
    reads = who_reads(cast, subscriptions, len(sizes))
    for leaver in np.flatnonzero(cast.parts == LEAVER).tolist():
        hand_on(owner, leaver, topic_of, reads & (cast.parts == FOUNDER)[:, None])
    if joining:
        return owner
    for newcomer in np.flatnonzero(cast.parts == NEWCOMER).tolist():
        _take_share(owner, newcomer, 1 / len(cast.present), reads[newcomer][topic_of])
    return owner


def _problem(cast: Cast, subscriptions: Sequence[IntArray], sizes: IntArray) -> Problem:
    """The group before its newcomers came: they read nothing yet."""
    offsets = np.append(0, np.cumsum(sizes))
    none = np.empty(0, np.int64)
    roles = np.where(cast.parts == NEWCOMER, len(subscriptions), cast.roles)
    taken, member_subscription = np.unique(roles, return_inverse=True)
    return Problem(
        member_ids=cast.member_ids,
        topics=[f"{t:06d}" for t in range(len(sizes))],
        topic_offsets=offsets,
        member_subscription=member_subscription,
        subscriptions=[[*subscriptions, none][role] for role in taken],
        owner=np.full(offsets[-1], NOBODY),
        kafka=KafkaFacts(instance_ids=cast.instance_ids),
    )


def who_reads(cast: Cast, subscriptions: Sequence[IntArray], topics: int) -> np.ndarray:
    """Whether each member (row) reads each topic (column)."""
    by_role = np.zeros((len(subscriptions), topics), bool)
    for role, subscription in enumerate(subscriptions):
        by_role[role, subscription] = True
    return by_role[cast.roles]


def hand_on(owner: IntArray, leaver: int, topic_of: IntArray, heirs: np.ndarray) -> None:
    """Each partition of the leaver goes to the heir of its topic that has the fewest."""
    load = np.bincount(owner[owner >= 0], minlength=len(heirs))
    for partition in np.flatnonzero(owner == leaver):
        of_topic = np.flatnonzero(heirs[:, topic_of[partition]])
        if len(of_topic) == 0:
            owner[partition] = NOBODY
            continue
        heir = of_topic[load[of_topic].argmin()]
        owner[partition] = heir
        load[heir] += 1


def _take_share(owner: IntArray, newcomer: int, share: float, readable: np.ndarray) -> None:
    """The newcomer takes `share` of the partitions it can read, from those who have the most."""
    order = np.argsort(owner, kind="stable")
    loads = np.unique(owner[order], return_counts=True)[1]
    place = np.empty(len(owner), np.int64)
    place[order] = np.arange(len(owner)) - np.repeat(np.cumsum(loads) - loads, loads)
    place[owner == NOBODY] = len(owner)
    candidates = np.flatnonzero(readable)
    highest_first = np.argsort(-place[candidates], kind="stable")
    owner[candidates[highest_first[: int(len(candidates) * share)]]] = newcomer
