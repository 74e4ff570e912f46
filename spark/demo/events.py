"""What has happened to a made-up group: the group as it was before, from the group as it is now."""

from dataclasses import dataclass, replace

import numpy as np

from optimizer.model import NOBODY, IntArray
from spark.demo.groups import Claims, DemoGroup
from spark.demo.members import FOUNDER, LEAVER, Cast
from spark.demo.names import kafka_uuids, uuids
from spark.demo.owners import MEMORYLESS, hand_on, owners, who_reads
from spark.fleet import CONSUMER

UUID = 36
"""Characters at the end of a classic member's id that are new each time that it joins."""

DEPLOY, STATIC_DEPLOY, CRASH, SCALE_OUT = "deploy", "static deploy", "crash", "scale-out"
RENEWED, RESTLESS = "recreated", "restless"
GROWTH, FALLS_BEHIND, MISSING = "topic grows", "falls behind", "cluster missing"

AT_ONCE = (DEPLOY, STATIC_DEPLOY, SCALE_OUT, GROWTH)
"""What has happened altogether by the first snapshot that shows it."""

AWAY = 2
"""Snapshots from a crash until the member is back, and of a group until it is recreated."""

GENERATIONS_BEFORE = 200
"""By so much the generation of a group falls that was deleted and recreated."""


@dataclass(frozen=True)
class Event:
    """Something that was planted in a made-up history.

    It is seen in the snapshots numbered from `first` to `last`, the oldest being 0; a change has
    come to stay then. `name` is a group or a topic of the cluster, or empty. `members` are the ids
    of those who came or came back (of static ones the instance ids), `rebalances` is by how much
    the group's generation rises, or falls, each hour where it lasts, and `partitions` how many a
    topic had before it grew.
    """

    kind: str
    cluster: str
    name: str
    first: int
    last: int
    members: tuple[str, ...] = ()
    rebalances: int = 0
    partitions: int = 0


def rejoined(rng: np.random.Generator, group: DemoGroup, members: IntArray) -> DemoGroup:
    """The group with other ids for these members: those that they had before they came back."""
    ids = list(group.cast.member_ids)
    fresh = kafka_uuids if group.type == CONSUMER else uuids
    for member, new in zip(members.tolist(), fresh(rng, len(members)), strict=True):
        ids[member] = new if group.type == CONSUMER else f"{ids[member][:-UUID]}{new}"
    return replace(group, cast=replace(group.cast, member_ids=ids))


def handed_round(group: DemoGroup) -> DemoGroup:
    """The group in which each one that is there owns what its neighbour does, if it may."""
    present = group.cast.present
    if len(group.subscriptions) != 1:
        return group
    turned = np.arange(len(group.cast.member_ids))
    turned[present] = np.roll(present, 1)
    return replace(group, claims=replace(group.claims, members=turned[group.claims.members]))


def without(group: DemoGroup, absent: IntArray, sizes: IntArray) -> DemoGroup:
    """The group when these members weren't there; `sizes` are the known ones of its topics."""
    parts = group.cast.parts.copy()
    parts[absent] = LEAVER
    cast = replace(group.cast, parts=parts)
    owner = _owners_without(group, cast, absent, sizes)
    owned = np.flatnonzero(owner != NOBODY)
    return replace(group, cast=cast, claims=Claims(owned, owner[owned]))


def _owners_without(group: DemoGroup, cast: Cast, absent: IntArray, sizes: IntArray) -> IntArray:
    present = cast.present
    if group.strategy in MEMORYLESS:
        alone = replace(cast.of(present), parts=np.full(len(present), FOUNDER))
        dealt = owners(str(group.strategy), alone, group.subscriptions, sizes, joining=False)
        return np.where(dealt == NOBODY, NOBODY, present[dealt])
    owner = np.full(int(sizes.sum()), NOBODY)
    owner[group.claims.partitions] = group.claims.members
    topic_of = np.repeat(np.arange(len(sizes)), sizes)
    heirs = who_reads(cast, group.subscriptions, len(sizes))
    heirs &= np.isin(np.arange(len(heirs)), present)[:, None]
    for item in absent.tolist():
        hand_on(owner, item, topic_of, heirs)
    return owner


def earlier(group: DemoGroup, rebalances: int) -> DemoGroup:
    """The group before `rebalances` rebalances; below 0 is an earlier group of that name."""
    cast = replace(group.cast, generations=group.cast.generations - rebalances)
    return replace(group, generation=group.generation - rebalances, cast=cast)


def before(
    rng: np.random.Generator, group: DemoGroup, event: Event, number: int, sizes: IntArray
) -> DemoGroup | None:
    """A group to which that has happened, as it was in that snapshot; None if it wasn't there.

    `sizes` are the known ones of its topics.
    """
    if number > event.last or (event.kind in AT_ONCE and number == event.first):
        return group
    is_away = number >= event.first
    present = group.cast.present
    who = np.flatnonzero(np.isin(group.cast.member_ids, event.members))
    rebalances, was = event.rebalances, group
    if event.kind == RENEWED and is_away:
        return None
    if event.kind == DEPLOY:
        was = handed_round(rejoined(rng, group, present))
    elif event.kind in (STATIC_DEPLOY, RENEWED):
        was = rejoined(rng, group, present)
    elif event.kind == SCALE_OUT:
        was = without(group, who, sizes)
    elif event.kind == CRASH:
        was = without(group, who, sizes) if is_away else rejoined(rng, group, who)
        rebalances -= is_away  # it has left, and is to join
    return earlier(was, rebalances)
