"""Whether a plan fits the group that is there."""

from collections import Counter
from collections.abc import Iterator

from .group import JoiningGroup
from .plan_file import GroupPlan


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
