"""Partitions that nobody has, several members, or one that shouldn't."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from optimizer.model import IntArray
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about
from spark.solve import ACTIONS

TAKEOVER, DROP = ACTIONS.index("takeover"), ACTIONS.index("drop")


@GroupFinding(
    tells="a partition has no reader although the group subscribes to its topic",
    measure="partitions without a reader",
    advice="If the topic has just grown, members see it within metadata.max.age.ms; otherwise "
    "look for an error in the leader's assignor and let one member rejoin.",
    advice_to_connect="Tasks of a worker that is gone wait scheduled.rebalance.max.delay.ms for "
    "it; if that is over, ask the REST interface for the connector's status.",
    levels={"warning": 1},
)
def unread_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
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
        name = plan.topics[at]
        yield about(
            group,
            count,
            "No member of group {group} reads {unread:partition} of topic {topic}, to which it "
            "subscribes ({unread:|the first is }{topic}-{first:whole}).",
            f"topic {name}",
            unread=count,
            topic=name,
            first=int(number[first]),
        )


def _by_owner(group: GroupFacts, owners: IntArray, why: str) -> Iterator[FindingRow]:
    """Owners of these partitions, and how many each has."""
    indexes, counts = np.unique(owners, return_counts=True)
    for at, owned in zip(indexes.tolist(), counts.tolist(), strict=True):
        owner = group.plan.names[at]
        yield about(group, owned, why, f"member {owner}", owner=owner, owned=owned)


@GroupFinding(
    tells="a partition's owner isn't in the group any more",
    measure="partitions of that owner",
    advice="A rebalance hands them on: if none has come after session.timeout.ms, restart one "
    "member; set group.instance.id if it was only a restart.",
    advice_to_connect="Its tasks wait scheduled.rebalance.max.delay.ms for it, and are handed on "
    "then: restart another worker if they aren't.",
    levels={"warning": 1},
)
def owner_gone(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    if group.plan is not None and group.has_odd_owners:
        previous = group.plan.previous
        yield from _by_owner(
            group,
            previous[previous >= group.members],
            "Member {owner} has left group {group} and still owns {owned:partition}.",
        )


@GroupFinding(
    tells="a partition's owner doesn't subscribe to the topic",
    measure="partitions of that owner",
    advice="Kafka's sticky assignor can do this after a subscription changed: let that member "
    "rejoin, and prefer uniform on the new protocol.",
    levels={"warning": 1},
)
def owner_not_subscribed(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    plan = group.plan
    if plan is not None and group.has_odd_owners:
        lost = (plan.action == TAKEOVER) | (plan.action == DROP)
        is_present = (plan.previous >= 0) & (plan.previous < group.members)
        yield from _by_owner(
            group,
            plan.previous[lost & is_present],
            "Member {owner} of group {group} owns {owned:partition} of topics to which it doesn't "
            "subscribe.",
        )


@GroupFinding(
    tells="two members of one generation own the same partition",
    measure="partitions of the topic that are claimed twice",
    advice="Both may process the same records: restart one of the two members, and look in its "
    "log for a rebalance that it missed.",
    levels={"critical": 1},
)
def claimed_twice(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Partitions that two members of one generation claim: the group gives them to nobody."""
    several = [dispute for dispute in group.disputes if len(dispute.claimants) > 1]
    for topic, of_topic in groupby(several, key=lambda dispute: dispute.topic):
        _, partition, claimants = (disputes := list(of_topic))[0]
        yield about(
            group,
            len(disputes),
            "Two members of group {group} both own {claimed:partition} of topic {topic} "
            "({topic}-{partition:whole}: {one}, {other}).",
            f"topic {topic}",
            claimed=len(disputes),
            topic=topic,
            partition=partition,
            one=claimants[0],
            other=claimants[1],
        )


@GroupFinding(
    tells="a member owns partitions by an older generation than the group's newest",
    measure="partitions that the member claims by that generation",
    advice="The member has missed a rebalance: see whether it still polls, and restart it if it "
    "doesn't rejoin by itself.",
    needs=("generation",),
    levels={"warning": 1},
)
def stale_claims(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    claims = group.claims
    if claims is None:
        return
    for member, old in claims.stale().items():
        yield about(
            group,
            len(old),
            "Member {member} claims {claimed:partition} by generation {old:whole} while group "
            "{group} is at generation {newest:whole}.",
            f"member {member}",
            member=member,
            claimed=len(old),
            old=int(old.min()),
            newest=claims.newest,
        )
