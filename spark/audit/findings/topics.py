"""Topics that are spread badly over a group's members, or don't fit each other."""

from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about
from spark.text import shorten


@GroupFinding(
    tells="one member holds most of a topic that several read",
    measure="the member's share of the topic's partitions",
    advice="Loads may be even by count and uneven by work, if this topic is the busy one: plan "
    "the group with spread before moves, or let it use roundrobin from a fresh start.",
    advice_to_connect="Loads may be even by count and uneven by work, if this connector is the "
    "busy one: restart the worker, so that its tasks are reassigned.",
    levels={"info": 0.6},
    settings={"partitions": 8, "members": 3},
    meanings={
        "partitions": "topics with at least this many partitions",
        "members": "to which at least this many members subscribe",
    },
    lowest=0.5,
)
def topic_on_one_member(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
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
        yield _on_one(group, int(topics[at]), plan.names[owner[at]], int(owned[at]))


def _on_one(group: GroupFacts, at: int, member: str, owned: int) -> FindingRow:
    topic, size = group.plan.topics[at], int(group.topic_sizes[at])
    return about(
        group,
        owned / size,
        "Member {member} of group {group} has {owned} of the {size} partitions of topic "
        "{topic}, to which {readers} members subscribe.",
        f"topic {topic}",
        member=member,
        owned=owned,
        size=size,
        topic=topic,
        readers=int(group.subscribers[at]),
    )


@GroupFinding(
    tells="topics that a group joins by partition number differ in their partitions",
    measure="difference between the largest and the smallest number of partitions",
    advice="Give the topics equal numbers of partitions: write the smaller one's records to a "
    "new topic of that size.",
    needs=("copartitioned",),
    levels={"critical": 1},
)
def unequal_topics(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    if not group.joined or not group.is_settled:
        return
    row = group.row
    size_of = dict(zip(row.topics, row.topic_sizes.tolist(), strict=True))
    for topics in group.joined:
        joined = {name: size for name, size in size_of.items() if name in topics and size >= 0}
        if joined and max(joined.values()) > min(joined.values()):
            yield about(
                group,
                max(joined.values()) - min(joined.values()),
                "Group {group} joins topics by partition number, and their numbers of partitions "
                "differ ({sizes:whole}): the same key is on different partitions.",
                f"topics {', '.join(joined)}",
                sizes=", ".join(f"{shorten(name)}: {size}" for name, size in joined.items()),
            )


@GroupFinding(
    tells="equal partitions of topics that a group joins by number belong to different members",
    measure="numbers whose partitions belong to different members",
    advice="Records that belong together meet only on one member. Plan the group with these topics "
    "as copartition (evenfleet plan --goal 'copartition=\"orders, payments\"') and let it follow "
    "that, or set range if all members subscribe to all of them.",
    needs=("copartitioned",),
    levels={"critical": 1},
)
def joined_apart(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
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
            yield about(
                group,
                len(apart),
                "Group {group} joins topics by partition number, and {apart:number} of theirs "
                "{apart:is|are} not with one member: {owners:whole}.",
                f"topics {', '.join(names)}",
                apart=len(apart),
                owners=" and ".join(owners),
            )
