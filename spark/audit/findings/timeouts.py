"""Consumers' time-outs that don't fit each other, where the configuration tells them."""

from collections import Counter
from collections.abc import Iterator

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about
from spark.fleet import CONSUMER
from spark.settings import ConsumerSettings


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
)
def session_timeout(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """session.timeout.ms should allow for three heartbeats (Kafka's own advice)."""
    if timeouts := _timeouts_of(group):
        yield from _ratio(
            group,
            timeouts.get("session_timeout_ms"),
            timeouts.get("heartbeat_interval_ms"),
            "The session time-out of group {group}, {time} ms, is {ratio:decimal} times its "
            "heartbeat interval of {unit} ms.",
        )


@GroupFinding(
    tells="the time allowed between polls is too short for processing one",
    measure="max.poll.interval.ms ÷ processing time of one poll",
    advice="Lower max.poll.records or raise max.poll.interval.ms: a member that polls too late "
    "is thrown out, and its work is done again.",
    needs=("timeouts",),
    levels={"warning": 1.1, "critical": 1},
    below=True,
)
def poll_interval(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    if timeouts := _timeouts_of(group):
        yield from _ratio(
            group,
            timeouts.get("max_poll_interval_ms"),
            timeouts.get("processing_time_ms"),
            "Group {group} may take {time} ms between polls, {ratio:decimal} times the {unit} ms "
            "that it needs to process one.",
        )


def _ratio(
    group: GroupFacts, time: int | None, unit: int | None, template: str
) -> Iterator[FindingRow]:
    """A finding on one time of a group ÷ another, where both are known."""
    if time and unit:
        ratio = time / unit
        yield about(group, ratio, template, time=time, unit=unit, ratio=ratio)


@GroupFinding(
    tells="the session time-out isn't within the broker's limits",
    measure="session.timeout.ms ÷ group.max.session.timeout.ms, or group.min.session.timeout.ms ÷ "
    "session.timeout.ms",
    advice="Set session.timeout.ms within group.min.session.timeout.ms and "
    "group.max.session.timeout.ms, or change these on the brokers.",
    needs=("timeouts",),
    levels={"critical": 1},
)
def session_timeout_outside(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """session.timeout.ms against what brokers allow (GroupCoordinatorService.joinGroup).

    Members of the new protocol have the broker's own.
    """
    timeouts = _timeouts_of(group)
    session = timeouts.get("session_timeout_ms")
    if not session or group.row.type == CONSUMER:
        return
    least, most = (timeouts.get(f"group_{bound}_session_timeout_ms") for bound in ("min", "max"))
    if least and session < least:
        yield _outside(group, session, least / session, "less", least)
    elif most and session > most:
        yield _outside(group, session, session / most, "more", most)


def _outside(group: GroupFacts, session: int, ratio: float, than: str, limit: int) -> FindingRow:
    return about(
        group,
        ratio,
        "The session time-out of group {group}, {session} ms, is {than} than the {limit} ms that "
        "brokers allow: no member can join.",
        session=session,
        than=than,
        limit=limit,
    )


KAFKAS_SESSION_MS = 45_000
"""session.timeout.ms and group.consumer.session.timeout.ms, where no other is configured."""


@GroupFinding(
    tells="static members are away in a restart for longer than their session",
    measure="time that a restart takes ÷ session time-out",
    advice="Raise session.timeout.ms above what a restart takes, or restart faster: a static "
    "member that is back in time causes no rebalance.",
    needs=("timeouts",),
    levels={"warning": 1},
)
def restart_outlasts_session(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """A static member that is back after its session has been replaced (KIP-345)."""
    timeouts = _timeouts_of(group)
    static = sum(instance_id is not None for instance_id in group.row.instance_ids)
    restart = timeouts.get("restart_ms") or 1000 * timeouts.get("restart_seconds", 0)
    if not restart or not static:
        return
    session = timeouts.get("session_timeout_ms", KAFKAS_SESSION_MS)
    yield about(
        group,
        restart / session,
        "A restart keeps members of group {group} away for {restart} ms, and sessions end after "
        "{session} ms: its {static:static member} gain nothing by their instance ids.",
        restart=restart,
        session=session,
        static=static,
    )


@GroupFinding(
    tells="several members of a group have one instance id",
    measure="members that have the instance id",
    advice="Give each process a group.instance.id of its own: of two with the same one, the "
    "newcomer ends the other (the classic protocol), or can't join (the new one).",
    advice_to_connect="Workers can't have static ids: see who else is in the group.",
    levels={"critical": 2},
)
def instance_id_twice(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Members of one group.instance.id fence each other (KIP-345)."""
    if group.is_unsupported:
        return
    names = Counter(name for name in group.row.instance_ids if name is not None)
    for instance, times in sorted(names.items()):
        if times > 1:
            yield about(
                group,
                times,
                "{times:member} of group {group} have the instance id {instance}.",
                f"instance {instance}",
                times=times,
                instance=instance,
            )
