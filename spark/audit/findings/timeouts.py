"""Consumers' time-outs that don't fit each other, where the configuration tells them."""

from __future__ import annotations

from collections.abc import Iterator

from spark.audit.facts import GroupFacts
from spark.audit.finding import Found, GroupFinding, Settings
from spark.audit.rules import Timeouts
from spark.audit.words import decimal, sentence


def _stated(facts: GroupFacts) -> Timeouts | None:
    """What is stated for a group of consumers that has members."""
    return facts.timeouts if facts.members and not facts.is_foreign else None


def session_timeout(facts: GroupFacts, settings: Settings) -> Iterator[Found]:
    """session.timeout.ms should allow for three heartbeats (Kafka's own advice)."""
    stated = _stated(facts)
    if stated and stated.session_timeout_ms and stated.heartbeat_interval_ms:
        ratio = stated.session_timeout_ms / stated.heartbeat_interval_ms
        yield Found(
            f"group {facts.group}",
            ratio,
            lambda: sentence(
                "The session time-out of group {group}, {session} ms, is {ratio} times its "
                "heartbeat interval of {heartbeat} ms.",
                group=facts.group,
                session=stated.session_timeout_ms,
                ratio=decimal(ratio),
                heartbeat=stated.heartbeat_interval_ms,
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


def poll_interval(facts: GroupFacts, settings: Settings) -> Iterator[Found]:
    """max.poll.interval.ms against the time that processing one poll takes."""
    stated = _stated(facts)
    if stated and stated.max_poll_interval_ms and stated.processing_time_ms:
        ratio = stated.max_poll_interval_ms / stated.processing_time_ms
        yield Found(
            f"group {facts.group}",
            ratio,
            lambda: sentence(
                "Group {group} may take {interval} ms between polls, {ratio} times the "
                "{processing} ms that it needs to process one.",
                group=facts.group,
                interval=stated.max_poll_interval_ms,
                ratio=decimal(ratio),
                processing=stated.processing_time_ms,
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
    warning=2,
    critical=1,
    below=True,
)
