"""Members that do nothing, restart or move too much, and how their clients are configured."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from optimizer.model import IntArray
from optimizer.strategies import DIFFERENT, EQUAL, LARGE, RACKS, TOPICS, defects_of
from spark.audit.facts import GroupFacts
from spark.audit.finding import A_NEW_PLAN, GroupFinding, Measured, Thresholds, measured
from spark.fleet import CONSUMER
from spark.settings import ConsumerSettings
from spark.solve import ACTIONS

KEEPABLE = (ACTIONS.index("keep"), ACTIONS.index("move"))
"""Actions on partitions whose owner is present and subscribed."""


def _idle(plan: Any, owners: IntArray) -> int:
    """Members that are none of these owners."""
    return int(plan.members - np.count_nonzero(np.bincount(owners)))


@GroupFinding(
    tells="members own nothing while others carry several partitions",
    measure="members that could have work and have none",
    advice="`evenfleet plan` shows the best assignment.",
    levels={"info": 1},
    template="{idle} of the {members} members of group {group} {idle:owns|own} nothing while one "
    "has {plan.current_max_load:partition}; the best assignment has work for {measure} of them.",
    by_balance=True,
)
def idle_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Members without a partition that the best assignment would give one.

    Where nobody has several, what they lack is with nobody: those are unread partitions. It is as
    bad as the group's balance.
    """
    plan = group.plan
    if plan is None or plan.current_min_load or not plan.uneven:
        return
    idle = _idle(plan, plan.previous[np.isin(plan.action, KEEPABLE)])
    employable = idle - _idle(plan, plan.target[plan.target >= 0])
    if employable > 0:
        yield measured(employable, idle=idle)


