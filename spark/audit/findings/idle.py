"""Members that have nothing to do, restart, or moved more than they had to."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from optimizer.model import IntArray
from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    A_NEW_PLAN,
    FindingRow,
    GroupFinding,
    Thresholds,
    about,
    about_balance,
)
from spark.solve import ACTIONS

KEEPABLE = (ACTIONS.index("keep"), ACTIONS.index("move"))
"""Actions on partitions whose owner is present and subscribed."""


def _idle(plan: Any) -> int:
    """Members that have nothing, now."""
    if plan.current_min_load:
        return 0
    is_keepable = (plan.action == KEEPABLE[0]) | (plan.action == KEEPABLE[1])
    return int(plan.members - np.count_nonzero(np.bincount(plan.previous[is_keepable])))


def _without(plan: Any) -> int:
    """Members that have nothing in the best assignment."""
    if plan.min_load:
        return 0
    return int(plan.members - np.count_nonzero(np.bincount(plan.target[plan.target >= 0])))


@GroupFinding(
    tells="members own nothing while others carry several partitions",
    measure="members that could have work and have none",
    advice="`evenfleet plan` shows the best assignment.",
    levels={"info": 1},
)
def idle_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
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
def spare_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Members that no assignment can give anything, of those that read a topic that is there.

    Connect's workers read all connectors: without one there is nothing to be spare of.
    """
    plan, spare = group.plan, group.solved.spare
    if spare:
        yield about(
            group,
            spare,
            "{spare} of the {members} members of group {group} can't own anything under any "
            "strategy: its topics have {partitions:partition} in all.",
            spare=spare,
            members=plan.members,
            partitions=plan.partitions,
        )


@GroupFinding(
    tells="more partitions moved since the snapshot before than balance needed",
    measure="moves beyond the fewest that lead to the best balance",
    advice="Use a sticky strategy: cooperative-sticky, or the new protocol; range and roundrobin "
    "reassign everything.",
    advice_to_planned=A_NEW_PLAN,
    advice_to_connect="Set connect.protocol to sessioned, or compatible, on all workers: eager "
    "reassigns everything at each rebalance.",
    needs=("previous",),
    levels={"info": 1, "warning": 10},
)
def avoidable_moves(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Moves since the snapshot before, beyond those that the best assignment takes from there.

    The group tells it when it is solved with today's members and subscriptions from the claims of
    that snapshot.
    """
    plan, before = group.plan, group.from_before
    if plan is None or before is None or before.max_load is None:
        return
    made, needed = _changed_hands(plan, before), before.moves
    if made > needed:
        yield about(
            group,
            made - needed,
            "{moved:partition} of group {group} changed hands since the snapshot before although "
            "their owners stayed; the best balance would have taken {needed} of these moves.",
            moved=made,
            needed=needed or "none",
        )


def _changed_hands(plan: Any, before: Any) -> int:
    """Partitions whose owner was there before, and is, and that have another one now."""
    stayed = np.isin(before.action, KEEPABLE)
    owned = plan.previous >= 0
    then = _partition_keys(plan.topics, before)[stayed]
    now = _partition_keys(plan.topics, plan)[owned]
    at = now.searchsorted(then)
    at[at == len(now)] = 0
    both = (now[at] == then) if len(now) else np.zeros(len(then), np.bool_)
    # members come first in both lists of names, and in one order
    return int(np.count_nonzero(before.previous[stayed][both] != plan.previous[owned][at[both]]))


def _partition_keys(topics: Any, plan: Any) -> IntArray:
    """A number for each partition of a plan, by the index of its topic among others."""
    index = {name: at for at, name in enumerate(topics)}
    of_topic = np.array([index.get(name, -1) for name in plan.topics], np.int64)
    keys: IntArray = (of_topic[plan.topic] << 32) + plan.partition
    return keys


@GroupFinding(
    tells="dynamic members come and go where static ids would save moves",
    measure="members that left and were replaced since the snapshot before",
    advice="Give each member a group.instance.id of its own (a pod's name will do) and a "
    "session.timeout.ms longer than a restart.",
    advice_to_connect="Workers can't have static ids: let a restart take less than "
    "scheduled.rebalance.max.delay.ms, and each gets its tasks back.",
    needs=("previous",),
    levels={"info": 1, "warning": 3},
)
def restarting_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    row = group.row
    if group.is_unsupported or not len(row.dynamic_before_members):
        return
    dynamic = [at for at, static in enumerate(row.instance_ids) if static is None]
    before = row.dynamic_before_members.tolist()
    members_now, members_before = {*dynamic}, {*before}
    gone = [member for member in before if member not in members_now]
    come = len([member for member in dynamic if member not in members_before])
    if not gone or not come:
        return
    handed = int(np.count_nonzero(np.isin(row.before_claim_members, gone)))
    if handed:
        yield about(
            group,
            min(len(gone), come),
            "{gone:member} of group {group} left since the snapshot before and {come} came, all "
            "without a static id: {handed:partition} {handed:was|were} handed on for it.",
            gone=len(gone),
            come=come,
            handed=handed,
        )
