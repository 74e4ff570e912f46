"""Partitions that belong to nobody, to several members, or to one that shouldn't have them all."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from optimizer.model import IntArray
from spark.audit.facts import GroupFacts
from spark.audit.finding import GroupFinding, Measured, Thresholds, measured
from spark.solve import ACTIONS
from spark.text import shorten

TAKEOVER, DROP = ACTIONS.index("takeover"), ACTIONS.index("drop")


@GroupFinding(
    tells="a partition has no reader although the group subscribes to its topic",
    measure="partitions without a reader",
    advice="If the topic has just grown, members see it within metadata.max.age.ms; otherwise "
    "look for an error in the leader's assignor and let one member rejoin.",
    advice_to_connect="Tasks of a worker that is gone wait scheduled.rebalance.max.delay.ms for "
    "it; if that is over, ask the REST interface for the connector's status.",
    levels={"warning": 1},
    each="topic",
    template="No member of group {group} reads {measure:partition} of topic {name}, to which it "
    "subscribes ({measure:|the first is }{name}-{first:whole}).",
)
def unread_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    plan = group.plan
    if plan is None or not len(plan.previous) or plan.previous.min() >= 0:
        return
    unread = np.flatnonzero((plan.previous < 0) & (plan.target >= 0))
    topic, number = plan.topic[unread], plan.partition[unread]
    if group.disputes:
        disputed = {(dispute.topic, dispute.partition) for dispute in group.disputes}
        pairs = zip(topic.tolist(), number.tolist(), strict=True)
        left = np.array([(plan.topics[t], p) not in disputed for t, p in pairs], np.bool_)
        topic, number = topic[left], number[left]
    # a plan's partitions are in the order of their topics and numbers
    of_topics = np.unique(topic, return_index=True, return_counts=True)
    for at, first, count in zip(*(column.tolist() for column in of_topics), strict=True):
        yield measured(count, plan.topics[at], first=int(number[first]))


def _by_owner(group: GroupFacts, owners: IntArray) -> Iterator[Measured]:
    """Owners of these partitions, and how many each has."""
    indexes, counts = np.unique(owners, return_counts=True)
    for at, owned in zip(indexes.tolist(), counts.tolist(), strict=True):
        yield measured(owned, group.plan.names[at])


@GroupFinding(
    tells="a partition's owner isn't in the group any more",
    measure="partitions of that owner",
    advice="A rebalance hands them on: if none has come after session.timeout.ms, restart one "
    "member; set group.instance.id if it was only a restart.",
    advice_to_connect="Its tasks wait scheduled.rebalance.max.delay.ms for it, and are handed on "
    "then: restart another worker if they aren't.",
    levels={"warning": 1},
    each="member",
    template="Member {name} has left group {group} and still owns {measure:partition}.",
)
def owner_gone(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    if group.plan is not None and group.has_odd_owners:
        previous = group.plan.previous
        yield from _by_owner(group, previous[previous >= group.members])


@GroupFinding(
    tells="a partition's owner doesn't subscribe to the topic",
    measure="partitions of that owner",
    advice="Kafka's sticky assignor can do this after a subscription changed: let that member "
    "rejoin, and prefer uniform on the new protocol.",
    levels={"warning": 1},
    each="member",
    template="Member {name} of group {group} owns {measure:partition} of topics to which it "
    "doesn't subscribe.",
)
def owner_not_subscribed(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    plan = group.plan
    if plan is not None and group.has_odd_owners:
        lost = (plan.action == TAKEOVER) | (plan.action == DROP)
        is_present = (plan.previous >= 0) & (plan.previous < group.members)
        yield from _by_owner(group, plan.previous[lost & is_present])


@GroupFinding(
    tells="two members of one generation own the same partition",
    measure="partitions of the topic that are claimed twice",
    advice="Both may process the same records: restart one of the two members, and look in its "
    "log for a rebalance that it missed.",
    levels={"critical": 1},
    each="topic",
    template="Two members of group {group} both own {measure:partition} of topic {name} "
    "({name}-{partition:whole}: {claimants[0]}, {claimants[1]}).",
)
def claimed_twice(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Partitions that two members of one generation claim: the group gives them to nobody."""
    several = [dispute for dispute in group.disputes if len(dispute.claimants) > 1]
    for topic, of_topic in groupby(several, key=lambda dispute: dispute.topic):
        _, partition, claimants = (disputes := list(of_topic))[0]
        yield measured(len(disputes), topic, partition=partition, claimants=claimants)


