"""Topics that are spread badly over a group's members, or don't fit each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import sentence
from spark.text import shortened


def topic_on_one_member(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics of which one member owns more than half while several subscribe to them.

    Who has more than half is in the middle of the sorted owners.
    """
    if facts.plan is None or facts.members < settings["members"]:
        return
    sizes = facts.topic_sizes
    mask = (sizes >= max(settings["partitions"], 1)) & (
        facts.subscribers >= max(settings["members"], 1)
    )
    topics = np.flatnonzero(mask)
    if not len(topics):
        return
    plan = facts.plan
    width = len(plan.names) + 1
    owners = plan.topic.astype(np.int64) * width + plan.previous + 1
    owners.sort()
    middle = owners[(sizes.cumsum() - sizes)[topics] + sizes[topics] // 2]
    owned = owners.searchsorted(middle, "right") - owners.searchsorted(middle)
    owner = middle % width - 1
    heavy = (owned * 2 > sizes[topics]) & (owner >= 0) & (owner < facts.members)
    for at in np.flatnonzero(heavy).tolist():
        yield _on_one(facts, int(topics[at]), plan.names[owner[at]], int(owned[at]))


def _on_one(facts: GroupFacts, at: int, member: str, owned: int) -> FindingRow:
    topic, size = facts.plan.topics[at], int(facts.topic_sizes[at])
    return FindingRow(
        f"topic {topic}",
        owned / size,
        lambda: sentence(
            "Member {member} of group {group} has {owned} of the {size} partitions of topic "
            "{topic}, to which {readers} members subscribe.",
            member=member,
            group=facts.group,
            owned=owned,
            size=size,
            topic=topic,
            readers=int(facts.subscribers[at]),
        ),
    )


TOPIC_ON_ONE_MEMBER = GroupFinding(
    name="topic-on-one-member",
    tells="one member holds most of a topic that several read",
    measure="the member's share of the topic's partitions",
    advice="Loads may be even by count and uneven by work, if this topic is the busy one: plan "
    "the group with spread before moves, or let it use roundrobin from a fresh start.",
    advice_to_connect="Loads may be even by count and uneven by work, if this connector is the "
    "busy one: restart the worker, so that its tasks are reassigned.",
    find=topic_on_one_member,
    info=0.6,
    settings={"partitions": 8, "members": 3},
    lowest=0.5,
)


def unequal_topics(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics that a group joins by partition number, with different numbers of partitions."""
    if not facts.joined or not facts.is_settled:
        return
    row = facts.row
    size_of = dict(zip(row.topics, row.topic_sizes.tolist(), strict=True))
    for topics in facts.joined:
        joined = {name: size for name, size in size_of.items() if name in topics and size >= 0}
        if joined and max(joined.values()) > min(joined.values()):
            yield _unequal(facts.group, joined)


def _unequal(group: str, sizes: dict[str, int]) -> FindingRow:
    return FindingRow(
        f"topics {', '.join(sizes)}",
        max(sizes.values()) - min(sizes.values()),
        lambda: sentence(
            "Group {group} joins topics by partition number, and their numbers of partitions "
            "differ ({spelled}): the same key is on different partitions.",
            whole=["spelled"],
            group=group,
            spelled=", ".join(f"{shortened(name)}: {size}" for name, size in sizes.items()),
        ),
    )


UNEQUAL_TOPICS = GroupFinding(
    name="unequal-topics",
    tells="topics that a group joins by partition number differ in their partitions",
    measure="difference between the largest and the smallest number of partitions",
    advice="Give the topics equal numbers of partitions: write the smaller one's records to a "
    "new topic of that size.",
    find=unequal_topics,
    needs=("copartitioned",),
    critical=1,
)
