"""Members that have nothing to do."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings, about, about_balance
from spark.solve import ACTIONS

KEEPABLE = (ACTIONS.index("keep"), ACTIONS.index("move"))
"""What happens to partitions whose owner is there and subscribed."""


def _idle(plan: Any) -> int:
    """How many members have nothing, now."""
    if plan.current_min_load:
        return 0
    is_keepable = (plan.action == KEEPABLE[0]) | (plan.action == KEEPABLE[1])
    return int(plan.members - np.count_nonzero(np.bincount(plan.previous[is_keepable])))


def _without(plan: Any) -> int:
    """The same in the best assignment."""
    if plan.min_load:
        return 0
    return int(plan.members - np.count_nonzero(np.bincount(plan.target[plan.target >= 0])))


@GroupFinding(
    tells="members own nothing while others carry several partitions",
    measure="members that could have work and have none",
    advice="`evenfleet plan` shows the best assignment.",
    levels={"info": 1},
)
def idle_members(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Members without a partition that the best assignment would give one.

    Where nobody has several, what they lack is with nobody: those are unread partitions. It is as
    bad as the group's balance.
    """
    plan = group.plan
    if plan is None or plan.current_min_load or not plan.uneven:
        return
    idle = _idle(plan)
    inputs = idle - _without(plan)
    if inputs > 0:
        yield about_balance(
            group,
            inputs,
            "{idle} of the {members} members of group {group} {idle:owns|own} nothing while one "
            "has {most:partition}; the best assignment has work for {inputs} of them.",
            idle=idle,
            members=plan.members,
            most=plan.current_max_load,
            inputs=inputs,
        )


@GroupFinding(
    tells="there are more members than partitions for them",
    measure="members that no assignment can give anything",
    advice="Take these members away, or add partitions if the group is to grow; "
    "keep them if they stand by on purpose.",
    advice_to_connect="Take these workers away, or raise tasks.max of connectors that can use "
    "more; keep them if they stand by on purpose.",
    levels={"info": 1, "warning": 10},
)
def spare_members(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Members that no assignment can give anything, of those that read a topic that is there.

    Connect's workers read all connectors: without one there is nothing to be spare of.
    """
    plan, spare = group.plan, group.solved.spare
    if spare:
        yield about(
            group,
            spare,
            "{spare} of the {members} members of group {group} can't own anything under any "
            "strategy: there are more members than partitions for them ({partitions} in all).",
            spare=spare,
            members=plan.members,
            partitions=plan.partitions,
        )