@GroupFinding(
    tells="a member owns partitions by an older generation than the group's newest",
    measure="partitions that the member claims by that generation",
    advice="The member has missed a rebalance: see whether it still polls, and restart it if it "
    "doesn't rejoin by itself.",
    needs=("generation",),
    levels={"warning": 1},
    each="member",
    template="Member {name} claims {measure:partition} by generation {old:whole} while group "
    "{group} is at generation {newest:whole}.",
)
def stale_claims(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    claims = group.claims
    if claims is None:
        return
    for member, old in claims.stale().items():
        yield measured(len(old), member, old=int(old.min()), newest=claims.newest)


@GroupFinding(
    tells="one member holds most of a topic that several read",
    measure="the member's share of the topic's partitions",
    advice="Loads may be even by count and uneven by work, if this topic is the busy one: plan "
    "the group with spread before moves, or let it use roundrobin from a fresh start.",
    advice_to_connect="Loads may be even by count and uneven by work, if this connector is the "
    "busy one: restart the worker, so that its tasks are reassigned.",
    levels={"info": 0.6},
    settings={
        "partitions": (8, "topics with at least this many partitions"),
        "members": (3, "to which at least this many members subscribe"),
    },
    lowest=0.5,
    each="topic",
    template="Member {member} of group {group} has {owned} of the {size} partitions of topic "
    "{name}, to which {readers} members subscribe.",
)
def topic_on_one_member(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics of which one member owns more than half while several subscribe to them.

    Who has more than half is in the middle of the sorted owners.
    """
    if group.plan is None or group.members < thresholds["members"]:
        return
    sizes = group.topic_sizes
    mask = (sizes >= max(thresholds["partitions"], 1)) & (
        group.subscribers >= max(thresholds["members"], 1)
    )
    topics = np.flatnonzero(mask)
    if not len(topics):
        return
    plan = group.plan
    width = len(plan.names) + 1
    owners = plan.topic.astype(np.int64) * width + plan.previous + 1
    owners.sort()
    middle = owners[(sizes.cumsum() - sizes)[topics] + sizes[topics] // 2]
    owned = owners.searchsorted(middle, "right") - owners.searchsorted(middle)
    owner = middle % width - 1
    heavy = (owned * 2 > sizes[topics]) & (owner >= 0) & (owner < group.members)
    for at in np.flatnonzero(heavy).tolist():
        topic, count = int(topics[at]), int(owned[at])
        yield measured(
            count / int(sizes[topic]),
            plan.topics[topic],
            member=plan.names[owner[at]],
            owned=count,
            size=int(sizes[topic]),
            readers=int(group.subscribers[topic]),
        )


@GroupFinding(
    tells="topics that a group joins by partition number differ in their partitions",
    measure="difference between the largest and the smallest number of partitions",
    advice="Give the topics equal numbers of partitions: write the smaller one's records to a "
    "new topic of that size.",
    needs=("copartitioned",),
    levels={"critical": 1},
    each="topics",
    template="Group {group} joins topics by partition number, and their numbers of partitions "
    "differ ({sizes:whole}): the same key is on different partitions.",
)
def unequal_topics(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    if not group.joined or not group.is_settled:
        return
    row = group.row
    size_of = dict(zip(row.topics, row.topic_sizes.tolist(), strict=True))
    for topics in group.joined:
        joined = {name: size for name, size in size_of.items() if name in topics and size >= 0}
        if joined and max(joined.values()) > min(joined.values()):
            sizes = ", ".join(f"{shorten(name)}: {size}" for name, size in joined.items())
            excess = max(joined.values()) - min(joined.values())
            yield measured(excess, ", ".join(joined), sizes=sizes)


@GroupFinding(
    tells="equal partitions of topics that a group joins by number belong to different members",
    measure="numbers whose partitions belong to different members",
    advice="Records that belong together meet only on one member. Plan the group with these topics "
    "as copartition (evenfleet plan --goal 'copartition=\"orders, payments\"') and let it follow "
    "that, or set range if all members subscribe to all of them.",
    needs=("copartitioned",),
    levels={"critical": 1},
    each="topics",
    template="Group {group} joins topics by partition number, and {measure:number} of theirs "
    "{measure:is|are} not with one member: {owners:whole}.",
)
def joined_apart(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Numbers of joined topics whose partitions have owners, and not all the same one."""
    plan = group.plan
    if plan is None or not group.joined:
        return
    for topics in group.joined:
        mine = np.flatnonzero([name in topics for name in plan.topics])
        at = np.flatnonzero(np.isin(plan.topic, mine) & (plan.previous >= 0))
        at = at[np.argsort(plan.partition[at], kind="stable")]
        left, right = at[:-1], at[1:]
        is_apart = plan.partition[left] == plan.partition[right]
        is_apart &= plan.previous[left] != plan.previous[right]
        apart = np.unique(plan.partition[left[is_apart]])
        if len(apart):
            first = left[is_apart][0], right[is_apart][0]
            owners = [
                f"{shorten(plan.topics[plan.topic[p]])}-{plan.partition[p]} belongs to "
                f"{shorten(plan.names[plan.previous[p]])}"
                for p in first
            ]
            names = [plan.topics[topic] for topic in mine.tolist()]
            yield measured(len(apart), ", ".join(names), owners=" and ".join(owners))
