"""Consumers' time-outs that don't fit each other, where the configuration tells them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Finding, rows_found
from spark.audit.sql_text import decimal, filled, sentence


def session_timeout(timeouts: DataFrame) -> DataFrame:
    """session.timeout.ms should allow for three heartbeats (Kafka's own advice)."""
    return rows_found(
        timeouts.where("session_timeout_ms > 0 and heartbeat_interval_ms > 0"),
        subject=filled("group {group}"),
        measure="session_timeout_ms / heartbeat_interval_ms",
        sentence=sentence(
            "The session time-out of group {group}, {session_timeout_ms} ms, is {ratio} times its "
            "heartbeat interval of {heartbeat_interval_ms} ms.",
            ratio=decimal("session_timeout_ms / heartbeat_interval_ms"),
        ),
    )


SESSION_TIMEOUT = Finding(
    name="session-timeout",
    tells="the session time-out is less than three heartbeats",
    measure="session.timeout.ms ÷ heartbeat.interval.ms",
    advice="Set heartbeat.interval.ms to a third of session.timeout.ms or less: a lost heartbeat "
    "or two must not end a session.",
    find=session_timeout,
    reads=("timeouts",),
    needs=("timeouts",),
    warning=3,
    critical=1,
    below=True,
)


def poll_interval(timeouts: DataFrame) -> DataFrame:
    """max.poll.interval.ms against the time that processing one poll takes."""
    return rows_found(
        timeouts.where("max_poll_interval_ms > 0 and processing_time_ms > 0"),
        subject=filled("group {group}"),
        measure="max_poll_interval_ms / processing_time_ms",
        sentence=sentence(
            "Group {group} may take {max_poll_interval_ms} ms between polls, {ratio} times the "
            "{processing_time_ms} ms that it needs to process one.",
            ratio=decimal("max_poll_interval_ms / processing_time_ms"),
        ),
    )


POLL_INTERVAL = Finding(
    name="poll-interval",
    tells="the time allowed between polls is too short for processing one",
    measure="max.poll.interval.ms ÷ processing time of one poll",
    advice="Lower max.poll.records or raise max.poll.interval.ms: a member that polls too late "
    "is thrown out, and its work is done again.",
    find=poll_interval,
    reads=("timeouts",),
    needs=("timeouts",),
    warning=2,
    critical=1,
    below=True,
)
