"""Whether a plan is in force in a live group, and if it isn't, what keeps it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.enforcement import Enforcement, enforcement_of, why_not
from spark.enforce.in_force import differences, key_of, misfit
from spark.fleet import UNKNOWN_STATE
from spark.sources.live.group import DescribedGroup

AT_REST = ("Stable", "Empty", "Dead")
"""States in which nothing is on its way; Dead is a group that isn't there."""


class Status(StrEnum):
    """The events of a plan."""

    IN_FORCE = "in force"
    NOT_IN_FORCE = "not in force"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Verdict:
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


def evaluate_group(plan: GroupPlan, group: DescribedGroup, counts: Mapping[str, int]) -> Verdict:
    """`counts` has the number of partitions of each topic of the cluster."""
    if group.state.startswith(UNKNOWN_STATE):
        return Verdict(Status.UNKNOWN, group.reason, 0, is_at_rest=False)
    rows = differences(plan, group)
    rests = group.state in AT_REST
    way = enforcement_of(group.type, group.strategy, len(group.members))
    if group.state == "Dead":
        reason: str | None = "there is no such group"
    elif rests or way is Enforcement.NONE:
        reason = why_not(group.type, group.strategy, len(group.members))
    else:
        reason = f"it is {group.state}: try again when it is Stable"
    if not reason and not rows:
        return Verdict(Status.IN_FORCE, None, 0, is_at_rest=True)
    if not reason and (why := _misfit(plan, group, counts, way)):
        reason = f"the plan doesn't fit it: {why}"
    final = way is Enforcement.NONE or (rests and way is Enforcement.IGNORED)
    return Verdict(Status.NOT_IN_FORCE, reason, len(rows), rests, final)


def _misfit(
    plan: GroupPlan, group: DescribedGroup, counts: Mapping[str, int], way: Enforcement
) -> str | None:
    if why := misfit(plan, group, counts):
        return why
    if way is not Enforcement.BROKER:
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
