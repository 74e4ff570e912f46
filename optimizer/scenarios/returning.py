"""Members that come back, as the same ones or as new ones."""

from collections.abc import Container, Sequence
from dataclasses import replace

from optimizer.model import Group
from optimizer.scenarios.event import EventError
from optimizer.settings import Limits


def restarted(
    group: Group, member_indexes: Sequence[int], seconds: float, static: bool | None, limits: Limits
) -> Group:
    """The group when the members who stand there are back after a number of seconds."""
    members = list(group.members)
    taken = {member.member_id for member in members}
    for place in member_indexes:
        was = members[place]
        instance = was.instance_id
        if static is not None:
            instance = (instance or was.member_id) if static else None
        if instance is not None and seconds <= limits.session:
            members[place] = replace(was, instance_id=instance)
            continue
        id_ = unused(was.member_id, taken)
        taken.add(id_)
        members[place] = replace(
            was, member_id=id_, instance_id=instance, owned=(), generation=None
        )
    return replace(group, members=members)


def unused(beginning: str, taken: Container[str | None]) -> str:
    """`beginning-N` of the first number from 2 on that is free."""
    number = 2
    while f"{beginning}-{number}" in taken:
        number += 1
    return f"{beginning}-{number}"


def as_static(group: Group) -> Group:
    """The same group with an instance id for every member: its member id where it has none."""
    named = [
        replace(member, instance_id=member.instance_id or member.member_id)
        for member in group.members
    ]
    return replace(group, members=named)


def with_static(group: Group, static: bool | None, member: str | None = None) -> Group:
    """The group with an instance id for every member, or for one, or without; None: as it is."""
    if static is None:
        return group
    members = [
        (named if static else replace(was, instance_id=None))
        if member is None or member in (was.member_id, named.instance_id)
        else was
        for was, named in zip(group.members, as_static(group).members, strict=True)
    ]
    return replace(group, members=members)


STATIC = {"static": True, "dynamic": False}


def check_static(static: object) -> None:
    if static not in (None, True, False):
        raise EventError(f"static is {static!r} and must be true or false")


def static_to_text(static: bool | None) -> list[str]:
    return [word for word, meant in STATIC.items() if meant is static]


def static_of(value: str) -> tuple[str, bool | None]:
    """A text without the `:static` or `:dynamic` at its end, and what that says."""
    rest, _, word = value.rpartition(":")
    return (rest, STATIC[word]) if word in STATIC else (value, None)
