"""Findings that only many snapshots show."""

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS, Details, PastFinding, Thresholds, decimal, sentence
from spark.groups import GROUP_KEYS

FREQUENT_REBALANCES = PastFinding(
    name="frequent-rebalances",
    tells="a group rebalances again and again",
    measure="rebalances an hour",
    advice="Look for members that crash, or that take longer than max.poll.interval.ms; give "
    "members a group.instance.id so that restarts cause none. `evenfleet history` shows when.",
    reads=("rebalanced",),
    where="generations >= {least} and hours > 0",  # times that nobody saw don't count
    value="generations / hours",
    template="Group {group} rebalanced {generations:time} in {hours:decimal} hours; the likeliest "
    "cause is: {cause}.",
    levels={"info": 1, "warning": 4},
    settings={"least": (4, "groups with at least this many rebalances")},
)

BALANCE_WORSENS = PastFinding(
    name="balance-worsens",
    tells="a group's balance gets worse",
    measure="partitions by which the most loaded member's excess over the optimum grew",
    advice="Plan the group again (evenfleet plan), and replay its past under other strategies "
    "(evenfleet replay).",
    reads=("excess",),
    value="now - was",
    template="The most loaded member of group {group} has {now:partition} more than in the best "
    "assignment; in snapshot {since} it was {was}.",
    levels={"info": 1, "warning": 5},
)


def _growing(consumption: DataFrame, unmanned: DataFrame) -> DataFrame:
    """A row a group with partitions whose lag grows steadily, and the one where it grows most.

    A group without members reads nothing: more of them, or faster ones, aren't what it needs.
    """
    manned = consumption.join(unmanned.select(*GROUP_KEYS), list(GROUP_KEYS), "left_anti")
    return _by_group(
        manned.where("falls_behind"),
        *_of_largest("lag_trend", "topic", "partition", "lag"),
        "count(*) as partitions",
        "sum(lag_trend) as grows",
    )


def _of_largest(measure: str, *columns: str) -> list[str]:
    """The columns of the partition with the largest measure; of equal ones, of the last by name."""
    order = f"struct({measure}, topic, partition)"
    return [f"max_by({column}, {order}) as {column}" for column in columns]


def _by_group(rows: DataFrame, *texts: str) -> DataFrame:
    return rows.groupBy(*GROUP_KEYS).agg(*map(F.expr, texts))


FALLS_BEHIND = PastFinding(
    name="falls-behind",
    tells="a group reads more slowly than records come in",
    measure="partitions whose lag grows",
    advice="It needs more members or faster ones: `evenfleet members` says how many. If few "
    "partitions get most of the records, look at the keys they are written with.",
    reads=("consumption", "unmanned"),
    rows=_growing,
    value="partitions",
    template="Group {group} falls behind on {partitions:partition}, by {grows:decimal} records a "
    "second in all; most on {topic}-{partition:whole}, where its lag is {lag}.",
    needs=("history.offsets",),
    levels={"info": 1, "warning": 10},
)


def _late(consumption: DataFrame) -> DataFrame:
    """A row a group that reads what was written long ago, and the partition where it is oldest."""
    return _by_group(
        consumption.where("lag_seconds > 0"),
        *_of_largest("lag_seconds", "topic", "partition", "at_least"),
        "max(lag_seconds) as seconds",
    )


LAG_SECONDS = PastFinding(
    name="lag-seconds",
    tells="a group is late",
    measure="seconds since what it reads was written",
    advice="If it falls behind it needs more members; if it doesn't, it will catch up: "
    "`evenfleet rates` shows when.",
    reads=("consumption",),
    rows=_late,
    value="seconds",
    template="What group {group} reads of {topic}-{partition:whole} was written "
    "{at_least:at least |}{seconds:integer} seconds ago.",
    needs=("history.offsets",),
    levels={"info": 600, "warning": 3600},
)


def _out_of_use(unmanned: DataFrame, untouched: DataFrame) -> DataFrame:
    """Groups that nobody runs any more, or that read nothing of what comes in."""
    columns = (*GROUP_KEYS, "hours")
    empty = unmanned.select(*columns, "at_least")
    return empty.unionByName(untouched.select(*columns, "partitions"), allowMissingColumns=True)


