"""Partitions that nobody has, or somebody who shouldn't."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from optimizer.model import IntArray
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import sentence
from spark.solve import ACTIONS
from spark.text import counted

TAKEOVER, DROP = ACTIONS.index("takeover"), ACTIONS.index("drop")


def unread_partitions(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions of a topic that the group reads, and that nobody claims."""
    plan = facts.plan
    if plan is None or not len(plan.previous) or plan.previous.min() >= 0:
        return
    unread = np.flatnonzero((plan.previous < 0) & (plan.target >= 0))
    topic, number = plan.topic[unread], plan.partition[unread]
    if facts.disputes:
        disputed = {(dispute.topic, dispute.partition) for dispute in facts.disputes}
        places = zip(topic.tolist(), number.tolist(), strict=True)
        left = np.array([(plan.topics[t], p) not in disputed for t, p in places], np.bool_)
        topic, number = topic[left], number[left]
    # a plan's partitions are in the order of their topics and numbers
    result = np.unique(topic, return_index=True, return_counts=True)
    for at, first, count in zip(*(item.tolist() for item in result), strict=True):
        yield _unread(facts.group, plan.topics[at], count, int(number[first]))


def _unread(group: str, topic: str, unread: int, first: int) -> FindingRow:
    return FindingRow(
        f"topic {topic}",
        unread,
        lambda: sentence(
            "Nobody in group {group} reads {unread} of topic {topic}, to which it subscribes "
            "({which}{topic}-{first}).",
            group=group,
            unread=counted(unread, "partition"),
            topic=topic,
            which="the first is " if unread > 1 else "",
            first=first,
        ),
    )


UNREAD_PARTITIONS = GroupFinding(
    name="unread-partitions",
    tells="nobody reads a partition although the group reads the topic",
    measure="partitions that nobody reads",
    advice="If the topic has just grown, members see it within metadata.max.age.ms; otherwise "
    "look for an error in the leader's assignor and let one member rejoin.",
    advice_to_connect="Tasks of a worker that is gone wait scheduled.rebalance.max.delay.ms for "
    "it; if that is over, ask the REST interface for the connector's status.",
    find=unread_partitions,
    warning=1,
)


def _by_owner(facts: GroupFacts, owners: IntArray, why: str) -> Iterator[FindingRow]:
    """Who owns these partitions, and how many each."""
    items, counts = np.unique(owners, return_counts=True)
    for at, owned in zip(items.tolist(), counts.tolist(), strict=True):
        yield _of_owner(facts.group, facts.plan.names[at], owned, why)


def _of_owner(group: str, owner: str, owned: int, why: str) -> FindingRow:
    return FindingRow(
        f"member {owner}",
        owned,
        lambda: sentence(why, owner=owner, owned=counted(owned, "partition"), group=group),
    )


def owner_gone(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions whose owner isn't among the group's members."""
    if facts.plan is not None and facts.has_odd_owners:
        previous = facts.plan.previous
        yield from _by_owner(
            facts,
            previous[previous >= facts.members],
            "Member {owner} owns {owned} of group {group} and isn't there any more.",
        )


OWNER_GONE = GroupFinding(
    name="owner-gone",
    tells="a partition's owner isn't in the group any more",
    measure="partitions of that owner",
    advice="A rebalance hands them on: if none has come after session.timeout.ms, restart one "
    "member; set group.instance.id if it was only a restart.",
    advice_to_connect="Its tasks wait scheduled.rebalance.max.delay.ms for it, and are handed on "
    "then: restart another worker if they aren't.",
    find=owner_gone,
    warning=1,
)


def owner_not_subscribed(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions whose owner is there and doesn't subscribe to the topic."""
    plan = facts.plan
    if plan is not None and facts.has_odd_owners:
        lost = (plan.action == TAKEOVER) | (plan.action == DROP)
        is_present = (plan.previous >= 0) & (plan.previous < facts.members)
        yield from _by_owner(
            facts,
            plan.previous[lost & is_present],
            "Member {owner} owns {owned} of topics to which it doesn't subscribe, in group "
            "{group}.",
        )


OWNER_NOT_SUBSCRIBED = GroupFinding(
    name="owner-not-subscribed",
    tells="a partition's owner doesn't subscribe to the topic",
    measure="partitions of that owner",
    advice="Kafka's sticky assignor can do this after a subscription changed: let that member "
    "rejoin, and prefer uniform on the new protocol.",
    find=owner_not_subscribed,
    warning=1,
)
