"""Consumers' time-outs that don't fit each other, where the configuration tells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.rules import Timeouts
from spark.audit.text import decimal, sentence
from spark.fleet import CONSUMER
from spark.text import counted


def _timeouts_of(facts: GroupFacts) -> Timeouts | None:
    """What is stated for a group of consumers that has members."""
    return facts.timeouts if facts.members and not facts.is_unsupported else None


def session_timeout(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """session.timeout.ms should allow for three heartbeats (Kafka's own advice)."""
    values = _timeouts_of(facts)
    if values and values.session_timeout_ms and values.heartbeat_interval_ms:
        ratio = values.session_timeout_ms / values.heartbeat_interval_ms
        yield FindingRow(
            f"group {facts.group}",
            ratio,
            lambda: sentence(
                "The session time-out of group {group}, {session} ms, is {ratio} times its "
                "heartbeat interval of {heartbeat} ms.",
                group=facts.group,
                session=values.session_timeout_ms,
                ratio=decimal(ratio),
                heartbeat=values.heartbeat_interval_ms,
            ),
        )


SESSION_TIMEOUT = GroupFinding(
    name="session-timeout",
    tells="the session time-out is less than three heartbeats",
    measure="session.timeout.ms ÷ heartbeat.interval.ms",
    advice="Set heartbeat.interval.ms to a third of session.timeout.ms or less: a lost heartbeat "
    "or two must not end a session.",
    find=session_timeout,
    needs=("timeouts",),
    warning=3,
    critical=1,
    below=True,
)


def poll_interval(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """max.poll.interval.ms against the time that processing one poll takes."""
    values = _timeouts_of(facts)
    if values and values.max_poll_interval_ms and values.processing_time_ms:
        ratio = values.max_poll_interval_ms / values.processing_time_ms
        yield FindingRow(
            f"group {facts.group}",
            ratio,
            lambda: sentence(
                "Group {group} may take {interval} ms between polls, {ratio} times the "
                "{processing} ms that it needs to process one.",
                group=facts.group,
                interval=values.max_poll_interval_ms,
                ratio=decimal(ratio),
                processing=values.processing_time_ms,
            ),
        )


POLL_INTERVAL = GroupFinding(
    name="poll-interval",
    tells="the time allowed between polls is too short for processing one",
    measure="max.poll.interval.ms ÷ processing time of one poll",
    advice="Lower max.poll.records or raise max.poll.interval.ms: a member that polls too late "
    "is thrown out, and its work is done again.",
    find=poll_interval,
    needs=("timeouts",),
    warning=1.1,
    critical=1,
    below=True,
)


def session_timeout_outside(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """session.timeout.ms against what brokers allow (GroupCoordinatorService.joinGroup).

    Members of the new protocol have the broker's own.
    """
    values = _timeouts_of(facts)
    session = values and values.session_timeout_ms
    if not values or not session or facts.row.type == CONSUMER:
        return
    least, most = values.group_min_session_timeout_ms, values.group_max_session_timeout_ms
    if least and session < least:
        yield _outside(facts, session, least / session, "less", least)
    elif most and session > most:
        yield _outside(facts, session, session / most, "more", most)


def _outside(facts: GroupFacts, session: int, ratio: float, than: str, limit: int) -> FindingRow:
    return FindingRow(
        f"group {facts.group}",
        ratio,
        lambda: sentence(
            "The session time-out of group {group}, {session} ms, is {than} than the {limit} ms "
            "that brokers allow: no member can join.",
            group=facts.group,
            session=session,
            than=than,
            limit=limit,
        ),
    )


SESSION_TIMEOUT_OUTSIDE = GroupFinding(
    name="session-timeout-outside",
    tells="the session time-out isn't within the broker's limits",
    measure="session.timeout.ms ÷ group.max.session.timeout.ms, or group.min.session.timeout.ms ÷ "
    "session.timeout.ms",
    advice="Set session.timeout.ms within group.min.session.timeout.ms and "
    "group.max.session.timeout.ms, or change these on the brokers.",
    find=session_timeout_outside,
    needs=("timeouts",),
    critical=1,
)


KAFKAS_SESSION_MS = 45_000
"""session.timeout.ms and group.consumer.session.timeout.ms, where nobody states another."""


def restart_outlasts_session(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """A static member that is back after its session has been replaced (KIP-345)."""
    values = _timeouts_of(facts)
    static = sum(instance_id is not None for instance_id in facts.row.instance_ids)
    if not values or not values.restart_ms or not static:
        return
    session = values.session_timeout_ms or KAFKAS_SESSION_MS
    restart = values.restart_ms
    yield FindingRow(
        f"group {facts.group}",
        restart / session,
        lambda: sentence(
            "A restart keeps members of group {group} away for {restart} ms, and sessions end "
            "after {session} ms: its {static} gain nothing by their instance ids.",
            group=facts.group,
            restart=restart,
            session=session,
            static=counted(static, "static member"),
        ),
    )


RESTART_OUTLASTS_SESSION = GroupFinding(
    name="restart-outlasts-session",
    tells="static members are away in a restart for longer than their session",
    measure="time that a restart takes ÷ session time-out",
    advice="Raise session.timeout.ms above what a restart takes, or restart faster: a static "
    "member that is back in time causes no rebalance.",
    find=restart_outlasts_session,
    needs=("timeouts",),
    warning=1,
)


def instance_id_twice(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Members of one group.instance.id fence each other (KIP-345)."""
    if facts.is_unsupported:
        return
    entries = [instance_id for instance_id in facts.row.instance_ids if instance_id is not None]
    for instance, times in sorted(Counter(entries).items()):
        if times > 1:
            yield _twice(facts, instance, times)


def _twice(facts: GroupFacts, instance: str, times: int) -> FindingRow:
    return FindingRow(
        f"instance {instance}",
        times,
        lambda: sentence(
            "{times} of group {group} have the instance id {instance}.",
            times=counted(times, "member"),
            group=facts.group,
            instance=instance,
        ),
    )


INSTANCE_ID_TWICE = GroupFinding(
    name="instance-id-twice",
    tells="several members of a group have one instance id",
    measure="members that have the instance id",
    advice="Give each process a group.instance.id of its own: of two with the same one, the "
    "newcomer ends the other (the classic protocol), or can't join (the new one).",
    advice_to_connect="Workers can't have static ids: see who else is in the group.",
    find=instance_id_twice,
    critical=2,
)