def _how_abandoned(details: Details, thresholds: Thresholds) -> Details:
    if details["partitions"] is None:
        return {
            "how": sentence(
                "had no members for {at_least:at least |}{hours:decimal} hours", details
            )
        }
    how = (
        "members, and committed nothing in {hours:decimal} hours although records came on "
        "{partitions:partition}"
    )
    return {"how": sentence(how, details)}


ABANDONED_GROUP = PastFinding(
    name="abandoned-group",
    tells="a group has no members any more, or reads nothing",
    measure="hours without a member, or in which no commit moved though records came",
    advice="Delete it (kafka-consumer-groups --delete --group), or find out why it stands still.",
    reads=("unmanned", "untouched"),
    rows=_out_of_use,
    value="hours",
    template="Group {group} has {how}.",
    more=_how_abandoned,
    levels={"info": 20},
)

UNREAD_TOPIC = PastFinding(
    name="unread-topic",
    tells="no group reads a topic",
    measure="partitions of the topic",
    advice="Unless something reads it without a group (a table, a backup, an assigned consumer), "
    "it costs disk and replication for nothing.",
    reads=("unread",),
    where="hours >= {hours}",
    value="partitions",
    template="No group of cluster {cluster} has subscribed to topic {topic} in {hours:decimal} "
    "hours, which has {partitions:partition}.",
    each="topic",
    needs=("history", ALL_GROUPS),
    levels={"info": 1},
    settings={"hours": (1, "no group has read the topic for at least this long")},
)


def _when(details: Details, thresholds: Thresholds) -> Details:
    kept = details["kept_hours"]
    left = (thresholds["retention_hours"] if kept is None else kept) - details["hours"]
    if left > 0:
        return {"when": f"its offsets expire in {decimal(left)} hours"}
    unknown = ", unless brokers keep them longer" if kept is None else ""
    return {"when": f"its offsets have expired{unknown}"}


OFFSETS_EXPIRE = PastFinding(
    name="offsets-expire",
    tells="a group's offsets are about to be deleted",
    measure="hours until offsets.retention.minutes have passed since it had members",
    advice="Start a member, or the group begins where auto.offset.reset says; brokers keep offsets "
    "for offsets.retention.minutes. Where collect hasn't read that, retention_hours stands for it.",
    reads=("expiring",),
    value="coalesce(kept_hours, {retention_hours}) - hours",  # KIP-211
    template="Group {group} has had no members for {at_least:at least |}{hours:decimal} hours: "
    "{when}.",
    more=_when,
    levels={"warning": 24},
    below=True,
    settings={"retention_hours": (168, "the brokers' offsets.retention.minutes, in hours")},
)

STUCK_REBALANCE = PastFinding(
    name="stuck-rebalance",
    tells="a group doesn't get out of a rebalance",
    measure="snapshots in a row in which it was in a rebalance",
    advice="PreparingRebalance waits for members to join, CompletingRebalance for the leader's "
    "assignment: look for a member that processes longer than max.poll.interval.ms or joins "
    "again and again, and at the leader's log.",
    reads=("unsettled",),
    value="snapshots",
    template="Group {group} is in {state}, and was in a rebalance in each of the last {snapshots} "
    "snapshots, for {hours:decimal} hours.",
    levels={"warning": 2, "critical": 4},
)

RECORDS_EXPIRE = PastFinding(
    name="records-expire",
    tells="records may be deleted before a group has read them",
    measure="age of what the group reads next ÷ the topic's retention.ms",
    advice="Start members, add some, or raise retention.ms of the topic before they are gone: then "
    "the group goes on where auto.offset.reset says.",
    reads=("aged",),
    value="share",
    template="Group {group} has yet to read records of {topic}-{partition:whole} that are "
    "{at_least:at least |}{seconds:hours} hours old, and the topic keeps them for {kept:hours} "
    "hours.",
    needs=("history.offsets", "configs"),
    levels={"warning": 0.5, "critical": 0.9},
)