@GroupFinding(
    tells="there are more members than partitions for them",
    measure="members that no assignment can give anything",
    advice="Take these members away, or add partitions if the group is to grow; "
    "keep them if they stand by on purpose.",
    advice_to_connect="Take these workers away, or raise tasks.max of connectors that can use "
    "more; keep them if they stand by on purpose.",
    levels={"info": 1, "warning": 10},
    template="{measure} of the {members} members of group {group} can't own anything under any "
    "strategy: its topics have {plan.partitions:partition} in all.",
)
def spare_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Members that no assignment can give anything, of those that read a topic that is there.

    Connect's workers read all connectors: without one there is nothing to be spare of.
    """
    if group.solved.spare:
        yield measured(group.solved.spare)


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
    template="{moved:partition} of group {group} changed hands since the snapshot before although "
    "their owners stayed; the best balance would have taken {needed} of these moves.",
)
def avoidable_moves(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Moves since the snapshot before, beyond those that the best assignment takes from there.

    The group tells it when it is solved with today's members and subscriptions from the claims of
    that snapshot.
    """
    plan, before = group.plan, group.from_before
    if plan is None or before is None or before.max_load is None:
        return
    made, needed = _changed_hands(plan, before), before.moves
    if made > needed:
        yield measured(made - needed, moved=made, needed=needed or "none")


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
    template="{gone:member} of group {group} left since the snapshot before and {come} came, all "
    "without a static id: {handed:partition} {handed:was|were} handed on for it.",
)
def restarting_members(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
        yield measured(min(len(gone), come), gone=len(gone), come=come, handed=handed)


def _timeouts_of(group: GroupFacts) -> ConsumerSettings:
    """Time-outs that are stated for a group of consumers that has members."""
    return group.timeouts if group.members and not group.is_unsupported else {}


@GroupFinding(
    tells="the session time-out is less than three heartbeats",
    measure="session.timeout.ms ÷ heartbeat.interval.ms",
    advice="Set heartbeat.interval.ms to a third of session.timeout.ms or less: a lost heartbeat "
    "or two must not end a session.",
    needs=("timeouts",),
    levels={"warning": 3, "critical": 1},
    below=True,
    template="The session time-out of group {group}, {time} ms, is {measure:decimal} times its "
    "heartbeat interval of {unit} ms.",
)
def session_timeout(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """session.timeout.ms should allow for three heartbeats (Kafka's own advice)."""
    yield from _ratio(group, "session_timeout_ms", "heartbeat_interval_ms")


@GroupFinding(
    tells="the time allowed between polls is too short for processing one",
    measure="max.poll.interval.ms ÷ processing time of one poll",
    advice="Lower max.poll.records or raise max.poll.interval.ms: a member that polls too late "
    "is thrown out, and its work is done again.",
    needs=("timeouts",),
    levels={"warning": 1.1, "critical": 1},
    below=True,
    template="Group {group} may take {time} ms between polls, {measure:decimal} times the {unit} "
    "ms that it needs to process one.",
)
def poll_interval(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from _ratio(group, "max_poll_interval_ms", "processing_time_ms")


def _ratio(group: GroupFacts, *names: str) -> Iterator[Measured]:
    """One time-out of a group ÷ another, where both are known."""
    time, unit = map(_timeouts_of(group).get, names)
    if time and unit:
        yield measured(time / unit, time=time, unit=unit)


@GroupFinding(
    tells="the session time-out isn't within the broker's limits",
    measure="session.timeout.ms ÷ group.max.session.timeout.ms, or group.min.session.timeout.ms ÷ "
    "session.timeout.ms",
    advice="Set session.timeout.ms within group.min.session.timeout.ms and "
    "group.max.session.timeout.ms, or change these on the brokers.",
    needs=("timeouts",),
    levels={"critical": 1},
    template="The session time-out of group {group}, {session} ms, is {than} than the {limit} ms "
    "that brokers allow: no member can join.",
)
def session_timeout_outside(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """session.timeout.ms against what brokers allow (GroupCoordinatorService.joinGroup).

    Members of the new protocol have the broker's own.
    """
    timeouts = _timeouts_of(group)
    session = timeouts.get("session_timeout_ms")
    if not session or group.row.type == CONSUMER:
        return
    least, most = (timeouts.get(f"group_{bound}_session_timeout_ms") for bound in ("min", "max"))
    if least and session < least:
        yield measured(least / session, session=session, than="less", limit=least)
    elif most and session > most:
        yield measured(session / most, session=session, than="more", limit=most)


KAFKAS_SESSION_MS = 45_000
"""session.timeout.ms and group.consumer.session.timeout.ms, where no other is configured."""


@GroupFinding(
    tells="static members are away in a restart for longer than their session",
    measure="time that a restart takes ÷ session time-out",
    advice="Raise session.timeout.ms above what a restart takes, or restart faster: a static "
    "member that is back in time causes no rebalance.",
    needs=("timeouts",),
    levels={"warning": 1},
    template="A restart keeps members of group {group} away for {restart} ms, and sessions end "
    "after {session} ms: its {static:static member} gain nothing by their instance ids.",
)
def restart_outlasts_session(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """A static member that is back after its session has been replaced (KIP-345)."""
    timeouts = _timeouts_of(group)
    static = sum(instance_id is not None for instance_id in group.row.instance_ids)
    restart = timeouts.get("restart_ms") or 1000 * timeouts.get("restart_seconds", 0)
    if not restart or not static:
        return
    session = timeouts.get("session_timeout_ms", KAFKAS_SESSION_MS)
    yield measured(restart / session, restart=restart, session=session, static=static)


@GroupFinding(
    tells="several members of a group have one instance id",
    measure="members that have the instance id",
    advice="Give each process a group.instance.id of its own: of two with the same one, the "
    "newcomer ends the other (the classic protocol), or can't join (the new one).",
    advice_to_connect="Workers can't have static ids: see who else is in the group.",
    levels={"critical": 2},
    each="instance",
    template="{measure:member} of group {group} have the instance id {name}.",
)
def instance_id_twice(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Members of one group.instance.id fence each other (KIP-345)."""
    if group.is_unsupported:
        return
    names = Counter(name for name in group.row.instance_ids if name is not None)
    for instance, times in sorted(names.items()):
        if times > 1:
            yield measured(times, instance)


@GroupFinding(
    tells="the assignor of a group's clients has a defect that hits this group",
    measure="what it costs: 1 time or balance, 2 reading stops, 3 two members read one partition",
    advice="Upgrade the clients to 3.7.1 or newer. docs/strategies.md has the version that fixes "
    "each defect.",
    needs=("groups.strategy", "client_version"),
    levels={"info": 1, "warning": 2, "critical": 3},
    settings={
        "pairs": (
            1_000_000,
            "for defects of large groups: members x partitions from which on a group is large",
        )
    },
    each="issue",
    template="Group {group} uses {row.group_strategy} of Kafka's clients {version}, which have "
    "{name}: {what:whole}.",
)
def client_defect(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    version = group.client_version
    if version is None or group.is_unsupported or group.members < 2:
        return
    traits = frozenset(_traits(group, thresholds["pairs"] or 0))
    for defect in defects_of(group.row.group_strategy, version, traits):
        yield measured(defect.cost, defect.issue, version=version, what=defect.what)


def _traits(group: GroupFacts, pairs: float) -> Iterator[str]:
    row = group.row
    exist = row.topic_sizes > 0
    yield EQUAL if (row.subscriber_counts[exist] == group.members).all() else DIFFERENT
    if np.count_nonzero(exist) > 1:
        yield TOPICS
    if any(row.racks):
        yield RACKS
    if group.members * int(row.topic_sizes[exist].sum(dtype=np.int64)) >= pairs:
        yield LARGE
