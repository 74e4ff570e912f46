"""A group as its leader sees it at a rebalance, and whether a plan fits it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .membership import NO_GENERATION, UNMARKED, Mark, sticky_claims
from .plan_file import GroupPlan

TopicPartition = tuple[str, int]
Assignment = dict[str, list[TopicPartition]]
"""By member id."""

_UUID = re.compile(r"-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


@dataclass(frozen=True)
class JoiningMember:
    """A member that takes part in a rebalance; `owned` is what it has until it gives it up."""

    member_id: str
    instance_id: str | None
    topics: frozenset[str]
    owned: frozenset[TopicPartition] = frozenset()
    generation: int = NO_GENERATION
    mark: Mark = UNMARKED

    @property
    def key(self) -> str:
        """The member's key in a plan: its group.instance.id, or else its client.id.

        The leader isn't told client ids, but the coordinator makes a member id of one: a hyphen
        and a UUID follow it.
        """
        return self.instance_id or _UUID.sub("", self.member_id)


@dataclass(frozen=True)
class JoiningGroup:
    """Members in the leader's order, and the number of partitions of each topic that they read.

    A topic that isn't known to the cluster isn't in `topics`.
    """

    members: tuple[JoiningMember, ...]
    topics: Mapping[str, int]

    @cached_property
    def holders(self) -> dict[TopicPartition, set[str]]:
        """Ids of the members who have a partition: of those who claim it, the newest generation."""
        return _holders(self.members)


def joining_group(
    cluster: Any, members: Iterable[Any], own_topics: Collection[str]
) -> JoiningGroup:
    """The group that kafka-python shows to the leader's assignor.

    `cluster` is its ClusterMetadata, `members` come from the JoinGroupResponse with their metadata
    decoded, `own_topics` are the leader's own subscription.
    """
    present = _without_void_claims([_member(member) for member in members])
    holders = _holders(present)
    topics = {}
    for topic in sorted({topic for member in present for topic in member.topics}):
        partitions = cluster.partitions_for_topic(topic)
        if partitions:
            topics[topic] = max(partitions) + 1
        elif topic not in own_topics and (vouched := _size_of_unknown(topic, holders)):
            topics[topic] = vouched
    return JoiningGroup(tuple(present), topics)


def _member(member: Any) -> JoiningMember:
    metadata = member.metadata
    topics = frozenset(metadata.topics or ())
    mark, generation = Mark.decode(metadata.user_data), max(metadata.generation_id, NO_GENERATION)
    claims = [
        (owned.topic, number)
        for owned in metadata.owned_partitions or ()
        for number in owned.partitions
    ]
    if not claims and mark == UNMARKED:
        claims, generation = sticky_claims(metadata.user_data) or (claims, generation)
    return JoiningMember(
        member.member_id,
        member.group_instance_id or None,
        topics,
        # its consumer has dropped the others before it joined
        frozenset(claim for claim in claims if claim[0] in topics),
        generation,
        mark,
    )


def _without_void_claims(members: Collection[JoiningMember]) -> list[JoiningMember]:
    newest = max((member.generation for member in members), default=NO_GENERATION)
    return [
        member if _stands(member, newest) else replace(member, owned=frozenset())
        for member in members
    ]


def _stands(member: JoiningMember, newest: int) -> bool:
    """Whether a member really has what it claims; see `optimizer.assignor.membership`.

    It hasn't if it got it under another member id: it fell out since and joined again. Nor has it
    if it missed a generation that it didn't even try to join, as a static member may that is
    late: the coordinator says so, it drops all, and joins again.
    """
    mark = member.mark
    rejoined = mark.assigned_as not in ("", member.member_id)
    missed = member.generation < newest and mark.joins == 1
    return not rejoined and not missed


def _holders(members: Iterable[JoiningMember]) -> dict[TopicPartition, set[str]]:
    claims: dict[TopicPartition, tuple[int, set[str]]] = {}
    for member in members:
        for partition in member.owned:
            newest, ids = claims.get(partition, (NO_GENERATION, set()))
            if member.generation > newest:
                ids = set()
            if member.generation >= newest:
                claims[partition] = member.generation, ids | {member.member_id}
    return {partition: ids for partition, (_, ids) in claims.items()}


def _size_of_unknown(topic: str, holders: Collection[TopicPartition]) -> int:
    """Number of partitions of a topic that the leader doesn't know, and members have whole.

    A leader hears of topics that it doesn't read itself only after its first rebalance, and joins
    again when it does: until then nobody should lose them.
    """
    numbers = {number for name, number in holders if name == topic}
    return len(numbers) if numbers == set(range(len(numbers))) else 0


def misfit(plan: GroupPlan, name: str, group: JoiningGroup) -> str | None:
    """The first reason why the plan isn't one for this group, whose name is `name`.

    A plan fits when its members are those who are there, each partition of the topics that they
    read is in it, and each goes to a member that reads its topic. A member that reads nothing and
    isn't in the plan is no hindrance.
    """
    return next(_misfits(plan, name, group), None)


def _misfits(plan: GroupPlan, name: str, group: JoiningGroup) -> Iterator[str]:
    if plan.group != name:
        yield f"it is the plan of group {plan.group!r}"
    members = [member for member in group.members if member.topics or member.key in plan.members]
    for key, times in sorted(Counter(member.key for member in members).items()):
        if times > 1:
            yield (
                f"{times} members go by {key!r}: each needs a group.instance.id or a client.id "
                "of its own"
            )
    present = {member.key: member for member in members}
    for key in sorted(plan.members.keys() - present.keys()):
        yield f"its member {key!r} isn't in the group"
    for key in sorted(present.keys() - plan.members.keys()):
        yield f"it has no member {key!r}, which is in the group"
    yield from _misfits_of_topics(plan.topics, group)
    for key, topics in plan.members.items():
        for topic, partitions in topics.items():
            if partitions and topic not in present[key].topics:
                yield f"it gives {topic!r} to {key!r}, which doesn't read it"


def _misfits_of_topics(planned: dict[str, int], group: JoiningGroup) -> Iterator[str]:
    for topic, count in planned.items():
        if topic not in group.topics:
            yield f"its topic {topic!r} isn't in the cluster, or no member reads it"
        elif count != group.topics[topic]:
            yield f"it has {count} partitions of {topic!r}, and there are {group.topics[topic]}"
    for topic in sorted(group.topics.keys() - planned.keys()):
        yield f"it has nothing of {topic!r}, which the group reads"
