"""Whether a plan is in force in a live group, and if it isn't, what keeps it out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from optimizer.assignor.group import JoiningGroup, JoiningMember, misfit as first_misfit
from optimizer.assignor.plan_file import EAGER, GroupPlan, follows_plans
from spark.fleet import CONNECT, CONSUMER, UNKNOWN_STATE, why_unsupported
from spark.sources.live.group import DescribedGroup, DescribedMember

COOPERATIVE_STICKY = "cooperative-sticky"


def refuses_plans(kind: str | None, strategy: str | None, members: int) -> str | None:
    """What the group is, where no plan of consumers can be in force; None: it is one of consumers.

    `kind` is one of `spark.fleet.TYPES`, None as classic.
    """
    if kind == CONNECT:
        return "a cluster of Connect workers, whose leader assigns their tasks by itself"
    return why_unsupported(kind, strategy, [None] * members)


def why_not(kind: str | None, strategy: str | None, members: int) -> str | None:
    """Why a plan would be ignored, and what to do, as a sentence about "it"; None: it wouldn't."""
    if what := refuses_plans(kind, strategy, members):
        return f"it takes no plan: it is {what}"
    if not members:
        return "it has no members at the moment: a plan is for those who are there"
    if follows_plans(strategy, kind):
        return None
    if kind == CONSUMER:
        return (
            f"its broker assigns by {strategy!r}: the plan would be ignored. To roll it out, add "
            "Evenfleet's assignor to group.consumer.assignors of every broker, and set "
            f"group.remote.assignor={EAGER} in its consumers (docs/java_consumers.md)"
        )
    kin = "the cooperative PlanAssignor" if strategy == COOPERATIVE_STICKY else "a PlanAssignor"
    return (
        f"its members use {strategy}: the plan would be ignored. To roll it out, give one "
        f"member after the other {kin}, with {strategy} as the second of its strategies "
        "(docs/plan_in_force.md, From another assignor)"
    )


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
        topics = plan.members.get(key, {})
        planned = [(topic, partition) for topic, parts in topics.items() for partition in parts]
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
    return first_misfit(plan, group.name, JoiningGroup(members, read))


AT_REST = ("Stable", "Empty", "Dead")
"""States in which nothing is on its way; Dead is a group that isn't there."""


class Status(StrEnum):
    """The events of a plan."""

    IN_FORCE = "in force"
    NOT_IN_FORCE = "not in force"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Evaluation:
    """`reason` says what keeps the plan out; None: nothing but that nobody has read it yet.

    `members` is the number of those who don't own what the plan gives them. `is_final`: waiting
    won't help.
    """

    status: Status
    reason: str | None
    members: int
    is_at_rest: bool
    is_final: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether the plan would be in force after a rebalance of the group."""
        return self.status is Status.NOT_IN_FORCE and self.reason is None


def evaluate_group(plan: GroupPlan, group: DescribedGroup, counts: Mapping[str, int]) -> Evaluation:
    """`counts` has the number of partitions of each topic of the cluster."""
    if group.state.startswith(UNKNOWN_STATE):
        return Evaluation(Status.UNKNOWN, group.reason, 0, is_at_rest=False)
    rows = differences(plan, group)
    rests = group.state in AT_REST
    of_group = group.type, group.strategy, len(group.members)
    refuses = refuses_plans(*of_group) is not None
    if group.state == "Dead":
        reason: str | None = "there is no such group"
    elif rests or refuses:
        reason = why_not(*of_group)
    else:
        reason = f"it is {group.state}: try again when it is Stable"
    if not reason and not rows:
        return Evaluation(Status.IN_FORCE, None, 0, is_at_rest=True)
    if not reason and (why := _misfit(plan, group, counts)):
        reason = f"the plan doesn't fit it: {why}"
    is_ignored = bool(group.members) and not follows_plans(group.strategy, group.type)
    final = refuses or (rests and is_ignored)
    return Evaluation(Status.NOT_IN_FORCE, reason, len(rows), rests, final)


def _misfit(plan: GroupPlan, group: DescribedGroup, counts: Mapping[str, int]) -> str | None:
    if why := misfit(plan, group, counts):
        return why
    if group.type != CONSUMER:
        return None
    for topic in sorted(plan.topics.keys() - plan.topic_ids.keys()):
        return f"it has no id of topic {topic!r}, by which the broker knows it"
    for member in group.members:
        key = key_of(member)
        is_known = member.instance_id or plan.member_ids.get(key) == member.member_id
        if key in plan.members and not is_known:
            return (
                f"its member {key!r} has rejoined since, and the broker doesn't know it by that "
                "name: give it a group.instance.id, or make a new plan"
            )
    return None
