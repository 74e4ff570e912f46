"""Members that come, like those that a group has."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice

from optimizer.model import Group, Member
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.event import NotApplicableError, member_index
from optimizer.scenarios.running import Running


def newcomers(group: Group, n: int, like: str | None = None) -> list[Member]:
    """Members to come: see `Join`."""
    if not group.members:
        raise NotApplicableError("the group has no member that shows what a new one would read")
    members = group.members
    example = members[member_index(group, like)] if like is not None else _common(members)
    per_rack = Counter(member.rack for member in members if member.rack is not None)
    are_static = all(member.instance_id is not None for member in members)
    taken = {member.member_id for member in members} | {member.instance_id for member in members}
    come = []
    free = (id_ for number in count(1) if (id_ := f"new-{number}") not in taken)
    for id_ in islice(free, n):
        rack = example.rack
        if like is None and per_rack:
            rack = min(sorted(per_rack), key=per_rack.__getitem__)
            per_rack[rack] += 1
        come.append(
            Member(
                id_, example.topics, (), id_ if are_static else None, rack, None, example.capacity
            )
        )
    return come


def _common(members: Sequence[Member]) -> Member:
    """The first of those who read what most read."""
    read = Counter(frozenset(member.topics) for member in members)
    most = max(read.values())
    return next(member for member in members if read[frozenset(member.topics)] == most)


def resized(at: float, running: Running, after: Group) -> Iterator[Step]:
    """The last processes close, or new ones start."""
    now = len(running.group.members)
    for name in running.names[len(after.members) :]:
        yield Close(at, name)
    for member in after.members[now:]:
        topics = tuple(member.topics)
        yield Start(at, member.member_id, topics, None, member.instance_id, member.rack)
