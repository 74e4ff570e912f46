"""How far a live group is from its plan."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from optimizer.assignor import fit
from optimizer.assignor.group import JoiningGroup, JoiningMember
from optimizer.assignor.plan_file import GroupPlan
from spark.sources.live.group import Claim, DescribedGroup, DescribedMember


def key_of(member: DescribedMember) -> str:
    """A member's key in a plan: its group.instance.id, or else its client.id."""
    return member.instance_id or member.client_id or member.member_id


def differences(plan: GroupPlan, group: DescribedGroup) -> list[dict[str, Any]]:
    """One row a member that doesn't own what the plan gives it; none: the plan is in force.

    Columns: member, planned, owned, to_get, to_give (numbers of partitions), why. Members that
    read nothing and aren't in the plan don't count.
    """
    live: dict[str, list[DescribedMember]] = {}
    for member in group.members:
        if member.topics or key_of(member) in plan.members:
            live.setdefault(key_of(member), []).append(member)
    rows = []
    for key in sorted(plan.members.keys() | live.keys()):
        planned = _planned(plan, key)
        owned = [claim for member in live.get(key, ()) for claim in member.owned]
        why = _why(plan, key, live.get(key, ()))
        if why or Counter(owned) != Counter(planned):
            rows.append(
                {
                    "member": key,
                    "planned": len(planned),
                    "owned": len(owned),
                    "to_get": len(set(planned) - set(owned)),
                    "to_give": len(set(owned) - set(planned)),
                    "why": why,
                }
            )
    return rows


def _planned(plan: GroupPlan, key: str) -> list[Claim]:
    topics = plan.members.get(key, {})
    return [(topic, partition) for topic, parts in topics.items() for partition in parts]


def _why(plan: GroupPlan, key: str, members: Sequence[DescribedMember]) -> str | None:
    if key not in plan.members:
        return "not in the plan"
    if not members:
        return "not in the group"
    if len(members) > 1:
        return f"{len(members)} members go by this key"
    return None


def misfit(plan: GroupPlan, group: DescribedGroup, counts: Mapping[str, int]) -> str | None:
    """Why the group's leader won't use the plan; `counts` has the partitions of all topics."""
    members = tuple(
        JoiningMember(key_of(member), key_of(member), frozenset(member.topics or ()))
        for member in group.members
    )
    read = {topic: counts[topic] for member in members for topic in member.topics & counts.keys()}
    return fit.misfit(plan, group.name, JoiningGroup(members, read))
